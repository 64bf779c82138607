package sdkcli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/api"
	"agsh.dev/internal/agentdir"
	"agsh.dev/internal/term"
)

// What an agent has none of is not headed, and what comes from files steers no
// terminal.
func TestInfoShowsSkillsAndConnections(t *testing.T) {
	tools := []api.InfoTool{{Name: "greet", Title: "Greet", Effect: "read"}, {Name: "send", Description: "Send.\nMore.", Effect: "write"}}
	const head = "a\n  folder  /a\n  model   none\n  tools\n    greet  read   Greet\n    send   write  Send.\n"
	for want, in := range map[string]api.Info{
		head: {Name: "a", Tools: tools},
		head + "  skills\n    refund  How \\x1b[2Jto.\n  connections\n    files  for model  Files.\n    vault  for tools\n": {
			Name: "a", Tools: tools, Skills: []api.Skill{{Name: "refund", Description: "How \x1b[2Jto."}},
			Connections: []api.InfoConnection{{Name: "files", Description: "Files."}, {Name: "vault", Host: true}},
		},
	} {
		tm, out, _ := term.Test("")
		(&app{Term: tm}).printInfo(in, agentdir.Source{Dir: "/a"})
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("info (-want +got):\n%s", diff)
		}
	}
}
