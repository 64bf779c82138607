package agentdir

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what is reported into the golden files")

// lay writes the files of an archive below a new folder. A file that begins
// with #! may be executed. The lines of the archive's comment are commands:
//
//	chmod 644 PATH | mkdir PATH | mkfifo PATH | link PATH TARGET | size PATH BYTES | hex PATH DIGITS
func lay(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.Mkdir(dir, 0o755))
	for _, f := range a.Files {
		if f.Name == "want" {
			continue
		}
		mode := os.FileMode(0o644)
		if bytes.HasPrefix(f.Data, []byte("#!")) {
			mode = 0o755
		}
		path := filepath.Join(dir, f.Name)
		check(os.MkdirAll(filepath.Dir(path), 0o755))
		check(os.WriteFile(path, f.Data, mode))
	}
	for line := range strings.Lines(string(a.Comment)) {
		word := strings.Fields(line)
		if len(word) < 2 || word[0] == "#" {
			continue
		}
		path := filepath.Join(dir, word[1])
		switch word[0] {
		case "chmod":
			check(os.Chmod(filepath.Join(dir, word[2]), 0o644))
		case "mkdir":
			check(os.MkdirAll(path, 0o755))
		case "mkfifo":
			check(syscall.Mkfifo(path, 0o644))
		case "link":
			check(os.MkdirAll(filepath.Dir(path), 0o755))
			check(os.Symlink(word[2], path))
		case "size":
			var size int
			_, err := fmt.Sscan(word[2], &size)
			check(err)
			check(os.WriteFile(path, bytes.Repeat([]byte("x"), size), 0o644))
		case "hex":
			b, err := hex.DecodeString(word[2])
			check(err)
			check(os.MkdirAll(filepath.Dir(path), 0o755))
			check(os.WriteFile(path, b, 0o755))
		default:
			t.Fatalf("unknown command %q", line)
		}
	}
	return dir
}

func render(problems []Problem) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}

// Every file of testdata is a project and, as "want", what is reported of it.
// Together they have every code.
func TestProblems(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	goCommand := t.TempDir()
	if err := os.WriteFile(filepath.Join(goCommand, "go"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	seen := map[Code]bool{}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(lay(t, a))
			environment := map[string]string{
				"PATH": "/usr/bin:/bin:" + goCommand, "TOKEN": "example_token_123", "LINES": "a\nb", "WHERE": "http://user:hunter2@h/",
			}
			project, problems, err := Read(".", Config{Getenv: func(name string) string { return environment[name] }})
			if err != nil {
				t.Fatal(err)
			}
			defer project.Close()
			for _, p := range problems {
				seen[p.Code] = true
			}
			got := render(problems)
			for _, secret := range []string{"example_token_123", "hunter2"} {
				if strings.Contains(got, secret) {
					t.Errorf("the problems tell %s", secret)
				}
			}
			last := len(a.Files) - 1
			if a.Files[last].Name != "want" {
				t.Fatal("the last file must be want")
			}
			if *update {
				file := filepath.Join(here, file)
				a.Files[last].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(a.Files[last].Data), got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
	for _, info := range Codes {
		if !seen[info.Code] {
			t.Errorf("no golden file has %s", info.Code)
		}
	}
}
