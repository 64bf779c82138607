package sdkcli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"agsh.dev/agent"
	"agsh.dev/internal/agentdir"
)

const (
	// quiet is how long a project's files must not change before it is read
	// again: an editor, a checkout or a build changes several at once.
	quiet = 150 * time.Millisecond
	// slow is when it is read although they go on changing.
	slow = 2 * time.Second
)

// A reloader reads a project again whenever its files change, and has the
// agents replaced that changed.
type reloader struct {
	*app
	project *agentdir.Project // the last good one; closed by whoever serves it
	root    string            // where its files are, no link
	watcher *fsnotify.Watcher
	last    string // the problems told last
}

// newReloader begins to watch the project's files.
func newReloader(a *app, project *agentdir.Project) (*reloader, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w; serve without --dev does without", project.Dir, err)
	}
	r := &reloader{app: a, project: project, watcher: watcher}
	// Neither a walk nor a watch goes through a link.
	r.root, err = filepath.EvalSymlinks(project.Dir)
	if err == nil {
		err = r.watch()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("watch %s: %w; serve without --dev does without", project.Dir, err), watcher.Close())
	}
	return r, nil
}

// watch looks at every folder that discovery may look into. A folder that is
// watched already stays so.
func (r *reloader) watch() error {
	return filepath.WalkDir(r.root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == r.root:
			return err
		case err != nil: // it went away, or is none of ours to read: validate tells
			return fs.SkipDir
		case !d.IsDir():
			return nil
		case path != r.root && !r.mayHold(path):
			return fs.SkipDir
		}
		return r.watcher.Add(path)
	})
}

// mayHold reports whether discovery looks into a folder of the project. A
// project that is no agent itself may be a whole repository: of it only the
// agents' folders count.
func (r *reloader) mayHold(path string) bool {
	rel, err := filepath.Rel(r.root, path)
	if err != nil || strings.HasPrefix(filepath.Base(path), ".") || strings.HasPrefix(filepath.Base(path), "_") {
		return false
	}
	flat := len(r.project.Sources) == 1 && r.project.Sources[0].Dir == r.project.Dir
	top, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	return flat || top == "agent" || top == "agents"
}

// run reloads until ctx ends.
func (r *reloader) run(ctx context.Context, replace func([]agent.Agent, func()) error) {
	defer func() { _ = r.watcher.Close() }()
	settle := time.NewTimer(0)
	defer settle.Stop()
	settle.Stop()
	var since time.Time // of the first change that was not looked at; zero without one
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-r.watcher.Events:
			if !ok {
				return
			}
			if since.IsZero() {
				since = time.Now()
			}
			settle.Reset(max(0, min(quiet, slow-time.Since(since))))
		case err, ok := <-r.watcher.Errors:
			if !ok {
				return
			}
			// Changes may have been missed, so the files are looked at.
			fmt.Fprintf(r.Err, "watch %s: %v\n", r.project.Dir, err)
			settle.Reset(quiet)
		case <-settle.C:
			since = time.Time{}
			if err := r.watch(); err != nil {
				fmt.Fprintf(r.Err, "watch %s: %v\n", r.project.Dir, err)
			}
			r.reload(replace)
		}
	}
}

// reload reads the project and serves it if it is good and not what is served
// already.
func (r *reloader) reload(replace func([]agent.Agent, func()) error) {
	project, problems, err := agentdir.Read(r.dir, agentdir.Config{Getenv: r.Getenv})
	if err != nil {
		r.keep(err.Error())
		return
	}
	release := func() { _ = project.Close() }
	if failed, _ := agentdir.Count(problems); failed > 0 {
		release()
		var said strings.Builder
		for _, p := range problems {
			fmt.Fprintln(&said, p)
		}
		r.keep(said.String() + "the project has " + count(failed, "error"))
		return
	}
	changed := changes(r.project.Agents, project.Agents)
	r.last = ""
	if len(changed) == 0 {
		release()
		return
	}
	old := r.project
	if err := replace(project.Agents, func() { _ = old.Close() }); err != nil {
		release()
		r.keep(err.Error())
		return
	}
	r.project = project
	for _, p := range problems {
		fmt.Fprintln(r.Err, p)
	}
	fmt.Fprintf(r.Err, "reloaded: %s\n", strings.Join(changed, ", "))
}

// keep says, once, why what is served stays as it is.
func (r *reloader) keep(why string) {
	if why == r.last {
		return
	}
	r.last = why
	fmt.Fprintf(r.Err, "%s; the last good version stays served\n", strings.TrimRight(why, "\n"))
}

// changes names the agents that are new, gone or no longer the same.
func changes(old, now []agent.Agent) []string {
	var changed []string
	for _, a := range now {
		same := func(b agent.Agent) bool { return b.Name == a.Name && b.ConfigHash == a.ConfigHash }
		if !slices.ContainsFunc(old, same) {
			changed = append(changed, a.Name)
		}
	}
	for _, a := range old {
		if !slices.ContainsFunc(now, func(b agent.Agent) bool { return b.Name == a.Name }) {
			changed = append(changed, a.Name+" (gone)")
		}
	}
	return changed
}
