// Package agentdir reads agents from folders. It finds every problem of every
// agent in one pass, each with its place in a file, and needs no network.
package agentdir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"agsh.dev/agent"
)

// A Config is what reading needs from outside. Its zero value works.
type Config struct {
	// Getenv reads the environment: PATH, to look for interpreters and
	// programs, and what ${NAME} stands for in connections and headers. Nil
	// leaves both out: variables stay as they are written, and URLs with them
	// are not looked at.
	Getenv func(string) string
}

// A Project is a folder with one agent or several.
type Project struct {
	Dir string // absolute
	// Agents are the agents by name. With errors among the problems they are
	// as complete as could be read, and must not be served.
	Agents []agent.Agent
	// Sources tell where each of Agents came from, in the same order.
	Sources []Source
}

// Close ends the file trees of the agents; they cannot be used afterwards.
func (p *Project) Close() error {
	var errs []error
	for _, a := range p.Agents {
		if c, ok := a.Root.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// A Source is where an agent came from.
type Source struct {
	Dir   string   // the agent's folder, absolute
	Files []string // what was read or is run, relative to Dir, with slashes, sorted
}

// namePattern is what agents and tools may be called.
var namePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

const nameRule = "a letter, then at most 63 letters, digits, _ or -"

// Read reads the project in dir: the agent in dir/agent, those in
// dir/agents/<name>, or the one that dir itself is when it has an agent.yaml.
// It returns all problems, sorted by file and line. The error is for a dir
// that cannot be read at all.
func Read(dir string, cfg Config) (*Project, []Problem, error) {
	if dir == "" {
		return nil, nil, errors.New("open project: --dir is empty; . is the current folder")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("open project %s: %w", dir, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, nil, fmt.Errorf("open project %s: %w; --dir names its folder", dir, cause(err))
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, nil, fmt.Errorf("read project %s: %w", dir, cause(err))
	}
	p := &projectReader{project: &Project{Dir: abs}, folder: newFolder(root, dir, "", cfg)}
	p.read(entries)
	sortProblems(p.folder.problems)
	return p.project, p.folder.problems, nil
}

// A projectReader finds the agents of a project.
type projectReader struct {
	project *Project
	folder  *folder
}

func (p *projectReader) read(entries []fs.DirEntry) {
	has := map[string]bool{}
	var layouts []string
	for _, e := range entries {
		has[e.Name()] = true
	}
	for _, layout := range []string{"agent", "agents", "agent.yaml"} {
		if has[layout] {
			layouts = append(layouts, layout)
		}
	}
	if len(layouts) > 1 {
		p.folder.report(place{file: "."}, LayoutConflict, "keep one of them",
			"the project has both %s: which one holds its agents?", strings.Join(layouts, " and "))
	}
	flat := len(layouts) == 1 && layouts[0] == "agent.yaml"
	switch {
	case flat:
		p.add(p.folder, filepath.Base(p.project.Dir), false)
		return
	case len(layouts) == 0:
		fix := "agent-sdk init <dir> makes an agent to start from"
		for _, e := range entries {
			if guess := meant(e); guess != "" {
				fix = "did you mean " + guess + " by " + quote(e.Name()) + "?"
			}
		}
		p.folder.report(place{file: "."}, NoAgent, fix, "there is no agent here: no agent/, no agents/<name>/, no agent.yaml")
	}
	if has["evals"] {
		p.folder.report(place{file: "evals"}, NotBuilt, "move it away until a version has it", "evals are not in this version")
	}
	if has["agent"] {
		p.open("agent", filepath.Base(p.project.Dir), false)
	}
	if has["agents"] {
		p.readAgents()
	}
}

// meant is the layout that an entry of a project is probably a slip of, or "".
func meant(e fs.DirEntry) string {
	if e.IsDir() {
		return near(e.Name(), []string{"agent", "agents"})
	}
	return near(e.Name(), []string{"agent.yaml"})
}

// readAgents reads agents/<name>.
func (p *projectReader) readAgents() {
	if !p.folder.isDir("agents") {
		return
	}
	found := false
	for _, e := range p.folder.list("agents") {
		found = true
		p.open(path.Join("agents", e), e, true)
	}
	if !found {
		p.folder.report(place{file: "agents"}, NoAgent, "make agents/<name>/agent.yaml", "agents/ holds no agent")
	}
}

// open reads the agent in the folder at rel. Named says that the folder's
// name is the agent's.
func (p *projectReader) open(rel, name string, named bool) {
	if !p.folder.isDir(rel) {
		return
	}
	root, err := p.folder.root.OpenRoot(rel)
	if err != nil {
		p.folder.report(place{file: rel}, FileUnreadable, "", "the folder cannot be opened: %s", reason(err))
		return
	}
	defer func() { _ = root.Close() }()
	f := newFolder(root, p.folder.project, rel, p.folder.cfg)
	p.add(f, name, named)
	p.folder.problems = append(p.folder.problems, f.problems...)
}

func (p *projectReader) add(f *folder, name string, named bool) {
	dir := filepath.Join(p.project.Dir, filepath.FromSlash(f.rel))
	r := agentReader{folder: f, dir: dir, named: named, agent: agent.Agent{Name: name}}
	r.read()
	for i := range f.problems {
		f.problems[i].Agent = r.agent.Name
	}
	p.project.Agents = append(p.project.Agents, r.agent)
	p.project.Sources = append(p.project.Sources, Source{Dir: dir, Files: f.sorted()})
}

// cause is what the system said, without the path around it.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

func reason(err error) string { return cause(err).Error() }
