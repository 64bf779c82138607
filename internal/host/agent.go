package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"agsh.dev/agent"
	"agsh.dev/api"
	"agsh.dev/internal/toolset"
)

// An Agent is one served agent.
type Agent struct {
	host *Host
	def  agent.Agent
	set  *toolset.Set
	gate toolset.Gate
}

// Slug is the agent's name in URLs.
func (a *Agent) Slug() string { return a.def.Name }

// Description is what the agent says of itself.
func (a *Agent) Description() string { return a.def.Description }

// Set is the agent's namespace, that of each of its sessions.
func (a *Agent) Set() *toolset.Set { return a.set }

// Info is the agent's manifest as authored.
func (a *Agent) Info() api.Info { return info(a.def, a.set) }

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
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the workspace of session %s: %w", s.id, err)
	}
	s.workspace.Store(true)
	return dir, nil
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

// ToolNotFound is the error for a name no tool has.
func (a *Agent) ToolNotFound(name string) error {
	return api.Errorf(api.CodeToolNotFound, "agent %s has no tool %q", a.def.Name, name).
		WithHint("list them with GET /" + a.def.Name + "/v1/tools")
}
