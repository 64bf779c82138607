//go:build unix

package scripttool

import (
	"encoding/json"
	"os"
	"testing"

	"agsh.dev/agent"
)

// BenchmarkRun is one call of the smallest program; its floor is what the
// same program costs when it is only started and waited for.
func BenchmarkRun(b *testing.B) {
	const program = "/bin/true"
	workspace := b.TempDir()
	b.Run("floor", func(b *testing.B) {
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			b.Fatal(err)
		}
		defer null.Close()
		for b.Loop() {
			p, err := os.StartProcess(program, []string{program}, &os.ProcAttr{
				Dir: workspace, Env: []string{"PATH=/bin"}, Files: []*os.File{null, null, null},
			})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := p.Wait(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("tool", func(b *testing.B) {
		f := New(agent.Executable{Definition: agent.Definition{Name: "true"}, Path: program}, Config{})
		ctx := callIn(b.Context(), workspace)
		args := json.RawMessage(`{"path":"/a"}`)
		for b.Loop() {
			if res, err := f.Run(ctx, args); err != nil || res.IsError {
				b.Fatal(res, err)
			}
		}
	})
}
