//go:build unix

package stdio

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func session(t *testing.T, cfg Config) (*Transport, *mcp.ClientSession) {
	t.Helper()
	tr := New(cfg)
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return tr, s
}

func size(s *mcp.ClientSession, n int) (int, error) {
	res, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "size", Arguments: map[string]any{"n": n}})
	if err != nil {
		return 0, err
	}
	return len(res.Content[0].(*mcp.TextContent).Text), nil
}

// A long answer arrives, one past the limit fails alone.
func TestR31_LinesAreLong(t *testing.T) {
	_, s := session(t, self(t, "mcp"))
	for _, n := range []int{65_535, 65_537, 5_000_000, 1} {
		if got, err := size(s, n); got != n || err != nil {
			t.Errorf("answer of %d bytes = %d, %v", n, got, err)
		}
	}

	cfg := self(t, "mcp")
	cfg.MaxMessage = 100_000
	_, s = session(t, cfg)
	for range 2 {
		_, err := size(s, 500_000)
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || !strings.Contains(err.Error(), "over the limit of 100000") {
			t.Errorf("answer past the limit: %v", err)
		}
		if got, err := size(s, 90_000); got != 90_000 || err != nil {
			t.Errorf("answer after it = %d, %v", got, err)
		}
	}
}

// Stray text on standard output is skipped.
func TestR32_BannerIsSkipped(t *testing.T) {
	junk := make(chan string, 10)
	cfg := self(t, "banner")
	cfg.Junk = func(line string) { junk <- line }
	_, s := session(t, cfg)
	if got, err := size(s, 3); got != 3 || err != nil {
		t.Errorf("size = %d, %v", got, err)
	}
	s.Close()
	close(junk)
	want := []string{"ready", "", `{"jsonrpc":`, "1", "2", `{"level":"info"}`}
	if got := slices.Collect(values(junk)); !slices.Equal(got, want) {
		t.Errorf("junk = %q, want %q", got, want)
	}
}

func values[T any](c <-chan T) func(func(T) bool) {
	return func(yield func(T) bool) {
		for v := range c {
			if !yield(v) {
				return
			}
		}
	}
}

// Nothing of the group is left after Close, whoever was in it.
func TestR39_GroupEndsWithClose(t *testing.T) {
	const grandchild = `sleep 1000 & ` + tellPID + `$!; `
	for _, tt := range []struct {
		name, script string
		grace        time.Duration
		signal       string
	}{
		{"server ends at the end of its input", tellPID + `$$; while read x; do :; done`, patient, ""},
		{"all end at the end of input", `exec 3<&0; cat <&3 >/dev/null & ` + tellPID + `$!; while read x; do :; done; wait`, patient, ""},
		{"launcher waits", grandchild + `wait`, 50 * time.Millisecond, "terminated"},
		{"server ignores TERM", `trap "" TERM; ` + grandchild + `wait`, 50 * time.Millisecond, "killed"},
		{"launcher ends first", grandchild + `read x`, 50 * time.Millisecond, ""},
		{"launcher ends first, grandchild ignores TERM", `trap "" TERM; ` + grandchild + `read x`, 50 * time.Millisecond, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := sh(tt.script)
			cfg.Grace = tt.grace
			tr, conn := connect(t, cfg)
			pid := readPID(t, conn)
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
			if lives(pid) || lives(-tr.process.Load().pid) {
				t.Errorf("after Close process %d or its group lives", pid)
			}
			exit := tr.Exit()
			if exit == nil || (tt.signal == "") != (exit.Signal == 0) || tt.signal != "" && exit.Signal.String() != tt.signal {
				t.Errorf("exit = %v, want signal %q", exit, tt.signal)
			}
		})
	}
}

// A server that ends by itself takes its group along.
func TestR39_GroupEndsWithServer(t *testing.T) {
	_, conn := connect(t, sh(`sleep 1000 & `+tellPID+`$!; read x; printf 'why\nno such thing\n' >&2; exit 3`))
	pid := readPID(t, conn)
	if err := conn.Write(t.Context(), notification(`[]`)); err != nil {
		t.Fatal(err)
	}
	_, err := conn.Read(t.Context())
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 3 || err.Error() != "server exited with status 3: no such thing" {
		t.Errorf("Read = %v", err)
	}
	awaitEnd(t, pid)
	if _, again := conn.Read(t.Context()); again != err {
		t.Errorf("Read once more = %v, want %v", again, err)
	}
}

// Who left the group cannot be found, but holds nobody up.
func TestR39_DetachedProcessHoldsNobody(t *testing.T) {
	for _, then := range []string{"exit", "wait"} {
		t.Run(then, func(t *testing.T) {
			t.Parallel()
			cfg := self(t, "detach", "THEN="+then)
			cfg.Grace = 100 * time.Millisecond
			_, conn := connect(t, cfg)
			pid := readPID(t, conn)
			t.Cleanup(func() { kill(t, pid) })
			if then == "exit" {
				var exit *ExitError
				if _, err := conn.Read(t.Context()); !errors.As(err, &exit) || exit.Code != 3 {
					t.Errorf("Read = %v", err)
				}
			}
			conn.Close()
			if !lives(pid) {
				t.Errorf("process %d did not leave the group: the test is of no use", pid)
			}
		})
	}
}

// When we are killed, the server is too.
func TestR39_ServerDiesWithUs(t *testing.T) {
	requireLinux(t)
	tr, conn := connect(t, self(t, "parent"))
	pid := readPID(t, conn)
	kill(t, tr.process.Load().pid)
	awaitEnd(t, pid)
	if _, err := conn.Read(t.Context()); err == nil || err.Error() != "server was ended by signal 9 (killed)" {
		t.Errorf("Read = %v", err)
	}
}

// The SDK's errors tell why a server is gone.
func TestExitReachesTheCaller(t *testing.T) {
	tr, s := session(t, self(t, "mcp"))
	_, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "die"})
	var exit *ExitError
	if !errors.As(err, &exit) || !strings.HasSuffix(err.Error(), "server exited with status 3: no licence found") {
		t.Errorf("call = %v", err)
	}
	if tr.Exit() != exit {
		t.Errorf("Exit = %v, want %v", tr.Exit(), exit)
	}

	tr = New(sh(`echo broken >&2; exit 1`))
	_, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), tr, nil)
	if err == nil || !strings.Contains(err.Error(), "server exited with status 1: broken") {
		t.Errorf("connect = %v", err)
	}
	if exit := tr.Exit(); exit == nil || exit.Code != 1 || !slices.Equal(exit.Stderr, []string{"broken"}) {
		t.Errorf("Exit = %#v", exit)
	}
}

// What was printed before the end arrives however late it is read.
func TestLastWordsArrive(t *testing.T) {
	const n = 500
	cfg := sh(`i=0; while [ $i -lt ` + strconv.Itoa(n) + ` ]; do ` + tellPID + `$i; i=$((i+1)); done; printf '{"jsonrpc":"2.0","method":"last"}'`)
	cfg.Grace = time.Millisecond
	tr, conn := connect(t, cfg)
	<-tr.process.Load().ended // long after the time for reading is over
	for range n {
		read(t, conn)
	}
	if msg := read(t, conn).(*jsonrpc.Request); msg.Method != "last" {
		t.Errorf("last message = %v", msg)
	}
	if _, err := conn.Read(t.Context()); err == nil || err == io.EOF {
		t.Errorf("Read = %v, want how the server ended", err)
	}
}
