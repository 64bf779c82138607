// Package catalog turns the live tool listing of a deployment into commands.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"

	"agsh.dev/api"
	"agsh.dev/internal/term/text"
)

// maxName is longer than any tool's name; what is longer is not asked about.
const maxName = 256

// A Source is where tools are listed and described: an [api.Client].
type Source interface {
	Info(ctx context.Context) (api.Info, error)
	Tools(ctx context.Context, b api.Binding) (api.ToolList, error)
	Tool(ctx context.Context, name string, fold bool, b api.Binding) (api.ToolDetail, error)
}

// A Catalog is what an agent offers a session: the listing, and the commands
// that were asked for so far. It is safe for concurrent use: the shell
// completes what is typed while a command runs.
type Catalog struct {
	src  Source
	bind api.Binding

	mu       sync.Mutex // never held during a request
	list     api.ToolList
	listed   bool                // list was fetched
	stale    bool                // there is a newer one
	commands map[string]*Command // by real name
	etag     string
}

// New returns a catalog that asks src when something is needed.
func New(src Source, bind api.Binding) *Catalog {
	return &Catalog{src: src, bind: bind, commands: map[string]*Command{}}
}

// List returns the listing, fetched at most once for each version of it and
// each [Catalog.Expire].
func (c *Catalog) List(ctx context.Context) (api.ToolList, error) {
	c.mu.Lock()
	list, fresh := c.list, c.listed && !c.stale
	c.mu.Unlock()
	if fresh {
		return list, nil
	}
	list, err := c.src.Tools(ctx, c.bind)
	if err != nil {
		return list, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen(list.ETag)
	c.list, c.listed, c.stale = list, true, false
	return list, nil
}

// Expire makes the next listing a fetched one: an agent's connections come and
// go with no call that would tell.
func (c *Catalog) Expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale = true
}

// Seen tells the catalog the version a server's answer came with. A new one
// makes it forget what it knew.
func (c *Catalog) Seen(etag string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen(etag)
}

func (c *Catalog) seen(etag string) {
	if etag == "" || etag == c.etag {
		return
	}
	c.etag, c.stale = etag, true
	clear(c.commands)
}

// Lookup returns the command for a name as it was typed: the tool's own name,
// or the only one that has it when case is ignored. An unknown name is an
// [*UnknownError].
func (c *Catalog) Lookup(ctx context.Context, typed string) (*Command, error) {
	if len(typed) > maxName {
		return nil, &UnknownError{Name: typed}
	}
	if cmd, ok := c.known(typed); ok {
		return cmd, nil
	}
	detail, err := c.src.Tool(ctx, typed, true, c.bind)
	var failed *api.Error
	if errors.As(err, &failed) && failed.Code == api.CodeToolNotFound {
		return nil, c.unknown(ctx, typed)
	}
	if err != nil {
		return nil, err
	}
	if !strings.EqualFold(detail.Name, typed) {
		return nil, fmt.Errorf("the server was asked about the tool %s and describes %q", typed, detail.Name)
	}
	cmd, err := NewCommand(detail)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen(detail.ETag)
	if err != nil {
		return nil, err
	}
	c.commands[detail.Name] = cmd
	return cmd, nil
}

// known is the command for a name, if it was asked for before.
func (c *Catalog) known(typed string) (*Command, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cmd, ok := c.commands[typed]; ok {
		return cmd, true
	}
	name, ok := c.fold(typed)
	cmd := c.commands[name]
	return cmd, ok && cmd != nil
}

// Has reports whether a tool has exactly this name, or is the only one that
// has it when case is ignored. If the listing cannot be fetched, the one known
// so far counts.
func (c *Catalog) Has(ctx context.Context, name string) bool {
	_, _ = c.List(ctx) // what goes wrong shows at the first call
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.fold(name)
	return ok
}

// HasExact reports, like Has, whether a tool has exactly this name.
func (c *Catalog) HasExact(ctx context.Context, name string) bool {
	_, _ = c.List(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.fold(name)
	return ok && found == name
}

// fold finds the real name in the listing, if there is one. It is called with
// mu held.
func (c *Catalog) fold(typed string) (string, bool) {
	found, many := "", false
	for _, t := range c.list.Tools {
		if t.Name == typed {
			return typed, c.listed
		}
		if strings.EqualFold(t.Name, typed) {
			found, many = t.Name, found != ""
		}
	}
	return found, c.listed && found != "" && !many
}

// An UnknownError says that no tool has a name.
type UnknownError struct {
	Name string
	Near []string // names that look like it, closest first
	Away []string // connections whose tools are missing now
}

func (e *UnknownError) Error() string {
	msg := "unknown command: " + text.Truncate(e.Name, 80)
	if e.Name == "" {
		msg += "''"
	}
	switch len(e.Near) {
	case 0:
		msg += "; help lists the commands"
	case 1:
		msg += "; did you mean " + e.Near[0] + "?"
	default:
		msg += "; did you mean one of " + strings.Join(e.Near, ", ") + "?"
	}
	if len(e.Away) > 0 {
		msg += " (commands are missing, of connections that are unavailable now: " + strings.Join(e.Away, ", ") + ")"
	}
	return msg
}

func (c *Catalog) unknown(ctx context.Context, typed string) error {
	e := &UnknownError{Name: typed}
	list, err := c.List(ctx)
	if err != nil {
		return e // near matches are a help, not the point
	}
	var names []string
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	e.Near = near(typed, names)
	for _, u := range list.Unavailable {
		e.Away = append(e.Away, u.Connection)
	}
	return e
}

// near returns the names that a typing error, or half a name, leads to.
func near(typed string, names []string) []string {
	type match struct {
		name string
		far  int
	}
	low := strings.ToLower(typed)
	var found []match
	for _, name := range names {
		n := strings.ToLower(name)
		far := text.Distance(low, n)
		switch {
		case far <= 1+len(low)/4:
		case len(low) >= 2 && (strings.HasPrefix(n, low) || strings.Contains(n, low)):
			far = 10 + len(n) - len(low)
		default:
			continue
		}
		found = append(found, match{name, far})
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].far < found[j].far })
	var out []string
	for _, m := range found[:min(len(found), 5)] {
		out = append(out, m.name)
	}
	return out
}
