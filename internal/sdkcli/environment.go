package sdkcli

import (
	"fmt"
	"strings"
)

// environment lists the variables agent-sdk reads, for its help.
var environment = []struct{ name, meaning string }{
	{"AGENT_SDK_BEARER_TOKEN", "token that serve asks of every request, when --bearer-token is not given"},
	{"XDG_STATE_HOME", "where serve keeps sessions; default ~/.local/state"},
	{"XDG_CACHE_HOME", "where tools built from Go files are kept; default ~/.cache"},
	{"PATH", "where interpreters of tools and the go command are looked for"},
	{"NO_COLOR", "no colour, if set to anything"},
	{"CLICOLOR_FORCE", "colour also when the output is not a terminal"},
}

func environmentHelp() string {
	var b strings.Builder
	b.WriteString("\nEnvironment:\n")
	for _, v := range environment {
		fmt.Fprintf(&b, "  %-23s %s\n", v.name, v.meaning)
	}
	return b.String()
}
