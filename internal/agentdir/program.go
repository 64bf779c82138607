package agentdir

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"agsh.dev/internal/term/text"
)

// A starter is the first word of a command line, and from where it counts.
type starter struct {
	node  *yaml.Node
	what  string // its key
	name  string // with variables replaced
	dir   string // absolute; relative paths start here
	where string // dir, for a sentence
	args  bool   // the other words have a key of their own
}

// startable returns the program as it is started: absolute, or a name that is
// looked up in PATH. Names are looked up here as well if search is set.
func (r *agentReader) startable(d document, s starter, search bool) (string, bool) {
	switch {
	case strings.TrimSpace(s.name) == "":
		d.invalid(s.node, "", "%s: want a program, got nothing", s.what)
		return "", false
	case d.open(s.name):
		return s.name, true
	case filepath.IsAbs(s.name) || !strings.ContainsRune(s.name, '/'):
		return s.name, r.lookUp(d, s, search)
	}
	abs := filepath.Join(s.dir, filepath.FromSlash(s.name))
	info, err := os.Stat(abs)
	switch {
	case err != nil || !info.Mode().IsRegular():
		fix := ""
		if strings.HasPrefix(s.name, "~/") {
			fix = "~ means nothing here: write the whole path"
		}
		d.invalid(s.node, fix, "%s: there is no program %s in %s", s.what, quote(s.node.Value), s.where)
		return "", false
	case info.Mode()&fs.FileMode(0o111) == 0:
		fix := "make it executable"
		if s.name == s.node.Value {
			fix = "chmod +x " + text.ShellWord(r.near(abs))
		}
		d.report(d.at(s.node), ExecBitMissing, fix, "%s: the program may not be executed", s.what)
		return "", false
	}
	if rel, err := filepath.Rel(r.dir, abs); err == nil && filepath.IsLocal(rel) {
		r.files[filepath.ToSlash(rel)] = true
	}
	return abs, true
}

// near is a path as the caller can open it.
func (r *agentReader) near(abs string) string {
	if rel, err := filepath.Rel(r.dir, abs); err == nil && filepath.IsLocal(rel) {
		return r.shown(filepath.ToSlash(rel))
	}
	return abs
}

// lookUp reports a program that this machine does not have; another one may.
// It reports false for what no machine has.
func (r *agentReader) lookUp(d document, s starter, search bool) bool {
	if r.cfg.Getenv == nil || !search || onPath(s.name, r.cfg.Getenv("PATH")) {
		return true
	}
	if words := strings.Fields(s.node.Value); len(words) > 1 && !filepath.IsAbs(s.name) {
		fix := "split it: " + flow(words)
		if s.args {
			fix = "write command: " + words[0] + " and args: " + flow(words[1:])
		}
		d.invalid(s.node, fix, "%s: %s is more than one word, and no shell splits it", s.what, quote(s.node.Value))
		return false
	}
	where := "on this machine"
	if !filepath.IsAbs(s.name) {
		where = "on PATH"
	}
	d.report(d.at(s.node), ProgramMissing, "install it, or name another", "%s: the program %s is not %s", s.what, quote(s.node.Value), where)
	return true
}

// flow writes words as a YAML list on one line.
func flow(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		plain := &yaml.Node{Kind: yaml.ScalarNode, Value: w}
		if strings.ContainsAny(w, "{}[],:#&*!|>'\"%@`?\\ ") || w == "-" || plain.ShortTag() != "!!str" {
			out[i] = quoteWhole(w)
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// quoteWhole writes s as a YAML string in quotes.
func quoteWhole(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
