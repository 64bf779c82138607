package sqlitestore

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"agsh.dev/event"
	"agsh.dev/internal/session"
)

// killDir tells a copy of the test program to append to the store there until
// it is killed.
const killDir = "SQLITESTORE_KILL_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killDir); dir != "" {
		if err := appendForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// appendForever appends to a few sessions at once and prints what was
// acknowledged.
func appendForever(dir string) error {
	s, err := Open(dir, Config{})
	if err != nil {
		return err
	}
	ctx := context.Background()
	failed := make(chan error)
	for i := range 4 {
		go func() {
			id := fmt.Sprintf("ses_%d", i)
			l, err := session.Open(ctx, session.Config{Store: s}, id)
			if err != nil {
				l, err = session.Create(ctx, session.Config{Store: s}, id, "ann", event.SessionStarted{Agent: "a"})
			}
			for n := 0; err == nil; n++ {
				var got []event.Event
				events := []event.Event{{Data: notice}, {Data: notice}, {Data: notice}}
				if got, err = l.Append(ctx, events[:1+n%3]...); err == nil {
					_, err = fmt.Printf("%s %d\n", id, got[len(got)-1].Seq)
				}
			}
			failed <- err
		}()
	}
	return <-failed
}

func TestKilledProcessesLoseNothingAcknowledged(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: it kills 20 processes")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	acknowledged := map[string]int64{}
	for range 20 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), killDir+"="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// The moment is counted in answers, so that a slow machine still gets
		// to some, and falls anywhere in what the process does meanwhile.
		lines := bufio.NewScanner(out)
		for left := 1 + rand.IntN(150); lines.Scan(); left-- {
			var id string
			var seq int64
			if _, err := fmt.Sscanf(lines.Text(), "%s %d\n", &id, &seq); err != nil {
				break // the last line may be torn
			}
			acknowledged[id] = max(acknowledged[id], seq)
			if left == 0 {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the process ended by itself")
		}
		verify(t, dir, acknowledged, 0)
	}
	if len(acknowledged) == 0 {
		t.Error("nothing was ever acknowledged")
	}
}
