//go:build unix

package scripttool

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// A group whose members are dead is over, also where nobody takes note of
// their end at once, as in containers whose first process is no init.
func TestACancelDoesNotWaitForTheDead(t *testing.T) {
	cfg := config()
	cfg.Grace = time.Minute
	ctx, cancel := context.WithCancel(callIn(t.Context(), t.TempDir()))
	time.AfterFunc(50*time.Millisecond, cancel)
	began := time.Now()
	// The child is orphaned by the same signal that ends it.
	if _, err := New(script(t, "#!/bin/sh\nsleep 1000 & sleep 1000\n"), cfg).Run(ctx, json.RawMessage("{}")); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

// A tool may be replaced while it is served: a call runs the old one, the new
// one, or says what is wrong.
func TestAToolIsReplacedWhileItIsServed(t *testing.T) {
	e := script(t, "#!/bin/sh\necho old\n")
	f := New(e, config())
	ctx := callIn(t.Context(), t.TempDir())
	replaced := e.Path + ".new"
	if err := os.WriteFile(replaced, []byte("#!/bin/sh\necho new\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(replaced, e.Path); err != nil {
		t.Fatal(err)
	}
	if res, err := f.Run(ctx, nil); err != nil || res.Content[0].Text != "new\n" {
		t.Errorf("after a rename = %+v, %v", res, err)
	}
	open, err := os.OpenFile(e.Path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Run(ctx, nil); err != nil && !strings.Contains(err.Error(), "renaming a finished file over it") {
		t.Errorf("while it is written = %v", err)
	}
	open.Close()
	if err := os.Remove(e.Path); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Run(ctx, nil); err == nil || !strings.Contains(err.Error(), "the file is gone") {
		t.Errorf("after a remove = %v", err)
	}
}
