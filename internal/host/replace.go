package host

import (
	"fmt"
	"reflect"
	"sync"

	"agsh.dev/agent"
	"agsh.dev/api"
)

// Replace serves agents by new definitions. Calls that began under the old
// ones end under them; release is called when the last of those is over, in
// the background, or at the latest by Close. A connection whose configuration
// is as it was stays up. When the new definitions cannot be served the old
// ones stay, and release is not called.
func (h *Host) Replace(defs []agent.Agent, release func()) error {
	agents, err := h.build(defs)
	if err != nil {
		return err
	}
	h.mu.Lock()
	if h.draining {
		h.mu.Unlock()
		return fmt.Errorf("replace the agents: %w", draining())
	}
	old := h.agents
	for _, a := range agents {
		a.inherit(old)
	}
	h.agents = agents
	h.retiring.Add(1)
	h.mu.Unlock()
	for _, a := range agents {
		a.start()
	}
	unused := make([]<-chan struct{}, len(old))
	for i, a := range old {
		unused[i] = a.retire() // before the caller hears that the new ones are served
	}
	go func() {
		defer h.retiring.Done()
		var retired sync.WaitGroup
		for i, a := range old {
			retired.Go(func() {
				<-unused[i]
				a.closeConnections()
			})
		}
		retired.Wait()
		release()
	}()
	return nil
}

// current returns the agent to make a call with: a, or the one that has
// replaced it. The caller calls its leave.
func (a *Agent) current() (*Agent, error) {
	for {
		if a.begin() {
			return a, nil
		}
		next, ok := a.host.Agent(a.def.Name)
		if !ok {
			return nil, api.Errorf(api.CodeAgentNotFound, "agent %s is served no longer", a.def.Name).WithHint("GET / lists the agents")
		}
		a = next
	}
}

// begin counts one more call that uses the definition. It reports false once
// the agent has retired.
func (a *Agent) begin() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.retired != nil {
		return false
	}
	a.calls++
	return true
}

func (a *Agent) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls--; a.calls == 0 && a.retired != nil {
		close(a.retired)
	}
}

// retire lets no more calls begin. What it returns is closed once none uses
// the agent any more.
func (a *Agent) retire() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.retired = make(chan struct{})
	if a.calls == 0 {
		close(a.retired)
	}
	return a.retired
}

// inherit shares the connections of the agent that was served under the same
// name, if they are still to be as they are. That agent has not retired.
func (a *Agent) inherit(old []*Agent) {
	for _, o := range old {
		if o.def.Name != a.def.Name {
			continue
		}
		if a.mcp != nil && reflect.DeepEqual(o.def.Connections, a.def.Connections) {
			a.mcp = o.mcp.share()
		}
		if a.hostMCP != nil && reflect.DeepEqual(o.def.HostConnections, a.def.HostConnections) {
			a.hostMCP = o.hostMCP.share()
		}
		return
	}
}

// start begins to connect. Host connections wait for the first call of one.
func (a *Agent) start() {
	if a.mcp != nil {
		a.mcp.Start()
	}
}

// closeConnections ends the connections that no other definition shares.
func (a *Agent) closeConnections() {
	var closing sync.WaitGroup
	for _, p := range []*pool{a.mcp, a.hostMCP} {
		if p != nil {
			closing.Go(p.leave)
		}
	}
	closing.Wait()
}
