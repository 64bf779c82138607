package sqlitestore

import (
	"testing"

	"agsh.dev/internal/session"
	"agsh.dev/internal/session/sessiontest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, func(t *testing.T) session.Store { return open(t, t.TempDir(), Config{}) })
}

func open(t testing.TB, dir string, cfg Config) *Store {
	t.Helper()
	s, err := Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
