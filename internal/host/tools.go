package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	"agsh.dev/agent"
	"agsh.dev/api"
	"agsh.dev/internal/filetools"
	"agsh.dev/internal/requesttool"
	"agsh.dev/internal/scripttool"
	"agsh.dev/internal/toolset"
)

// Describe returns the manifest of an agent that is not served, as
// [Agent.Info] does of one that is.
func Describe(def agent.Agent) (api.Info, error) {
	set, err := assemble(def, scripttool.Config{}, nil)
	if err != nil {
		return api.Info{}, fmt.Errorf("agent %s: %w", def.Name, err)
	}
	return info(def, set), nil
}

func info(def agent.Agent, set *toolset.Set) api.Info {
	info := api.Info{
		Name: def.Name, Description: def.Description,
		Tools: []api.InfoTool{}, Skills: []api.Skill{}, Connections: []api.InfoConnection{}, Diagnostics: []api.Diagnostic{},
	}
	if m := def.Model; m != nil {
		info.Model = &api.Model{Provider: m.Provider, Name: m.Name}
	}
	for _, s := range def.Skills {
		info.Skills = append(info.Skills, api.Skill{Name: s.Name, Description: s.Description})
	}
	for _, c := range def.Connections {
		info.Connections = append(info.Connections, api.InfoConnection{Name: c.Name, Description: c.Description})
	}
	for _, c := range def.HostConnections {
		info.Connections = append(info.Connections, api.InfoConnection{Name: c.Name, Description: c.Description, Host: true})
	}
	for _, t := range set.Tools() {
		info.Tools = append(info.Tools, api.InfoTool{
			Name: t.Name, Title: t.Title, Description: t.Description, Effect: string(t.Effect), Source: api.Source{Kind: string(t.Source)},
		})
	}
	return info
}

// assemble makes an agent's namespace: by name its executables and Go tools
// first, as they are what this agent is about, then what its file tree gives.
func assemble(def agent.Agent, scripts scripttool.Config, slots chan struct{}) (*toolset.Set, error) {
	var tools []toolset.Tool
	for _, t := range def.Tools {
		if t == nil {
			return nil, errors.New("one of its Go tools is nil")
		}
		f, err := t.Build()
		if err != nil {
			return nil, err
		}
		tools = append(tools, toolset.Tool{Func: f, Source: toolset.Authored})
	}
	var programs []agent.Func
	for _, e := range def.Executables {
		programs = append(programs, scripttool.New(e, scripts))
	}
	for _, c := range def.Commands {
		programs = append(programs, scripttool.NewCommand(c, scripts))
	}
	for _, f := range programs {
		f.Run = limited(slots, f.Run)
		tools = append(tools, toolset.Tool{Func: f, Source: toolset.Authored})
	}
	for _, r := range def.Requests {
		f := requesttool.New(r, requesttool.Config{Log: scripts.Log, UserAgent: "agent-sdk"})
		tools = append(tools, toolset.Tool{Func: f, Source: toolset.Authored})
	}
	sort.SliceStable(tools, func(i, j int) bool { return tools[i].Name < tools[j].Name })

	root := def.Root
	if root == nil {
		root = sessionDisk{}
	}
	natives, err := filetools.Tools(root, def.Natives)
	if err != nil {
		return nil, err
	}
	for _, f := range natives {
		tools = append(tools, toolset.Tool{
			Func: f.Func, Source: toolset.Native,
			Canonical: f.Canonical,
		})
	}
	return toolset.Assemble(tools...)
}

// run is how a tool is called.
type run = func(context.Context, json.RawMessage) (agent.Result, error)

// limited runs a tool while it has one of the slots, which it waits for.
func limited(slots chan struct{}, tool run) run {
	return func(ctx context.Context, args json.RawMessage) (agent.Result, error) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
			return tool(ctx, args)
		case <-ctx.Done():
			return agent.Result{}, fmt.Errorf("wait for one of %d running programs to end: %w", cap(slots), ctx.Err())
		}
	}
}
