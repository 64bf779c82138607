package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"agsh.dev/agent"
	"agsh.dev/api"
	"agsh.dev/internal/toolset"
)

// An Agent is one served agent.
type Agent struct {
	host *Host
	def  agent.Agent
	own  *toolset.Set // what needs no connection
	gate toolset.Gate
	// mcp and hostMCP are the agent's connections; nil without any.
	mcp, hostMCP *pool

	mu      sync.Mutex
	joined  joined
	calls   int           // those that use the definition
	retired chan struct{} // set by Replace; closed once it is not used any more
}

// Slug is the agent's name in URLs.
func (a *Agent) Slug() string { return a.def.Name }

// Description is what the agent says of itself.
func (a *Agent) Description() string { return a.def.Description }

// Info is the agent's manifest as authored.
func (a *Agent) Info() api.Info { return info(a.def, a.own) }

// Bind returns the id of the session that b names, which exists, or "" when b
// names none.
func (a *Agent) Bind(ctx context.Context, b Binding) (string, error) {
	s, err := a.open(ctx, b)
	if err != nil || s == nil {
		return "", err
	}
	a.host.registry.release(s)
	return s.id, nil
}

// workspace returns the session's directory, made on first use.
func (a *Agent) workspace(s *openSession) (string, error) {
	dir := filepath.Join(a.sessionDir(s.id), "workspace")
	if s.workspace.Load() {
		return dir, nil
	}
	if err := a.makeWorkspace(dir); err != nil {
		return "", fmt.Errorf("make the workspace of session %s: %w", s.id, err)
	}
	s.workspace.Store(true)
	return dir, nil
}

// makeWorkspace makes a session's directory, with the agent's scripts in it.
func (a *Agent) makeWorkspace(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil || a.def.Scripts == "" {
		return err
	}
	scripts := filepath.Join(dir, "scripts")
	if _, err := os.Lstat(scripts); !errors.Is(err, fs.ErrNotExist) {
		return err // they are there, perhaps changed by the session, or cannot be looked at
	}
	// A copy that was cut short must not look like a whole one.
	part, err := os.MkdirTemp(dir, ".scripts-*")
	if err != nil {
		return err
	}
	if err := os.CopyFS(part, os.DirFS(a.def.Scripts)); err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	if err := os.Rename(part, scripts); err != nil {
		// Another call of the session was faster.
		return errors.Join(ignoreExist(err), os.RemoveAll(part))
	}
	return nil
}

func ignoreExist(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// removeFiles removes what the session has on disk; no call may run in it.
func (a *Agent) removeFiles(s *openSession) error {
	s.workspace.Store(false)
	if err := os.RemoveAll(a.sessionDir(s.id)); err != nil {
		return fmt.Errorf("remove the files of session %s: %w", s.id, err)
	}
	return nil
}

func (a *Agent) sessionDir(id string) string {
	return filepath.Join(a.host.cfg.Dir, a.def.Name, id)
}
