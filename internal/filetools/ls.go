package filetools

import (
	"context"
	_ "embed" // descriptions
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agsh.dev/agent"
	"agsh.dev/vfs"
)

//go:embed ls.md
var lsDoc string

type lsArgs struct {
	Path   string   `json:"path"`
	Ignore []string `json:"ignore_globs"`
}

func lsTool() native {
	return native{
		name: "LS", title: "List a directory", description: lsDoc, kind: "read",
		fields: fields{
			{name: "path", kind: str, required: true, aliases: []string{"target_directory", "dir"}, doc: "The path of the directory to list."},
			{name: "ignore_globs", kind: list, aliases: []string{"ignoreGlobs", "ignore"}, doc: "Entries to leave out, as glob patterns on their names, such as *.test.ts or node_modules/**."},
		},
		run: bind(ls),
	}
}

func ls(ctx context.Context, tree vfs.FileSystem, in lsArgs) (agent.Result, error) {
	for _, g := range in.Ignore {
		if !doublestar.ValidatePattern(g) {
			return agent.Result{}, fmt.Errorf("ignore_globs: %w: %s", vfs.ErrInvalidGlob, g)
		}
	}
	dir, err := tree.Stat(ctx, in.Path)
	switch {
	case err != nil:
		return agent.Result{}, err
	case dir.Kind == vfs.KindMissing:
		return agent.Result{}, &vfs.PathError{Op: "list", Path: dir.Path, Err: vfs.ErrNotFound}
	case dir.Kind == vfs.KindFile:
		return agent.Result{}, fmt.Errorf("list %s: not a directory; Read shows files", dir.Path)
	}
	var b strings.Builder
	for e, err := range tree.List(ctx, dir.Path) {
		if err != nil {
			return agent.Result{}, err
		}
		if slices.ContainsFunc(in.Ignore, func(g string) bool { return ignores(g, e) }) {
			continue
		}
		fmt.Fprintf(&b, "  - %s\n", shown(path.Base(e.Path)+slash(e)))
	}
	if b.Len() == 0 {
		return text(""), nil
	}
	return text(shown(strings.TrimSuffix(dir.Path, "/")+"/") + "\n" + b.String()), nil
}

// slash is what follows the name of a directory.
func slash(e vfs.DirEntry) string {
	if e.Kind == vfs.KindDir {
		return "/"
	}
	return ""
}

// ignores reports whether a glob leaves e out. It may be about the name or
// the whole path; a slash at its end asks for a directory.
func ignores(glob string, e vfs.DirEntry) bool {
	if rest, ok := strings.CutSuffix(glob, "/"); ok {
		if e.Kind != vfs.KindDir {
			return false
		}
		glob = rest
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(glob, "./"), path.Base(e.Path)) || doublestar.MatchUnvalidated(glob, e.Path)
}
