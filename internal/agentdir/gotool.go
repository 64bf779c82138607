package agentdir

import (
	"bytes"
	"go/build/constraint"
)

// goTool checks what a tool in Go needs beside its manifest.
func (r *agentReader) goTool(file string, head []byte) {
	if r.cfg.Getenv != nil && !onPath("go", r.cfg.Getenv("PATH")) {
		r.report(place{file: file}, InterpreterMissing, "install Go, or build the tool and name it without .go", "the go command, which builds it, is not on PATH")
	}
	if built(head) {
		r.report(place{file: file, line: 1, col: 1}, BuildTagMissing, "begin it with the line //go:build ignore and an empty one",
			"go build and go vet of a module around it take all .go files here for one program")
	}
}

// built reports whether the go command takes a file for part of the package
// of its folder: no constraint above the package clause says otherwise.
func built(head []byte) bool {
	for line := range bytes.Lines(head) {
		line := string(bytes.TrimSpace(line))
		if constraint.IsGoBuild(line) {
			expr, err := constraint.Parse(line)
			return err != nil || expr.Eval(func(tag string) bool { return tag != "ignore" })
		}
		if len(line) > 8 && line[:8] == "package " {
			break
		}
	}
	return true
}
