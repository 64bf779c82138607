package memstore_test

import (
	"testing"

	"agsh.dev/internal/session"
	"agsh.dev/internal/session/memstore"
	"agsh.dev/internal/session/sessiontest"
)

func TestStore(t *testing.T) {
	sessiontest.Run(t, func(*testing.T) session.Store { return memstore.New() })
}
