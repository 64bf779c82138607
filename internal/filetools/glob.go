package filetools

import (
	"context"
	_ "embed" // descriptions
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agsh.dev/agent"
	"agsh.dev/vfs"
)

//go:embed glob.md
var globDoc string

type globArgs struct {
	Pattern string `json:"pattern"`
	Dir     string `json:"dir"`
}

func globTool() native {
	return native{
		name: "Glob", title: "Find files by pattern", description: globDoc, kind: "search",
		fields: fields{
			{name: "pattern", kind: str, required: true, aliases: []string{"glob_pattern", "globPattern"}, doc: "The glob pattern, such as **/*.go. It is matched against paths relative to dir."},
			{name: "dir", kind: str, aliases: []string{"target_directory", "targetDirectory", "path"}, doc: "The directory to search in. Leave it out to search everything."},
		},
		run: bind(glob),
	}
}

func glob(ctx context.Context, tree vfs.FileSystem, in globArgs) (agent.Result, error) {
	dir, pattern := in.Dir, in.Pattern
	if dir == "" && path.IsAbs(pattern) {
		dir, pattern = doublestar.SplitPattern(pattern)
	}
	var b strings.Builder
	for e, err := range tree.Glob(ctx, pattern, dir) {
		if err != nil {
			return agent.Result{}, err
		}
		fmt.Fprintf(&b, "%s%s\n", e.Path, slash(e))
	}
	if b.Len() > 0 {
		return text(b.String()), nil
	}
	return nothing(ctx, tree, dir, "No paths match "+in.Pattern)
}

// nothing is the answer of a search that found nothing under path.
func nothing(ctx context.Context, tree vfs.FileSystem, path, what string) (agent.Result, error) {
	info, err := tree.Stat(ctx, path)
	if err != nil {
		return agent.Result{}, err
	}
	if info.Kind == vfs.KindMissing {
		return text(fmt.Sprintf("%s: %s does not exist.", what, info.Path)), nil
	}
	return text(what + "."), nil
}
