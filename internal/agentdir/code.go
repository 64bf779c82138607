package agentdir

// Code names a kind of problem for programs. Codes are only ever added.
type Code string

// The codes of a [Problem]; [Codes] tells what each means.
const (
	NoAgent             Code = "no_agent"
	LayoutConflict      Code = "layout_conflict"
	AgentEmpty          Code = "agent_empty"
	NameInvalid         Code = "name_invalid"
	NameMismatch        Code = "name_mismatch"
	EntryUnknown        Code = "entry_unknown"
	EntryKind           Code = "entry_kind"
	NotBuilt            Code = "not_built"
	EvalsMisplaced      Code = "evals_misplaced"
	FileUnreadable      Code = "file_unreadable"
	FileTooBig          Code = "file_too_big"
	FileNotText         Code = "file_not_text"
	LinkOutside         Code = "link_outside"
	YAMLSyntax          Code = "yaml_syntax"
	YAMLDocuments       Code = "yaml_documents"
	YAMLAliases         Code = "yaml_aliases"
	KeyDuplicate        Code = "key_duplicate"
	KeyUnknown          Code = "key_unknown"
	KeyMissing          Code = "key_missing"
	ValueType           Code = "value_type"
	ValueInvalid        Code = "value_invalid"
	ToolUnknown         Code = "tool_unknown"
	RootInvalid         Code = "root_invalid"
	InstructionsTwice   Code = "instructions_twice"
	InstructionsMissing Code = "instructions_missing"
	ToolNameClash       Code = "tool_name_clash"
	ToolDuplicate       Code = "tool_duplicate"
	ManifestMissing     Code = "manifest_missing"
	ManifestTwice       Code = "manifest_twice"
	ManifestOpen        Code = "manifest_open"
	ManifestAlone       Code = "manifest_alone"
	ExecBitMissing      Code = "exec_bit_missing"
	ShebangInvalid      Code = "shebang_invalid"
	InterpreterMissing  Code = "interpreter_missing"
	BuildTagMissing     Code = "build_tag_missing"
	InputMissing        Code = "input_missing"
	SchemaInvalid       Code = "schema_invalid"
	SchemaIgnored       Code = "schema_ignored"
	SchemaDoubtful      Code = "schema_doubtful"
	ConnectionDuplicate Code = "connection_duplicate"
	VariableUnset       Code = "variable_unset"
	ProgramMissing      Code = "program_missing"
	URLInsecure         Code = "url_insecure"
	PlaceholderInvalid  Code = "placeholder_invalid"
	ArgumentUnused      Code = "argument_unused"
	FrontMatterInvalid  Code = "front_matter_invalid"
	SkillFileMissing    Code = "skill_file_missing"
	SkillDuplicate      Code = "skill_duplicate"
	ScriptNotExecutable Code = "script_not_executable"
)

// A CodeInfo is one row of the list of codes.
type CodeInfo struct {
	Code     Code
	Severity Severity
	Meaning  string
}

// Codes lists every code in the order of docs/errors.md, which holds the same
// table.
var Codes = []CodeInfo{
	{NoAgent, Error, "The folder holds no agent: no agent/, agents/<name>/ or agent.yaml."},
	{LayoutConflict, Error, "Two layouts at once, such as agent/ and agents/."},
	{AgentEmpty, Error, "An agent's folder has no agent.yaml, no instructions, no tools and no connections."},
	{NameInvalid, Error, "A name of an agent, tool, connection or skill is not a letter followed by at most 63 letters, digits, _ or -."},
	{NameMismatch, Error, "agent.yaml or a skill says another name than that of its folder or file."},
	{EntryUnknown, Error, "A file or folder that means nothing where it is."},
	{EntryKind, Error, "A folder where a file belongs, or the reverse."},
	{NotBuilt, Error, "A feature this version does not have. It is never ignored in silence."},
	{EvalsMisplaced, Error, "Evals inside the agent's folder. They belong beside it."},
	{FileUnreadable, Error, "A file cannot be read: permissions, a broken link, not a regular file."},
	{FileTooBig, Error, "A manifest or text of more than 1 MiB."},
	{FileNotText, Error, "A manifest or text that is not UTF-8."},
	{LinkOutside, Error, "A link that leads out of the agent's folder, or is absolute."},
	{YAMLSyntax, Error, "Text that is not YAML."},
	{YAMLDocuments, Error, "More than one YAML document in a file."},
	{YAMLAliases, Error, "Aliases that contain themselves or grow the document without measure, or too deep a nesting."},
	{KeyDuplicate, Error, "A key that stands twice in one mapping."},
	{KeyUnknown, Error, "A key that means nothing where it is."},
	{KeyMissing, Error, "A key that must be there."},
	{ValueType, Error, "A value of the wrong type, such as a list for a string."},
	{ValueInvalid, Error, "A value of the right type that is not allowed."},
	{ToolUnknown, Error, "An allowlist names a tool that does not exist."},
	{RootInvalid, Error, "The folder or the files of root cannot be used."},
	{InstructionsTwice, Error, "Both instructions.md and instructions/."},
	{InstructionsMissing, Warning, "The agent has a model and no instructions."},
	{ToolNameClash, Error, "A tool has the name of a built-in one, of this version or a later, or one that differs only in case."},
	{ToolDuplicate, Error, "Two files for one tool name."},
	{ManifestMissing, Error, "A tool says nothing about itself."},
	{ManifestTwice, Error, "A tool has a manifest in its comments and another beside it."},
	{ManifestOpen, Error, "A manifest in comments has no closing line."},
	{ManifestAlone, Error, "A manifest beside no program."},
	{ExecBitMissing, Error, "A tool, or the program of a connection or a command, that may not be executed."},
	{ShebangInvalid, Error, "A script whose first line cannot start it."},
	{InterpreterMissing, Warning, "The program that should run a script, or build a tool in Go, is not on this machine."},
	{BuildTagMissing, Warning, "A tool in Go without //go:build ignore: with a second one beside it, go build and go vet of a module around them fail."},
	{InputMissing, Warning, "A tool does not say what arguments it takes; it gets none."},
	{SchemaInvalid, Error, "input or output is not a JSON Schema of an object, or part of it is no schema."},
	{SchemaIgnored, Warning, "A keyword of a schema that is not checked: a misspelt or foreign one, or one beyond this version."},
	{SchemaDoubtful, Warning, "A schema that contradicts itself: a default that it refuses, or a required property that it does not have."},
	{ConnectionDuplicate, Error, "Two connections of one name, in mcp-connections/ and host-connections/."},
	{VariableUnset, Error, "A variable that ${NAME} stands for is not set, or empty, and has no default."},
	{ProgramMissing, Warning, "The program of a connection or a command is not on this machine."},
	{URLInsecure, Warning, "Headers, which may hold secrets, go to another machine over plain http."},
	{PlaceholderInvalid, Error, "A placeholder that names no property of input or stands where none may, or a brace without its pair."},
	{ArgumentUnused, Warning, "A property of input that reaches neither the command line nor the request."},
	{FrontMatterInvalid, Error, "A skill does not begin with YAML between two lines ---."},
	{SkillFileMissing, Error, "A skill's folder has no SKILL.md."},
	{SkillDuplicate, Error, "Two skills of one name: a file and a folder."},
	{ScriptNotExecutable, Warning, "A script that says what runs it and may not be executed."},
}

func (c Code) severity() Severity {
	for _, info := range Codes {
		if info.Code == c {
			return info.Severity
		}
	}
	return Error
}
