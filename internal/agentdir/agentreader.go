package agentdir

import (
	"path"
	"strings"

	"agsh.dev/agent"
)

// An agentReader reads one agent's folder.
type agentReader struct {
	*folder
	dir    string // absolute
	named  bool   // the folder's name is the agent's
	nameAt place  // of the name in agent.yaml; zero without one
	agent  agent.Agent
}

// A slot is one entry that an agent's folder may have.
type slot struct {
	name string
	read func(r *agentReader) // nil: the feature is not in this version
}

// slots are read in this order.
var slots = []slot{
	{"agent.yaml", (*agentReader).agentYAML},
	{"instructions.md", (*agentReader).instructionsFile},
	{"instructions", (*agentReader).instructionsFolder},
	{"tools", (*agentReader).tools},
	{"skills", (*agentReader).skills},
	{"scripts", (*agentReader).scripts},
	{"mcp-connections", (*agentReader).mcpConnections},
	{"host-connections", (*agentReader).hostConnections},
	{"channels", nil},
	{"schedules", nil},
	{"hooks", nil},
	{"subagents", nil},
	{"extensions", nil},
	{"workspace", nil},
	{"memory", nil},
	{"result.yaml", nil},
}

func (r *agentReader) read() {
	names := r.list(".")
	here := make(map[string]bool, len(names))
	for _, name := range names {
		here[name] = true
		r.misplaced(name)
	}
	for _, s := range slots {
		switch {
		case !here[s.name]:
		case s.read == nil:
			r.report(place{file: s.name}, NotBuilt, "move it away until a version has it", "%s: this feature is not in this version", s.name)
		default:
			s.read(r)
		}
	}
	r.checkWhole(here)
	r.addTree("lib")
	r.agent.ConfigHash = r.hash()
}

// misplaced reports an entry that no slot reads.
func (r *agentReader) misplaced(name string) {
	known := make([]string, len(slots))
	for i, s := range slots {
		if s.name == name {
			return
		}
		known[i] = s.name
	}
	if name == "evals" {
		if r.rel == "" {
			r.report(place{file: name}, NotBuilt, "move it away until a version has it", "evals are not in this version")
			return
		}
		r.report(place{file: name}, EvalsMisplaced, "move it to the project folder", "evals do not belong to the agent's folder")
		return
	}
	fix := "remove it, or begin its name with _ to have it ignored"
	if guess := near(name, known); guess != "" {
		fix = "did you mean " + guess + "?"
	}
	r.report(place{file: name}, EntryUnknown, fix, "%s means nothing in an agent's folder", quote(name))
}

func (r *agentReader) checkWhole(here map[string]bool) {
	if !here["agent.yaml"] && !here["instructions.md"] && !here["instructions"] && !here["tools"] && !here["mcp-connections"] {
		r.report(place{file: "."}, AgentEmpty, "write an agent.yaml, instructions.md or tools/<name>", "the folder holds no agent")
	}
	if here["instructions.md"] && here["instructions"] {
		r.report(place{file: "instructions.md"}, InstructionsTwice, "move its text to a file in instructions/", "there is also instructions/")
	}
	if r.agent.Model != nil && !here["instructions.md"] && !here["instructions"] {
		r.report(place{file: "."}, InstructionsMissing, "write instructions.md", "the agent has a model and no instructions")
	}
	if !namePattern.MatchString(r.agent.Name) {
		at := r.nameAt
		fix := ""
		if at.file == "" {
			at = place{file: "."}
			fix = "name the agent in agent.yaml"
			if r.named {
				fix = "rename the folder"
			}
		}
		r.report(at, NameInvalid, fix, "%s cannot be an agent's name: want %s", quote(r.agent.Name), nameRule)
	}
}

func (r *agentReader) instructionsFile() {
	if text, ok := r.text("instructions.md"); ok {
		r.agent.Instructions = text
	}
}

// instructionsFolder joins the texts in the order of their names.
func (r *agentReader) instructionsFolder() {
	if !r.isDir("instructions") {
		return
	}
	var parts []string
	for _, name := range r.list("instructions") {
		file := path.Join("instructions", name)
		if path.Ext(name) != ".md" {
			r.report(place{file: file}, EntryUnknown, "give it the ending .md", "instructions/ holds .md files only")
			continue
		}
		if text, ok := r.text(file); ok {
			parts = append(parts, strings.TrimRight(text, "\n"))
		}
	}
	r.agent.Instructions = strings.Join(parts, "\n\n")
	if r.agent.Instructions != "" {
		r.agent.Instructions += "\n"
	}
}
