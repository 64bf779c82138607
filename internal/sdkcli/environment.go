package sdkcli

import (
	"fmt"
	"slices"
	"strings"
)

// environment lists the variables agent-sdk reads, for its help and that of
// the commands that use them.
var environment = []struct {
	name, meaning string
	users         []string // commands
}{
	{"AGENT_SDK_BEARER_TOKEN", "token that serve asks of every request, when --bearer-token is not given", []string{"serve"}},
	{"XDG_STATE_HOME", "where serve keeps sessions; default ~/.local/state", []string{"serve"}},
	{"XDG_CACHE_HOME", "where tools built from Go files are kept; default ~/.cache", []string{"serve"}},
	{"PATH", "where interpreters of tools and the go command are looked for", []string{"serve", "validate", "info"}},
	{"NO_COLOR", "no colour, if set to anything", []string{"validate"}},
	{"CLICOLOR_FORCE", "colour also when the output is not a terminal", []string{"validate"}},
}

// environmentHelp is the end of the template of help: for each command that
// uses variables, which. The program itself lists all.
func environmentHelp() string {
	var b strings.Builder
	for _, command := range []string{"agent-sdk", "serve", "validate", "info"} {
		fmt.Fprintf(&b, "{{if eq .Name %q}}\nEnvironment:\n", command)
		for _, v := range environment {
			if command == "agent-sdk" || slices.Contains(v.users, command) {
				fmt.Fprintf(&b, "  %-23s %s\n", v.name, v.meaning)
			}
		}
		b.WriteString("{{end}}")
	}
	return b.String()
}
