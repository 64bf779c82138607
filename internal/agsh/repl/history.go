package repl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	// keptEntries is how many entries a history holds, and how many it
	// leaves in the file when it is trimmed.
	keptEntries = 5000
	// trimAbove is when the file is trimmed. The gap makes it rare.
	trimAbove = keptEntries + keptEntries/2
	// maxEntry bounds one entry in the file, in bytes.
	maxEntry = 64 << 10
)

// A History is the entries of this shell and, with a file, of those before
// it. The zero value is a history without a file. A History is not safe for
// concurrent use, but shells may share a file.
//
// The file has one entry a line, oldest first. In an entry a backslash is
// written \\, a newline \n and a carriage return \r; other characters are
// themselves. Values of flags, JSON members and headers that look secret are
// written ***; the shell itself remembers them until it ends.
type History struct {
	path    string // "": no file
	torn    bool   // the file's last line has no newline
	entries []string
}

// OpenHistory reads the history in the file at path, which need not exist, and
// trims the file if it has grown long. If there is an error the history works
// still, without the file.
func OpenHistory(path string) (*History, error) {
	h := &History{}
	if err := h.open(path); err != nil {
		h.path = ""
		return h, fmt.Errorf("open the history %s: %w; this session's will not be kept", path, err)
	}
	return h, nil
}

func (h *History) open(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		h.path = path
		return h.write("") // tells now, not at the first entry, that it cannot be
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is not a file")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	h.path = path
	h.torn = len(data) > 0 && data[len(data)-1] != '\n'
	for line := range bytes.Lines(data) {
		if entry := decodeEntry(strings.TrimSuffix(string(line), "\n")); entry != "" {
			h.entries = append(h.entries, entry)
		}
	}
	if len(h.entries) > trimAbove {
		h.keep()
		return h.trim()
	}
	h.keep()
	if info.Mode().Perm()&0o077 != 0 {
		return os.Chmod(path, 0o600)
	}
	return nil
}

func (h *History) keep() { h.entries = h.entries[max(0, len(h.entries)-keptEntries):] }

// trim replaces the file by one with the entries at hand. A reader sees the
// old file or the new one.
func (h *History) trim() error {
	real, err := filepath.EvalSymlinks(h.path)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(real), ".history-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // there is none once it is renamed
	var b strings.Builder
	for _, e := range h.entries {
		b.WriteString(encodeEntry(e) + "\n")
	}
	_, err = io.WriteString(tmp, b.String())
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	h.torn = false
	return os.Rename(tmp.Name(), real)
}

// Add appends an entry, unless it is the one before again. An error says that
// it could not be written to the file; it is returned once, after which the
// history has no file.
func (h *History) Add(entry string) error {
	if h.Len() > 0 && h.At(0) == entry {
		return nil
	}
	h.entries = append(h.entries, entry)
	stored := encodeEntry(redact(entry))
	if h.path == "" || len(stored) > maxEntry {
		return nil
	}
	if err := h.write(stored + "\n"); err != nil {
		path := h.path
		h.path = ""
		return fmt.Errorf("write the history %s: %w; this session's will not be kept", path, err)
	}
	return nil
}

// write appends to the file in one write, so that shells that share it do not
// mix their entries. It opens the file each time, because another shell may
// have trimmed it.
func (h *History) write(text string) error {
	f, err := os.OpenFile(h.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if h.torn && text != "" {
		text = "\n" + text
		h.torn = false
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}

// Len is the number of entries.
func (h *History) Len() int { return len(h.entries) }

// At returns the i-th entry, counted back from the newest, which is 0.
func (h *History) At(i int) string { return h.entries[len(h.entries)-1-i] }

func encodeEntry(s string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(s)
}

// decodeEntry reverses encodeEntry; a backslash before anything else stays.
func decodeEntry(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r").Replace(s)
}
