package filetools

import (
	"context"
	_ "embed" // descriptions

	"agsh.dev/agent"
	"agsh.dev/event"
	"agsh.dev/vfs"
)

//go:embed grep.md
var grepDoc string

type grepArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	OutputMode string `json:"output_mode"`
	IgnoreCase bool   `json:"-i"`
	After      int    `json:"-A"`
	Before     int    `json:"-B"`
	Around     int    `json:"-C"`
	HeadLimit  int    `json:"head_limit"`
	Offset     int    `json:"offset"`
}

// The values of output_mode.
const (
	modeContent = "content"
	modeFiles   = "files_with_matches"
	modeCount   = "count"
)

func grepTool() native {
	return native{
		name: "Grep", title: "Search file contents", description: grepDoc, kind: "search",
		fields: fields{
			{name: "pattern", kind: str, required: true, aliases: []string{"query"}, doc: "The regular expression to look for, in RE2 syntax."},
			{name: "path", kind: str, aliases: []string{"dir", "target_directory"}, doc: "The file or directory to search. Leave it out to search everything."},
			{name: "glob", kind: str, aliases: []string{"include"}, doc: "Only search files that match this glob pattern, such as *.go. Without a slash it is matched against names at any depth."},
			{name: "output_mode", kind: str, aliases: []string{"outputMode"}, enum: []string{modeContent, modeFiles, modeCount}, doc: "content shows matching lines (the default), files_with_matches only paths, count the number of matching lines per file."},
			{name: "-i", kind: flag, aliases: []string{"i", "case_insensitive", "ignore_case", "caseInsensitive", "ignoreCase"}, doc: "Ignore case."},
			{name: "-A", kind: num, natural: true, aliases: []string{"A"}, doc: "Lines of context to show after each match (content mode)."},
			{name: "-B", kind: num, natural: true, aliases: []string{"B"}, doc: "Lines of context to show before each match (content mode)."},
			{name: "-C", kind: num, natural: true, aliases: []string{"C"}, doc: "Lines of context to show before and after each match (content mode)."},
			{name: "head_limit", kind: num, natural: true, aliases: []string{"headLimit"}, doc: "The most matches to show: matching lines in content mode, files in the others. Leave it out, or give 0, for all."},
			{name: "offset", kind: num, natural: true, doc: "How many matches to pass over first, to go on from an earlier result."},
		},
		run: bind(grep),
	}
}

func grep(ctx context.Context, tree vfs.FileSystem, in grepArgs) (agent.Result, error) {
	q := vfs.GrepQuery{Pattern: in.Pattern, Path: in.Path, Glob: in.Glob, IgnoreCase: in.IgnoreCase}
	var out printer = &counter{page: in.page(), counts: in.OutputMode == modeCount}
	if in.OutputMode == "" || in.OutputMode == modeContent {
		q.Before, q.After = max(in.Before, in.Around), max(in.After, in.Around)
		if in.HeadLimit > 0 {
			q.MaxResults = in.Offset + in.HeadLimit + 1 // one more tells whether there are more
		}
		out = &lines{page: in.page(), before: q.Before, after: q.After}
	}
	for r, err := range tree.Grep(ctx, q) {
		if err != nil {
			return agent.Result{}, err
		}
		if !out.add(r) {
			break
		}
	}
	found, note := out.end()
	if found == "" && note == "" {
		return nothing(ctx, tree, "grep", in.Path)
	}
	res := text(found)
	if note != "" {
		res.Content = append(res.Content, event.Text(note))
	}
	return res, nil
}

func (in grepArgs) page() page { return page{offset: in.Offset, limit: in.HeadLimit} }
