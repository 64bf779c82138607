package sqlitestore

import (
	"testing"

	"agsh.dev/internal/session"
	"agsh.dev/internal/session/sessiontest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, func(t *testing.T) session.Store {
		dir := t.TempDir()
		t.Cleanup(func() { // when the rule's own store is closed
			s := open(t, dir, Config{})
			defer s.Close()
			checkLayout(t, s)
		})
		return open(t, dir, Config{})
	})
}

func open(t testing.TB, dir string, cfg Config) *Store {
	t.Helper()
	s, err := Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
