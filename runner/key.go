package runner

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"agsh.dev/internal/session"
)

// tokenKey reads the secret that continuation tokens are derived from, and
// makes it on first use. Losing it makes every token that was given out
// unknown, so a damaged one is an error and is not replaced.
func tokenKey(path string) (session.TokenKey, error) {
	var key session.TokenKey
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, _ = rand.Read(key[:]) // never fails
		if err := os.WriteFile(path, key[:], 0o600); err != nil {
			return key, fmt.Errorf("keep the token key: %w", err)
		}
		return key, nil
	case err != nil:
		return key, fmt.Errorf("read the token key: %w", err)
	case len(b) != len(key):
		return key, fmt.Errorf("the token key %s has %d bytes, want %d; delete it to make a new one, which voids all continuation tokens", path, len(b), len(key))
	}
	copy(key[:], b)
	return key, nil
}
