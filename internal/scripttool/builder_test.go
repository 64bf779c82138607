package scripttool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"agsh.dev/agent"
)

const goTool = `//go:build ignore

// ---
// description: Echo.
// ---
package main

import (
	"io"
	"os"
)

func main() { _, _ = io.Copy(os.Stdout, os.Stdin) }
`

func goFile(t *testing.T, text string) agent.Executable {
	t.Helper()
	path := filepath.Join(t.TempDir(), "echo.go")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return agent.Executable{Definition: agent.Definition{Name: "echo"}, Path: path}
}

func TestAGoFileIsBuiltOnceForItsContent(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds a program")
	}
	// A go command that counts its runs stands before the real one.
	bin, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	wrapper := "#!/bin/sh\necho build >> " + log + "\nPATH=${PATH#*:} exec go \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	cfg := config()
	cfg.CacheDir = filepath.Join(t.TempDir(), "cache")
	cfg.Getenv = func(name string) string {
		if name == "PATH" {
			return bin + ":" + os.Getenv("PATH")
		}
		return os.Getenv(name)
	}
	f := New(goFile(t, goTool), cfg)
	workspace := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			res, err := f.Run(callIn(t.Context(), workspace), json.RawMessage(`{"a":1}`))
			if err != nil || string(res.Structured) != `{"a":1}` {
				t.Errorf("Run = %v, %v", res, err)
			}
		})
	}
	wg.Wait()
	got, err := os.ReadFile(log)
	if err != nil || string(got) != "build\n" {
		t.Errorf("the go command ran %q, %v; want one build", got, err)
	}
	if info, err := os.Stat(cfg.CacheDir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("cache directory: %v, %v; want mode 0700", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(cfg.CacheDir, "build-*")); len(left) > 0 {
		t.Errorf("left in the cache: %q", left)
	}
}

func TestBuildTimeIsNotTheToolsTime(t *testing.T) {
	if got, want := New(goFile(t, goTool), config()).Timeout, agent.DefaultTimeout+buildLimit; got != want {
		t.Errorf("timeout of a Go tool = %s, want %s", got, want)
	}
}

func TestBuildErrorsAreTheCompilersWords(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds a program")
	}
	cfg := config()
	cfg.CacheDir = filepath.Join(t.TempDir(), "cache")
	_, err := New(goFile(t, "package main\nfunc main() { nothing() }\n"), cfg).Run(callIn(t.Context(), t.TempDir()), nil)
	if err == nil || !strings.Contains(err.Error(), "echo.go:2:15: undefined: nothing") {
		t.Errorf("error = %v, want the compiler's", err)
	}
}

func TestNoGoCommandIsSaid(t *testing.T) {
	cfg := config()
	cfg.CacheDir = filepath.Join(t.TempDir(), "cache")
	cfg.Getenv = func(string) string { return "" }
	_, err := New(goFile(t, goTool), cfg).Run(callIn(t.Context(), t.TempDir()), nil)
	if err == nil || !strings.Contains(err.Error(), "needs the go command") {
		t.Errorf("error = %v, want one about the go command", err)
	}
}

// Also for a program that is there already: whoever may write to the cache
// could have put it there.
func TestACacheOthersCanWriteToIsRefused(t *testing.T) {
	cfg := config()
	cfg.CacheDir = filepath.Join(t.TempDir(), "cache")
	// Stands for a compiler: it makes a program that says who it is.
	bin := t.TempDir()
	fake := "#!/bin/sh\nfor a; do [ \"$last\" = -o ] && out=$a; last=$a; done\nprintf '#!/bin/sh\\necho built\\n' > \"$out\" && chmod +x \"$out\"\n"
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	cfg.Getenv = func(string) string { return bin + ":/bin:/usr/bin" }
	tool := New(goFile(t, goTool), cfg)
	if res, err := tool.Run(callIn(t.Context(), t.TempDir()), nil); err != nil || res.Content[0].Text != "built\n" {
		t.Fatalf("Run = %v, %v", res, err)
	}
	if err := os.Chmod(cfg.CacheDir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := tool.Run(callIn(t.Context(), t.TempDir()), nil); err == nil || !strings.Contains(err.Error(), "other users") {
		t.Errorf("error = %v, want a refusal", err)
	}
}

func TestGoFilesNeedACache(t *testing.T) {
	cfg := config()
	if _, err := New(goFile(t, goTool), cfg).Run(callIn(t.Context(), t.TempDir()), nil); err == nil || !strings.Contains(err.Error(), "none is configured") {
		t.Errorf("error = %v, want one about the cache", err)
	}
}
