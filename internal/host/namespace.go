package host

import (
	"context"
	"fmt"
	"strings"
	"time"

	"agsh.dev/api"
	"agsh.dev/internal/mcpclient"
	"agsh.dev/internal/toolset"
)

// maxConnectWait is how long a listing is held back by connections that are
// being made for the first time; it is less than clients wait for an answer.
const maxConnectWait = 25 * time.Second

// joined is the namespace made of one version of the connections' listing.
type joined struct {
	version uint64
	set     *toolset.Set
}

// Namespace returns what can be called: the agent's own tools and those of
// its connections. It waits for connections that are made for the first time,
// as the first listing after the start does, or since they broke, and for one
// that could not be made a moment only.
func (a *Agent) Namespace(ctx context.Context) (*toolset.Set, error) {
	if a.mcp == nil {
		return a.own, nil
	}
	ctx, cancel := context.WithTimeout(ctx, maxConnectWait)
	defer cancel()
	return a.join(a.mcp.Tools(ctx))
}

// Version is the ETag of the namespace as it is now, without waiting for
// anything.
func (a *Agent) Version() (string, error) {
	if a.mcp == nil {
		return a.own.ETag(), nil
	}
	set, err := a.join(a.mcp.Now())
	if err != nil {
		return "", err
	}
	return set.ETag(), nil
}

// Tool finds a tool by its exact name, or with fold also by the only name that
// differs from it in case alone. The agent's own are there at once: no tool of
// a connection ever takes such a name.
func (a *Agent) Tool(ctx context.Context, name string, fold bool) (*toolset.Tool, error) {
	find := (*toolset.Set).Lookup
	if fold {
		find = (*toolset.Set).Fold
	}
	if t, ok := find(a.own, name); ok {
		return t, nil
	}
	set, err := a.Namespace(ctx)
	if err != nil {
		return nil, err
	}
	t, ok := find(set, name)
	if !ok {
		return nil, a.toolNotFound(name, set)
	}
	return t, nil
}

// join returns the namespace with a listing's tools in it.
func (a *Agent) join(l *mcpclient.Listing) (*toolset.Set, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.joined.set != nil && a.joined.version >= l.Version {
		return a.joined.set, nil
	}
	groups := make([]toolset.Group, len(l.Connections))
	for i, c := range l.Connections {
		groups[i] = toolset.Group{Connection: c.Name, Err: c.Err}
		for _, t := range c.Tools {
			groups[i].Tools = append(groups[i].Tools, toolset.Tool{Func: t.Func, Connector: t.Connector})
		}
	}
	set, err := a.own.Extend(groups)
	if err != nil {
		return nil, fmt.Errorf("agent %s: join the tools of its connections: %w", a.def.Name, err)
	}
	a.joined = joined{l.Version, set}
	return set, nil
}

// toolNotFound is the error for a name that no tool of set has.
func (a *Agent) toolNotFound(name string, set *toolset.Set) error {
	hint := "list them with GET /" + a.def.Name + "/v1/tools"
	if down := set.Unavailable(); len(down) > 0 {
		names := make([]string, len(down))
		for i, u := range down {
			names[i] = u.Connection
		}
		hint = "tools may be missing: connections unavailable now: " + strings.Join(names, ", ")
	}
	return api.Errorf(api.CodeToolNotFound, "agent %s has no tool %q", a.def.Name, name).WithHint(hint)
}
