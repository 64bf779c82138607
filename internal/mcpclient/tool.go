package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"agsh.dev/agent"
)

// slack is how much longer than a call's own limit its gate waits, so that the
// error of this package, which knows more, is the one that is seen.
const slack = 5 * time.Second

// maxConnector is how many characters the name of a connector may have.
const maxConnector = 64

// An offer is a tool as its server lists it.
type offer struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  struct {
		Title        string `json:"title"`
		ReadOnlyHint bool   `json:"readOnlyHint"`
	} `json:"annotations"`
	Execution struct {
		TaskSupport string `json:"taskSupport"`
	} `json:"execution"`
	Meta map[string]json.RawMessage `json:"_meta"`
}

// readOffer reads one tool of a list. It fails for a tool that no call of ours
// could reach.
func readOffer(raw json.RawMessage) (offer, error) {
	var o offer
	if err := json.Unmarshal(raw, &o); err != nil {
		return offer{}, fmt.Errorf("tool %q: %w", bound(o.Name, 128), err)
	}
	if o.Name == "" {
		return offer{}, errors.New("a tool has no name")
	}
	if o.Execution.TaskSupport == "required" {
		return offer{}, fmt.Errorf("tool %q runs as a task only, and this client has no tasks", bound(o.Name, 128))
	}
	if absent(o.InputSchema) {
		o.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	if absent(o.OutputSchema) {
		o.OutputSchema = nil
	}
	return o, nil
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || bytes.Equal(raw, []byte("null")) }

// connector is the service behind an aggregating server, as the server says.
func (o offer) connector() string {
	for _, key := range []string{"agsh.dev/connector", "connector"} {
		var s string
		if json.Unmarshal(o.Meta[key], &s) != nil {
			continue
		}
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		if utf8.RuneCountInString(s) > maxConnector {
			s = strings.TrimSpace(string([]rune(s)[:maxConnector]))
		}
		return s
	}
	return ""
}

// tools makes what the agent gets of what the server offers: filtered, named,
// in the server's order. run makes the function that calls a tool.
func tools(c agent.Connection, offers []offer, run func(upstream string) runFunc) []Tool {
	var upstream []string
	var kept []offer
	seen := map[string]bool{}
	for _, o := range offers {
		if taken(c, o.Name) && !seen[o.Name] {
			seen[o.Name] = true
			upstream, kept = append(upstream, o.Name), append(kept, o)
		}
	}
	names := advertise(c, upstream)
	list := make([]Tool, 0, len(kept))
	for _, o := range kept {
		effect := agent.Write
		if o.Annotations.ReadOnlyHint {
			effect = agent.Read
		}
		title := o.Title
		if title == "" {
			title = o.Annotations.Title
		}
		list = append(list, Tool{
			Func: agent.Func{
				Definition: agent.Definition{
					Name: names[o.Name], Title: bound(title, maxError), Description: bound(o.Description, maxSummary),
					Input: o.InputSchema, Output: o.OutputSchema, Effect: effect,
					NeedsApproval: agent.Approval{Mode: approval(c, o.Name)},
					Timeout:       c.TotalTimeout + slack,
				},
				Run: run(o.Name),
			},
			Upstream:  o.Name,
			Connector: o.connector(),
		})
	}
	return list
}
