package host

import (
	"context"
	"iter"

	"agsh.dev/agent"
	"agsh.dev/internal/hostdisk"
	"agsh.dev/vfs"
)

// sessionDisk is the root of an agent that names none: the host disk, with
// relative paths inside the workspace of the session that calls.
type sessionDisk struct{}

var _ vfs.FileSystem = sessionDisk{}

func disk(ctx context.Context) vfs.FileSystem {
	call, _ := agent.CallFrom(ctx)
	return hostdisk.New(call.Workspace)
}

func (sessionDisk) List(ctx context.Context, prefix string) iter.Seq2[vfs.DirEntry, error] {
	return disk(ctx).List(ctx, prefix)
}

func (sessionDisk) Stat(ctx context.Context, path string) (vfs.FileInfo, error) {
	return disk(ctx).Stat(ctx, path)
}

func (sessionDisk) Glob(ctx context.Context, pattern, dir string) iter.Seq2[vfs.DirEntry, error] {
	return disk(ctx).Glob(ctx, pattern, dir)
}

func (sessionDisk) Read(ctx context.Context, path string) ([]byte, error) {
	return disk(ctx).Read(ctx, path)
}

func (sessionDisk) Grep(ctx context.Context, q vfs.GrepQuery) iter.Seq2[vfs.GrepResult, error] {
	return disk(ctx).Grep(ctx, q)
}

func (sessionDisk) Write(ctx context.Context, path string, contents []byte) error {
	return disk(ctx).Write(ctx, path, contents)
}

func (sessionDisk) Delete(ctx context.Context, path string) error {
	return disk(ctx).Delete(ctx, path)
}

func (sessionDisk) Search(ctx context.Context, q vfs.SearchQuery) iter.Seq2[vfs.SearchResult, error] {
	return disk(ctx).Search(ctx, q)
}
