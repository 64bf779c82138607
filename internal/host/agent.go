package host

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"agsh.dev/agent"
	"agsh.dev/api"
	"agsh.dev/internal/filetools"
	"agsh.dev/internal/scripttool"
	"agsh.dev/internal/toolset"
)

// An Agent is one served agent.
type Agent struct {
	host *Host
	def  agent.Agent
	set  *toolset.Set
	gate toolset.Gate
}

func newAgent(h *Host, def agent.Agent) (*Agent, error) {
	a := &Agent{host: h, def: def}
	tools, err := a.tools()
	if err != nil {
		return nil, err
	}
	a.set, err = toolset.Assemble(tools...)
	return a, err
}

// tools lists the agent's own tools by name: executables and Go tools first,
// as they are what this agent is about, then what its file tree gives.
func (a *Agent) tools() ([]toolset.Tool, error) {
	scripts := a.host.cfg.Scripts
	if scripts.MaxOutput == 0 {
		// A little less than the gate lets through, so that an output is cut
		// once, with the notes of a failed run behind it.
		scripts.MaxOutput = toolset.DirectOutput - 32<<10
	}
	var own []toolset.Tool
	for _, t := range a.def.Tools {
		f, err := t.Func()
		if err != nil {
			return nil, err
		}
		own = append(own, toolset.Tool{Func: f, Source: toolset.Authored})
	}
	for _, e := range a.def.Executables {
		own = append(own, toolset.Tool{Func: scripttool.New(e, scripts), Source: toolset.Authored})
	}
	sort.SliceStable(own, func(i, j int) bool { return own[i].Name < own[j].Name })

	root := a.def.Root
	if root == nil {
		root = sessionDisk{}
	}
	natives, err := filetools.Tools(root, a.def.Natives)
	if err != nil {
		return nil, err
	}
	for _, f := range natives {
		own = append(own, toolset.Tool{
			Func: f, Source: toolset.Native,
			Canonical: func(args json.RawMessage) json.RawMessage { return filetools.Canonical(f.Name, args) },
		})
	}
	return own, nil
}

// Slug is the agent's name in URLs.
func (a *Agent) Slug() string { return a.def.Name }

// Definition is what the agent was made from. The caller must not change it.
func (a *Agent) Definition() agent.Agent { return a.def }

// Tools returns the namespace of a session and the session it is bound to,
// which is "" when b binds none.
func (a *Agent) Tools(ctx context.Context, p Principal, b Binding) (*toolset.Set, string, error) {
	l, err := a.open(ctx, p, b)
	if err != nil || l == nil {
		return a.set, "", err
	}
	a.host.lives.release(l)
	return a.set, l.id, nil
}

// workspace returns the session's directory, made on first use.
func (a *Agent) workspace(l *live) (string, error) {
	dir := a.workspaceDir(l.id)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ready {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", fmt.Errorf("make the workspace of session %s: %w", l.id, err)
		}
		l.ready = true
	}
	return dir, nil
}

func (a *Agent) sessionDir(id string) string {
	return filepath.Join(a.host.cfg.Dir, a.def.Name, id)
}

func (a *Agent) workspaceDir(id string) string { return filepath.Join(a.sessionDir(id), "workspace") }

// ToolNotFound is the error for a name no tool has.
func (a *Agent) ToolNotFound(name string) error {
	return api.Errorf(api.CodeToolNotFound, "agent %s has no tool %q", a.def.Name, name).
		WithHint("list them with GET /" + a.def.Name + "/v1/tools")
}
