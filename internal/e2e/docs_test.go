package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDocs runs every block fenced as sh in the Markdown files of the
// repository, in a copy of it and in order, as a reader would.
func TestDocs(t *testing.T) {
	root := filepath.Dir(output(t, ".", "go", "env", "GOMOD"))
	files := strings.Fields(output(t, root, "git", "ls-files"))
	work := filepath.Join(t.TempDir(), "agsh")
	var docs []string
	for _, f := range files {
		copyFile(t, filepath.Join(root, f), filepath.Join(work, f))
		if strings.HasSuffix(f, ".md") && !strings.Contains(f, "testdata") && !strings.HasPrefix(f, "internal/") {
			docs = append(docs, f)
		}
	}
	ran := 0
	for _, doc := range docs {
		b, err := os.ReadFile(filepath.Join(root, doc))
		if err != nil {
			t.Fatal(err)
		}
		blocks := fenced(string(b), "sh")
		ran += len(blocks)
		if len(blocks) == 0 {
			continue
		}
		t.Run(doc, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "sh", "-eux", "-c", strings.Join(blocks, "\n"))
			cmd.Dir = work
			cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir(), "GOFLAGS=-trimpath")
			cmd.WaitDelay = time.Second
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("the examples of %s: %v\n%s", doc, err, out)
			}
		})
	}
	if ran == 0 {
		t.Error("no example was found")
	}
}

// fenced returns the blocks of a Markdown text that are marked with lang.
func fenced(text, lang string) []string {
	var blocks []string
	var block []string
	inside := false
	for line := range strings.Lines(text) {
		switch mark := strings.TrimSpace(line); {
		case inside && mark == "```":
			blocks, block, inside = append(blocks, strings.Join(block, "")), nil, false
		case inside:
			block = append(block, line)
		case mark == "```"+lang:
			inside = true
		}
	}
	return blocks
}

func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return strings.TrimSpace(string(out))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Lstat(from)
	if os.IsNotExist(err) {
		return // deleted, and not committed yet
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, info.Mode()); err != nil {
		t.Fatal(err)
	}
}
