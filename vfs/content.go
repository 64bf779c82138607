package vfs

import (
	"bytes"
	"unicode/utf8"
)

// sniffLen is how much of a file decides whether it is binary.
const sniffLen = 8 << 10

// byteOrderMark may begin a file of UTF-8; it is no part of the first line.
const byteOrderMark = "\uFEFF"

// ImageType returns the media type of a jpeg, png, gif or webp image by its
// first bytes, and "" for anything else.
func ImageType(data []byte) string {
	for _, m := range []struct{ at0, at8, mime string }{
		{at0: "\xff\xd8\xff", mime: "image/jpeg"},
		{at0: "\x89PNG\r\n\x1a\n", mime: "image/png"},
		{at0: "GIF87a", mime: "image/gif"},
		{at0: "GIF89a", mime: "image/gif"},
		{at0: "RIFF", at8: "WEBP", mime: "image/webp"},
	} {
		if !bytes.HasPrefix(data, []byte(m.at0)) {
			continue
		}
		if m.at8 == "" || len(data) >= 12 && string(data[8:12]) == m.at8 {
			return m.mime
		}
	}
	return ""
}

// binary reports whether head, the first sniffLen bytes of a file or more,
// marks it as binary.
func binary(head []byte) bool {
	return bytes.IndexByte(head[:min(len(head), sniffLen)], 0) >= 0
}

// readable refuses content that is neither text nor an image.
func readable(data []byte) error {
	if ImageType(data) != "" || !binary(data) && utf8.Valid(data) {
		return nil
	}
	return ErrBinary
}
