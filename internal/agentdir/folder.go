package agentdir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxManifest bounds the texts that are read whole.
const maxManifest = 1 << 20

// A folder is an agent's files. No link leads out of it. What cannot be read
// becomes a problem.
type folder struct {
	root     *os.Root
	project  string // the folder of the project, as it was named
	rel      string // of root within the project, with slashes; "" is the project
	cfg      Config
	escapes  error           // the error of a path that leads out
	files    map[string]bool // what the agent is made of
	problems []Problem
}

func newFolder(root *os.Root, project, rel string, cfg Config) *folder {
	f := &folder{root: root, project: project, rel: rel, cfg: cfg, files: map[string]bool{}}
	// os keeps this error to itself; the parent of the root brings it out.
	var escape *fs.PathError
	if _, err := root.Lstat(".."); errors.As(err, &escape) {
		f.escapes = escape.Err
	}
	return f
}

// A place is where a problem is: a file of the folder and, unless the whole
// of it is meant, a line and column.
type place struct {
	file      string
	line, col int
}

func (f *folder) report(at place, code Code, fix, format string, args ...any) {
	f.problems = append(f.problems, Problem{
		File: path.Join(f.rel, at.file), Path: f.shown(at.file), Line: at.line, Column: at.col,
		Severity: code.severity(), Code: code, Message: fmt.Sprintf(format, args...), Fix: fix,
	})
}

// shown is a file of the folder as the caller can open it.
func (f *folder) shown(name string) string {
	return filepath.Join(f.project, filepath.FromSlash(f.rel), filepath.FromSlash(name))
}

// ignored reports whether a name is none of our business.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "README") || name == "lib"
}

// list returns the names in a directory that count, sorted.
func (f *folder) list(dir string) []string {
	entries, err := fs.ReadDir(f.root.FS(), dir)
	if err != nil {
		f.report(place{file: dir}, FileUnreadable, "", "the folder cannot be read: %s", reason(err))
		return nil
	}
	var names []string
	for _, e := range entries {
		if !ignored(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

// stat follows links inside the folder. It reports what leads out or nowhere.
func (f *folder) stat(name string) (fs.FileInfo, bool) {
	info, err := f.root.Stat(name)
	switch {
	case err == nil:
		return info, true
	case f.escapes != nil && errors.Is(err, f.escapes):
		whole := "the agent's folder"
		if f.rel == "" {
			whole = "the project"
		}
		f.report(place{file: name}, LinkOutside, "copy what it leads to into the folder, or use a relative link within it",
			"the link leads out of %s", whole)
	case errors.Is(err, fs.ErrNotExist):
		f.report(place{file: name}, FileUnreadable, "remove the link or make its target", "the link leads nowhere")
	default:
		f.report(place{file: name}, FileUnreadable, "", "cannot be read: %s", reason(err))
	}
	return nil, false
}

// isDir reports whether name is a directory, and a problem when it is not.
func (f *folder) isDir(name string) bool {
	info, ok := f.stat(name)
	if ok && !info.IsDir() {
		f.report(place{file: name}, EntryKind, "", "this is a file; a folder belongs here")
		return false
	}
	return ok
}

// isFile reports whether name is a regular file, and a problem when it is
// not: opening a pipe or a device could wait for ever.
func (f *folder) isFile(name string) (fs.FileInfo, bool) {
	info, ok := f.stat(name)
	switch {
	case !ok:
		return nil, false
	case info.IsDir():
		f.report(place{file: name}, EntryKind, "", "this is a folder; a file belongs here")
		return nil, false
	case !info.Mode().IsRegular():
		f.report(place{file: name}, FileUnreadable, "", "this is neither a file nor a folder")
		return nil, false
	}
	return info, true
}

// text reads a text file and counts it as part of the agent.
func (f *folder) text(name string) (string, bool) {
	info, ok := f.isFile(name)
	if !ok {
		return "", false
	}
	if info.Size() > maxManifest {
		f.report(place{file: name}, FileTooBig, "", "the file has %d bytes; the limit is %d", info.Size(), maxManifest)
		return "", false
	}
	b, ok := f.head(name, maxManifest)
	if !ok {
		return "", false
	}
	f.files[name] = true
	b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	if line, bad := invalidLine(b); bad {
		f.report(place{file: name, line: line}, FileNotText, "save the file as UTF-8", "the text is not UTF-8")
		return "", false
	}
	return string(b), true
}

// head reads at most limit bytes of the beginning of a regular file.
func (f *folder) head(name string, limit int64) ([]byte, bool) {
	file, err := f.root.Open(name)
	if err == nil {
		defer func() { _ = file.Close() }()
		var b []byte
		if b, err = io.ReadAll(io.LimitReader(file, limit)); err == nil {
			return b, true
		}
	}
	f.report(place{file: name}, FileUnreadable, "", "cannot be read: %s", reason(err))
	return nil, false
}

// invalidLine returns the line of the first byte that is not UTF-8.
func invalidLine(b []byte) (line int, bad bool) {
	if utf8.Valid(b) {
		return 0, false
	}
	line = 1
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		b = b[size:]
	}
	return line, true
}

// addTree counts the files below dir as part of the agent; tools may use
// them.
func (f *folder) addTree(dir string) {
	// A tree that cannot be walked is no problem: it is not read, only hashed.
	_ = fs.WalkDir(f.root.FS(), dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir
		case name != dir && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_")):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular():
			f.files[name] = true
		}
		return nil
	})
}

// walk counts every file below dir as part of the agent, hidden ones
// included, reports links that lead out or nowhere, and returns the names of
// the files in order.
func (f *folder) walk(dir string) []string {
	var names []string
	// The function below returns no error.
	_ = fs.WalkDir(f.root.FS(), dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			f.report(place{file: name}, FileUnreadable, "", "cannot be read: %s", reason(err))
			return nil
		}
		if d.IsDir() {
			return nil
		}
		info, ok := f.stat(name)
		if !ok || info.IsDir() {
			return nil
		}
		if _, ok = f.isFile(name); ok {
			f.files[name] = true
			names = append(names, name)
		}
		return nil
	})
	return names
}

func (f *folder) sorted() []string { return slices.Sorted(maps.Keys(f.files)) }

// hash is the SHA-256, in hex, of the paths and contents of the agent's
// files.
func (f *folder) hash() string {
	sum := sha256.New()
	for _, name := range f.sorted() {
		f.hashFile(sum, name)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func (f *folder) hashFile(sum hash.Hash, name string) {
	file, err := f.root.Open(name)
	if err != nil {
		return // reported where it was read
	}
	defer func() { _ = file.Close() }()
	content := sha256.New()
	if _, err := io.Copy(content, file); err != nil {
		return
	}
	fmt.Fprintf(sum, "%d:%s %x\n", len(name), name, content.Sum(nil))
}
