//go:build ignore

// ---
// title: Plan checks for a change
// description: |
//   Lists the files that changed between two commits, sorts them by rules and returns the checks they ask for,
//   highest risk first. Your own rules are tried before the built-in ones; a file goes to the first that matches.
//   A deleted file, and a change of more than `maxLines` lines, raise the risk by one.
// effect: read
// display: {kind: search, detail: range.head}
// timeout: 30s
// input:
//   type: object
//   additionalProperties: false
//   properties:
//     range:
//       type: object
//       description: The commits to compare. Default is the last branch that was merged.
//       additionalProperties: false
//       properties:
//         base: {type: string, minLength: 1, maxLength: 200, description: "Commit, tag or branch to compare from. Default is what `head` came after."}
//         head: {type: string, minLength: 1, maxLength: 200, description: "Commit, tag or branch to compare to. Default is the newest commit if `base` is given."}
//     policy:
//       type: object
//       description: How careful to be.
//       additionalProperties: false
//       properties:
//         floor: {type: string, enum: [low, medium, high], default: low, description: Leave out checks of less risk.}
//         maxLines: {type: integer, minimum: 1, maximum: 100000, default: 400, description: A change of more lines is riskier as a whole.}
//         rules:
//           type: array
//           description: Rules of your own.
//           maxItems: 50
//           items:
//             type: object
//             additionalProperties: false
//             required: [match, check, risk]
//             properties:
//               match: {type: string, minLength: 1, maxLength: 200, description: "Glob of paths: `*` within a folder, `**` across folders."}
//               check: {type: string, enum: [operations, compatibility, configuration, code, tests, documents, review]}
//               risk: {type: string, enum: [low, medium, high]}
//     owner:
//       type: [string, "null"]
//       description: Who carries the checks out. Null leaves them open.
//       maxLength: 100
// output:
//   type: object
//   required: [base, head, files, lines, plan, changes]
//   properties:
//     base: {type: string, description: Id of the commit compared from.}
//     head: {type: string, description: Id of the commit compared to.}
//     files: {type: integer, minimum: 0, description: How many files changed.}
//     lines: {type: integer, minimum: 0, description: Lines added and removed.}
//     plan:
//       type: array
//       items:
//         type: object
//         required: [risk, check, files, lines, why, how]
//         properties:
//           risk: {type: string, enum: [low, medium, high]}
//           check: {type: string}
//           files: {type: integer, description: How many of the changed files it is for.}
//           lines: {type: integer, description: Lines added and removed in these files.}
//           why: {type: string}
//           how: {type: string}
//           owner: {type: string}
//     changes:
//       type: array
//       description: The files of the plan, in its order.
//       items:
//         type: object
//         required: [check, lines, path]
//         properties:
//           check: {type: string}
//           lines: {type: integer}
//           path: {type: string}
// ---

// Plan_checks is a tool of the change-monitor example. It reads its arguments
// from standard input and prints the plan; the comment above is its manifest.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if err := run(context.Background(), os.Args[0], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, self string, in io.Reader, out io.Writer) error {
	args, err := readArguments(in)
	if err != nil {
		return err
	}
	repo, err := openRepository(self)
	if err != nil {
		return err
	}
	base, head, err := repo.resolve(ctx, args.Range)
	if err != nil {
		return err
	}
	files, err := repo.changed(ctx, base, head)
	if err != nil {
		return err
	}
	lines := 0
	for _, f := range files {
		lines += f.lines
	}
	tasks, changes := plan(files, lines, args)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(answer{Base: base, Head: head, Files: len(files), Lines: lines, Plan: tasks, Changes: changes})
}

type arguments struct {
	Range  commits `json:"range"`
	Policy policy  `json:"policy"`
	Owner  *string `json:"owner"`
}

type commits struct {
	Base string `json:"base"`
	Head string `json:"head"`
}

type policy struct {
	Floor    string `json:"floor"`
	MaxLines int    `json:"maxLines"`
	Rules    []rule `json:"rules"`
}

// A rule says what check the paths that match ask for.
type rule struct {
	Match string `json:"match"`
	Check string `json:"check"`
	Risk  string `json:"risk"`
}

// risks are in rising order.
var risks = []string{"low", "medium", "high"}

// builtin ends with a rule for every path.
var builtin = []rule{
	{"deploy/**", "operations", "high"},
	{"schema/**", "compatibility", "high"},
	{"**/*_test.go", "tests", "low"},
	{"**/*.go", "code", "medium"},
	{"**/*.json", "configuration", "medium"},
	{"**/*.yaml", "configuration", "medium"},
	{"**/go.mod", "configuration", "medium"},
	{"**/Makefile", "configuration", "medium"},
	{"**/*.md", "documents", "low"},
	{"**", "review", "low"},
}

// checks says how each check is done, in the order of a plan.
var checks = []struct{ name, how string }{
	{"operations", "Ask who is on call what fires sooner, or never."},
	{"compatibility", "Check older files against the new schema."},
	{"configuration", "Compare each new value with what reads it."},
	{"code", "Run go vet and go test; find other uses."},
	{"tests", "See that each fails without the change."},
	{"documents", "Find the code behind every promise."},
	{"review", "Read it."},
}

func readArguments(in io.Reader) (arguments, error) {
	args := arguments{Policy: policy{Floor: "low", MaxLines: 400}}
	dec := json.NewDecoder(in)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&args); err != nil {
		return args, fmt.Errorf("read arguments: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return args, errors.New("read arguments: there is more after the JSON object")
	}
	p := args.Policy
	if !slices.Contains(risks, p.Floor) {
		return args, fmt.Errorf("policy.floor: %q is not one of %s", p.Floor, strings.Join(risks, ", "))
	}
	if p.MaxLines < 1 || p.MaxLines > 100_000 {
		return args, fmt.Errorf("policy.maxLines: %d is not between 1 and 100000", p.MaxLines)
	}
	for i, r := range p.Rules {
		switch {
		case r.Match == "":
			return args, fmt.Errorf("policy.rules[%d].match: it is missing; give a glob such as internal/**", i)
		case !slices.Contains(risks, r.Risk):
			return args, fmt.Errorf("policy.rules[%d].risk: %q is not one of %s", i, r.Risk, strings.Join(risks, ", "))
		case how(r.Check) == "":
			return args, fmt.Errorf("policy.rules[%d].check: there is no check %q", i, r.Check)
		}
	}
	return args, nil
}

func how(check string) string {
	for _, c := range checks {
		if c.name == check {
			return c.how
		}
	}
	return ""
}

type answer struct {
	Base  string `json:"base"`
	Head  string `json:"head"`
	Files int    `json:"files"`
	Lines int    `json:"lines"`
	Plan  []task `json:"plan"`
	// Changes are apart from the plan, so that each reads well as a table.
	Changes []change `json:"changes"`
}

// A task is one row of the plan.
type task struct {
	Risk  string  `json:"risk"`
	Check string  `json:"check"`
	Files int     `json:"files"`
	Lines int     `json:"lines"`
	Why   string  `json:"why"`
	How   string  `json:"how"`
	Owner *string `json:"owner,omitempty"`

	changes []change
}

// A change is one file of the plan.
type change struct {
	Check string `json:"check"`
	Lines int    `json:"lines"`
	Path  string `json:"path"`
}

// plan sorts files, which changed by lines in all, into checks, highest risk
// first.
func plan(files []file, lines int, args arguments) ([]task, []change) {
	rules := compile(slices.Concat(args.Policy.Rules, builtin))
	tasks := make([]task, 0, len(checks)) // never null in JSON
	for _, c := range checks {
		t := task{Check: c.name, How: c.how, Owner: args.Owner}
		level, deleted := 0, 0
		var matches []string
		for _, f := range files {
			r := rules.of(f.path)
			if r.Check != c.name {
				continue
			}
			t.changes = append(t.changes, change{Check: c.name, Lines: f.lines, Path: f.path})
			t.Lines += f.lines
			level = max(level, slices.Index(risks, r.Risk))
			if f.deleted {
				deleted++
			}
			if !slices.Contains(matches, r.Match) {
				matches = append(matches, r.Match)
			}
		}
		if t.Files = len(t.changes); t.Files == 0 {
			continue
		}
		t.Why = strings.Join(matches, ", ")
		if deleted > 0 {
			level++
			t.Why += fmt.Sprintf("; %d deleted", deleted)
		}
		if lines > args.Policy.MaxLines {
			level++
			t.Why += fmt.Sprintf("; %d lines in all are more than %d", lines, args.Policy.MaxLines)
		}
		level = min(level, len(risks)-1)
		t.Risk = risks[level]
		if level >= slices.Index(risks, args.Policy.Floor) {
			tasks = append(tasks, t)
		}
	}
	slices.SortStableFunc(tasks, func(a, b task) int {
		return slices.Index(risks, b.Risk) - slices.Index(risks, a.Risk)
	})
	changes := make([]change, 0, len(files)) // never null in JSON
	for _, t := range tasks {
		changes = append(changes, t.changes...)
	}
	return tasks, changes
}

// A ruleset finds the first rule for a path.
type ruleset struct {
	rules []rule
	globs []*regexp.Regexp
}

func compile(rules []rule) ruleset {
	set := ruleset{rules: rules}
	for _, r := range rules {
		set.globs = append(set.globs, glob(r.Match))
	}
	return set
}

func (s ruleset) of(path string) rule {
	i := slices.IndexFunc(s.globs, func(g *regexp.Regexp) bool { return g.MatchString(path) })
	return s.rules[i] // the last one matches everything
}

// globWords are what is special in a quoted glob; all else means itself.
var globWords = strings.NewReplacer(`\*\*/`, `(?:.*/)?`, `\*\*`, `.*`, `\*`, `[^/]*`, `\?`, `[^/]`)

func glob(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?s)^` + globWords.Replace(regexp.QuoteMeta(pattern)) + `$`)
}

// A repository is the clone that is watched.
type repository string

// openRepository finds the clone from the place of this file: the path it was
// compiled from or, if that was trimmed away, the path it was started as.
func openRepository(self string) (repository, error) {
	if _, source, _, ok := runtime.Caller(0); ok && filepath.IsAbs(source) {
		self = source
	}
	self, err := filepath.Abs(self)
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return "", fmt.Errorf("find the repository from %s: %w", self, err)
	}
	dir := filepath.Join(filepath.Dir(self), "..", "..", "..", "tree", "repo")
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		return "", fmt.Errorf("the repository is not unpacked in %s; run the setup script of the change-monitor example", dir)
	}
	return repository(dir), nil
}

// A file is one that changed.
type file struct {
	path    string
	lines   int // added and removed; 0 if binary
	deleted bool
}

// changed lists what differs between two commits; a renamed file is one that
// was deleted and one that is new.
func (r repository) changed(ctx context.Context, base, head string) ([]file, error) {
	out, err := r.git(ctx, "diff", "--no-ext-diff", "--no-textconv", "--no-renames", "-z", "--numstat", base, head)
	if err != nil {
		return nil, err
	}
	gone, err := r.git(ctx, "diff", "--no-ext-diff", "--no-textconv", "--no-renames", "-z", "--name-only", "--diff-filter=D", base, head)
	if err != nil {
		return nil, err
	}
	deleted := strings.Split(gone, "\x00")
	var files []file
	for record := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		part := strings.SplitN(record, "\t", 3)
		if len(part) != 3 {
			continue // no record: nothing changed
		}
		added, _ := strconv.Atoi(part[0]) // "-" if binary
		removed, _ := strconv.Atoi(part[1])
		files = append(files, file{path: part[2], lines: added + removed, deleted: slices.Contains(deleted, part[2])})
	}
	return files, nil
}

// resolve turns names into commit ids and fills in what is left out.
func (r repository) resolve(ctx context.Context, c commits) (base, head string, err error) {
	if c.Base == "" && c.Head == "" {
		if c.Head, err = r.git(ctx, "rev-list", "-1", "--first-parent", "--merges", "HEAD"); err != nil {
			return "", "", err
		}
	}
	if c.Head == "" {
		c.Head = "HEAD"
	}
	if head, err = r.commit(ctx, c.Head); err != nil {
		return "", "", fmt.Errorf("range.head: %w", err)
	}
	if c.Base == "" {
		if base, err = r.commit(ctx, head+"^"); err != nil {
			return "", "", fmt.Errorf("range.head: %s has nothing before it; say which base to compare with", c.Head)
		}
		return base, head, nil
	}
	if base, err = r.commit(ctx, c.Base); err != nil {
		return "", "", fmt.Errorf("range.base: %w", err)
	}
	return base, head, nil
}

// commit returns the id of the commit ref names. A ref that looks like an
// option names none.
func (r repository) commit(ctx context.Context, ref string) (string, error) {
	if strings.HasPrefix(ref, "-") || strings.ContainsRune(ref, 0) {
		return "", fmt.Errorf("no commit is called %q", ref)
	}
	id, err := r.git(ctx, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("no commit is called %q", ref)
	}
	return id, nil
}

// git runs git in the clone and returns what it prints. HOME is the session's
// workspace, where the agent can write, so no configuration but the clone's
// own is read.
func (r repository) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir=.git", "--work-tree=."}, args...)...)
	cmd.Dir = string(r)
	cmd.Env = append(os.Environ(), "HOME=/dev/null", "XDG_CONFIG_HOME=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}
