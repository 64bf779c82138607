package filetools

import (
	"context"
	_ "embed" // descriptions
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agsh.dev/agent"
	"agsh.dev/event"
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
		if !fits(&b, vfs.GrepResult{Path: e.Path}) {
			res := text(b.String())
			note := fmt.Sprintf("[the result ends at %d MiB: narrow the pattern, or search in one directory of it]", maxShown>>20)
			res.Content = append(res.Content, event.Text(note))
			return res, nil
		}
		fmt.Fprintln(&b, shown(e.Path+slash(e)))
	}
	if b.Len() == 0 {
		return nothing(ctx, tree, "glob", dir)
	}
	return text(b.String()), nil
}

// nothing is the answer of a search that found nothing under path. That path
// is missing is an error: the search was not made.
func nothing(ctx context.Context, tree vfs.FileSystem, op, path string) (agent.Result, error) {
	info, err := tree.Stat(ctx, path)
	if err == nil && info.Kind == vfs.KindMissing {
		err = &vfs.PathError{Op: op, Path: info.Path, Err: vfs.ErrNotFound}
	}
	if err != nil {
		return agent.Result{}, err
	}
	return text(""), nil
}
