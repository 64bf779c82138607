package agentdir

import "embed"

// schemas are JSON Schemas of the YAML that people write.
//
//go:embed schemas
var schemas embed.FS

// A Form is a kind of YAML that an agent is made of.
type Form struct {
	Kind  string // its name
	Files string // where it stands
}

// Forms lists the kinds of YAML that there are schemas of.
func Forms() []Form {
	return []Form{
		{"agent", "agent.yaml"},
		{"connection", "mcp-connections/<name>.yaml, host-connections/<name>.yaml"},
		{"manifest", "tools/<name>.tool.yaml, and the leading comment of tools/<name>.<ext>"},
		{"skill", "the front matter of skills/<name>.md and skills/<name>/SKILL.md"},
		{"tool", "tools/<name>.yaml"},
	}
}

// FormSchema returns the JSON Schema, of draft 2020-12, of a kind of YAML, and
// false for a kind that [Forms] does not have. What it refuses [Read] refuses
// as well; Read knows more.
func FormSchema(kind string) ([]byte, bool) {
	b, err := schemas.ReadFile("schemas/" + kind + ".json")
	return b, err == nil
}
