package runner

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agsh.dev/internal/session"
)

// tokenKey reads the secret that continuation tokens are derived from, and
// makes it on first use. Losing it makes every token that was given out
// unknown, so a damaged one is an error and is not replaced.
func tokenKey(path string) (session.TokenKey, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		b = make([]byte, len(session.TokenKey{}))
		_, _ = rand.Read(b) // never fails
		err = writeDurably(path, b)
	}
	if err != nil {
		return session.TokenKey{}, fmt.Errorf("keep the token key: %w", err)
	}
	key, err := session.NewTokenKey(b)
	if err != nil {
		return key, fmt.Errorf("%s: %w; restore it, or delete it to make a new one, which voids all continuation tokens", path, err)
	}
	return key, nil
}

// writeDurably makes the file at path hold b, readable by its owner only. When
// it returns nil the file is there after a power failure too, and whatever
// happens, nobody ever sees half of it.
func writeDurably(path string, b []byte) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, filepath.Base(path)+".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
