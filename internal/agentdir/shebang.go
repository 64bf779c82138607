package agentdir

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// shebang checks that the first line of a script can start it.
func (r *agentReader) shebang(file string, head []byte) {
	at := place{file: file, line: 1, col: 1}
	first, _, _ := bytes.Cut(head, []byte("\n"))
	line, ok := strings.CutPrefix(string(first), "#!")
	if !ok {
		fix := "begin it with a line such as #!/bin/sh"
		if bytes.HasPrefix(head, []byte("\uFEFF#!")) {
			fix = "save the file without a byte order mark"
		}
		r.report(at, ShebangInvalid, fix, "the script does not say what runs it")
		return
	}
	if strings.HasSuffix(line, "\r") {
		r.report(at, ShebangInvalid, "save the file with Unix line ends", "the first line ends with a carriage return, which becomes part of the interpreter's name")
		return
	}
	words := strings.Fields(line)
	switch {
	case len(words) == 0:
		r.report(at, ShebangInvalid, "begin it with a line such as #!/bin/sh", "the first line names no interpreter")
	case !filepath.IsAbs(words[0]):
		r.report(at, ShebangInvalid, "#!/usr/bin/env "+words[0], "the interpreter %s is not an absolute path", quote(words[0]))
	case filepath.Base(words[0]) == "env":
		r.envShebang(at, words)
	case r.cfg.Getenv != nil && !isProgram(words[0]):
		r.report(at, InterpreterMissing, "install it, or name another", "the interpreter %s is not on this machine", words[0])
	}
}

// envShebang checks "#!/usr/bin/env name". The system passes all that
// follows env as one word, unless -S splits it.
func (r *agentReader) envShebang(at place, words []string) {
	args := words[1:]
	split := len(args) > 0 && strings.HasPrefix(args[0], "-S")
	if split {
		args = slices.DeleteFunc(append([]string{strings.TrimPrefix(args[0], "-S")}, args[1:]...), func(w string) bool {
			return w == "" || strings.Contains(w, "=")
		})
	}
	switch {
	case len(args) == 0:
		r.report(at, ShebangInvalid, "#!/usr/bin/env sh", "the first line names no interpreter")
	case len(args) > 1 && !split:
		r.report(at, ShebangInvalid, "#!"+words[0]+" -S "+strings.Join(args, " "),
			"env takes all of %s for the name of one program", quote(strings.Join(args, " ")))
	case r.cfg.Getenv != nil && !strings.HasPrefix(args[0], "-") && !onPath(args[0], r.cfg.Getenv("PATH")):
		r.report(at, InterpreterMissing, "install it, or name another", "the interpreter %s is not on PATH", args[0])
	}
}

func isProgram(file string) bool {
	_, err := exec.LookPath(file)
	return err == nil
}

func onPath(name, path string) bool {
	if filepath.IsAbs(name) {
		return isProgram(name)
	}
	return slices.ContainsFunc(filepath.SplitList(path), func(dir string) bool {
		return filepath.IsAbs(dir) && isProgram(filepath.Join(dir, name))
	})
}
