package agentdir

import (
	"bytes"
	"io/fs"
	"path/filepath"

	"agsh.dev/internal/term/text"
)

// scripts takes scripts/ as it is: programs for the model, not tools.
func (r *agentReader) scripts() {
	if !r.isDir("scripts") {
		return
	}
	r.agent.Scripts = filepath.Join(r.dir, "scripts")
	for _, file := range r.walk("scripts") {
		info, err := r.root.Stat(file)
		if err != nil || info.Mode()&fs.FileMode(0o111) != 0 {
			continue
		}
		if head, ok := r.head(file, 2); ok && bytes.Equal(head, []byte("#!")) {
			r.report(place{file: file}, ScriptNotExecutable, "chmod +x "+text.ShellWord(r.shown(file)), "the script says what runs it and may not be executed")
		}
	}
}
