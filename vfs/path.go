package vfs

import (
	"iter"
	"path"
	"strings"
	"unicode/utf8"
)

// Normalize gives the one form of a path that trees use: absolute, separated
// by single slashes, without "." and "..", and without a slash at the end
// unless it is "/". A relative path counts from "/", ".." stops at "/", and
// "" is "/". A NUL byte or invalid UTF-8 is [ErrInvalidPath].
func Normalize(p string) (string, error) {
	return normalize("normalize", p)
}

func normalize(op, p string) (string, error) {
	if !validName(p) {
		return "", &PathError{Op: op, Path: p, Err: ErrInvalidPath}
	}
	return path.Clean("/" + p), nil
}

// validName reports whether s can be part of a path.
func validName(s string) bool {
	return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
}

// join appends a name or a relative path to a normalized directory.
func join(dir, name string) string {
	if dir == "/" {
		return dir + name
	}
	return dir + "/" + name
}

// split is the directory and the name of a normalized path; of "/", "/" and "".
func split(p string) (dir, name string) {
	i := strings.LastIndexByte(p, '/')
	return p[:max(i, 1)], p[i+1:]
}

// segments yields the names in a normalized path.
func segments(p string) iter.Seq[string] {
	return strings.FieldsFuncSeq(p, func(r rune) bool { return r == '/' })
}

// relative is the part of p below dir; p is below dir and both are
// normalized.
func relative(dir, p string) string {
	return strings.TrimPrefix(strings.TrimPrefix(p, dir), "/")
}

// within reports whether p is dir or below it, segment by segment. Both are
// relative or both are normalized; "" holds every relative path.
func within(p, dir string) bool {
	if dir == "" || dir == "/" || p == dir {
		return true
	}
	return len(p) > len(dir) && p[len(dir)] == '/' && strings.HasPrefix(p, dir)
}
