//go:build unix

package changemonitor_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// setup runs the script of the example in dir, with env added.
func setup(dir string, env ...string) (string, error) {
	cmd := exec.Command(filepath.Join(dir, "setup"))
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func mustSetUp(t *testing.T, dir string, env ...string) {
	t.Helper()
	if out, err := setup(dir, env...); err != nil || out != "" {
		t.Fatalf("setup: %v\n%s", err, out)
	}
	if status := git(t, dir, "status", "--porcelain"); status != "" {
		t.Errorf("the clone is not clean:\n%s", status)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "tree"))
	if err != nil || len(entries) != 1 || entries[0].Name() != "repo" {
		t.Errorf("tree holds %v (%v), want repo alone", entries, err)
	}
}

func TestSetupUnpacksAHistoryWorthMonitoring(t *testing.T) {
	t.Parallel()
	dir := copied(t)
	mustSetUp(t, dir)
	for _, tt := range []struct {
		what string
		args []string
		want int
	}{
		{"commits", []string{"log", "--format=%H"}, 14},
		{"merges", []string{"log", "--merges", "--format=%H"}, 2},
		{"authors", []string{"shortlog", "-s", "HEAD"}, 2},
		{"tags", []string{"tag"}, 2},
		{"renames", []string{"log", "--diff-filter=R", "-M", "--format=", "--name-only"}, 2},
		{"deletions", []string{"log", "--diff-filter=D", "-M", "--format=", "--name-only"}, 1},
		{"remotes", []string{"remote"}, 0},
	} {
		if got := len(slices.Collect(strings.Lines(git(t, dir, tt.args...)))); got != tt.want {
			t.Errorf("%d %s, want %d", got, tt.what, tt.want)
		}
	}
	if info, err := os.Stat("repo.bundle"); err != nil || info.Size() > 200<<10 {
		t.Errorf("repo.bundle: %v, %v, want at most 200 KB", info, err)
	}
}

func TestSetupAgainKeepsWork(t *testing.T) {
	t.Parallel()
	dir := copied(t)
	mustSetUp(t, dir)
	git(t, dir, "commit", "--quiet", "--allow-empty", "-m", "Work of mine") // by the clone's own identity
	mustSetUp(t, dir)
	if got := git(t, dir, "log", "-1", "--format=%s by %an"); got != "Work of mine by executor" {
		t.Errorf("the newest commit is %q", got)
	}
}

func TestSetupIgnoresTheCallersGit(t *testing.T) {
	t.Parallel()
	dir, home := copied(t), t.TempDir()
	hooks := filepath.Join(home, "hooks")
	if err := os.Mkdir(hooks, 0o755); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("[core]\n\thooksPath = %s\n\tautocrlf = true\n[init]\n\ttemplateDir = %s\n[clone]\n\tdefaultRemoteName = upstream\n[user]\n\tname = Caller\n", hooks, home)
	for name, content := range map[string]string{".gitconfig": config, "hooks/post-checkout": "#!/bin/sh\ntouch " + home + "/hook-was-run\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	mustSetUp(t, dir, "HOME="+home, "GIT_DIR="+home+"/nowhere", "GIT_INDEX_FILE="+home+"/index", "GIT_CONFIG_GLOBAL="+home+"/.gitconfig", "CDPATH=/")
	if _, err := os.Stat(filepath.Join(home, "hook-was-run")); err == nil {
		t.Error("the caller's hook was run")
	}
	if config := git(t, dir, "config", "--local", "--list"); strings.Contains(config, "Caller") || strings.Contains(config, "upstream") {
		t.Errorf("the caller's settings are in the clone:\n%s", config)
	}
}

func TestSetupManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := copied(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if out, err := setup(dir); err != nil {
				t.Errorf("setup: %v\n%s", err, out)
			}
		})
	}
	all.Wait()
	mustSetUp(t, dir)
	if _, err := os.Stat(filepath.Join(dir, "tree", "repo", "repo")); err == nil {
		t.Error("one clone is inside the other")
	}
}

// path is a folder for PATH in which git is the script given, or absent.
func path(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sh", "dirname", "mkdir", "mv", "rm"} {
		program, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if script != "" {
		if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSetupInterruptedLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	for _, signal := range []string{"INT", "TERM", "KILL"} {
		t.Run(signal, func(t *testing.T) {
			dir := copied(t)
			script := fmt.Sprintf("#!/bin/sh\n%s \"$@\" || exit\ncase \" $* \" in *' clone '*) kill -%s $PPID ;; esac\n", real, signal)
			if out, err := setup(dir, "PATH="+path(t, script)); err == nil {
				t.Fatalf("setup succeeded: %s", out)
			}
			if _, err := os.Stat(filepath.Join(dir, "tree", "repo")); err == nil {
				t.Error("tree/repo is there")
			}
			mustSetUp(t, dir)
		})
	}
}

func TestSetupRefuses(t *testing.T) {
	t.Parallel()
	t.Run("without git", func(t *testing.T) {
		out, err := setup(copied(t), "PATH="+path(t, ""))
		if err == nil || !strings.Contains(out, "git is not installed") {
			t.Errorf("error = %v, output %q", err, out)
		}
	})
	t.Run("to replace what it did not put there", func(t *testing.T) {
		dir := copied(t)
		mine := filepath.Join(dir, "tree", "repo", "mine")
		if err := os.MkdirAll(mine, 0o755); err != nil {
			t.Fatal(err)
		}
		out, err := setup(dir)
		if err == nil || !strings.Contains(out, "Move it away") {
			t.Errorf("error = %v, output %q", err, out)
		}
		if _, err := os.Stat(mine); err != nil {
			t.Error("it was deleted")
		}
	})
	t.Run("a bundle that is cut off", func(t *testing.T) {
		dir := copied(t)
		if err := os.Truncate(filepath.Join(dir, "repo.bundle"), 10_000); err != nil {
			t.Fatal(err)
		}
		if out, err := setup(dir); err == nil {
			t.Errorf("setup succeeded: %s", out)
		}
		if _, err := os.Stat(filepath.Join(dir, "tree", "repo")); err == nil {
			t.Error("tree/repo is there")
		}
	})
}
