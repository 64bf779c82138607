package openai_test

import (
	"bytes"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the streams are read as to testdata")

func dialects(tb testing.TB) map[string][]byte {
	tb.Helper()
	files, err := filepath.Glob("testdata/*.sse")
	if err != nil || len(files) == 0 {
		tb.Fatalf("testdata: %v, %v", files, err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		if all[file], err = os.ReadFile(file); err != nil {
			tb.Fatal(err)
		}
	}
	return all
}

func TestDialects(t *testing.T) {
	for file, body := range dialects(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			got, shown := stream(t, bytes.NewReader(body))
			golden := strings.TrimSuffix(file, ".sse") + ".json"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			again, shownAgain := stream(t, iotest.OneByteReader(bytes.NewReader(body)))
			if again != got || !maps.Equal(shown, shownAgain) {
				t.Errorf("byte by byte it is\n%s", again)
			}
		})
	}
}

// cuts reads from r in pieces as long as the bytes of sizes say.
type cuts struct {
	r     io.Reader
	sizes []byte
	i     int
}

func (c *cuts) Read(b []byte) (int, error) {
	n := len(b)
	if len(c.sizes) > 0 {
		n = 1 + int(c.sizes[c.i%len(c.sizes)])
		c.i++
	}
	return c.r.Read(b[:min(n, len(b))])
}

// However a stream is cut into reads, it is the same answer, and what was
// shown is what is said; whatever bytes come, nothing breaks.
func FuzzSplit(f *testing.F) {
	for _, body := range dialects(f) {
		f.Add(body, []byte{0, 7, 255})
	}
	f.Fuzz(func(t *testing.T, body, sizes []byte) {
		want, wantShown := stream(t, bytes.NewReader(body))
		got, shown := stream(t, &cuts{r: bytes.NewReader(body), sizes: sizes})
		if got != want || !maps.Equal(shown, wantShown) {
			t.Errorf("cut into %v it is\n%s\nand whole\n%s", sizes, got, want)
		}
	})
}
