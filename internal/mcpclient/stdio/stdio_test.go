//go:build unix

package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func requireLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has this")
	}
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("kill %d: %v", pid, err)
	}
}

func TestProgramGetsWhatIsConfigured(t *testing.T) {
	t.Setenv("SECRET", "1")
	dir := t.TempDir()
	for _, env := range [][]string{nil, {"A=b c"}} {
		_, conn := connect(t, Config{
			Path: "/bin/sh", Args: []string{"-c", tellPID + `$$; echo "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":[\"$0\",\"$1\",\"$(pwd -P)\",\"$A\",\"$SECRET\"]}"`, "x", "y z"},
			Dir: dir, Env: env, Grace: patient,
		})
		read(t, conn)
		var got []string
		if err := json.Unmarshal(read(t, conn).(*jsonrpc.Request).Params, &got); err != nil {
			t.Fatal(err)
		}
		want := []string{"x", "y z", dir, strings.TrimPrefix(strings.Join(env, ""), "A="), ""}
		if !slices.Equal(got, want) {
			t.Errorf("program got %q, want %q", got, want)
		}
	}
}

func TestProgramThatDoesNotStart(t *testing.T) {
	for _, tt := range []struct {
		cfg  Config
		want string
	}{
		{Config{Path: "sh"}, `start server: no program "sh" in PATH="" of its environment`},
		{Config{Path: "sh", Env: []string{path, "PATH=bin:/nowhere"}}, `start server: no program "sh" in PATH="bin:/nowhere" of its environment`},
		{Config{Env: []string{path}}, `no program ""`},
		{Config{Path: "/nowhere/x"}, "start server /nowhere/x: fork/exec /nowhere/x: no such file"},
		{Config{Path: "/bin/sh", Dir: "/nowhere"}, "start server /bin/sh: stat /nowhere: no such file"},
	} {
		_, err := New(tt.cfg).Connect(t.Context())
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Connect = %v, want %q", err, tt.want)
		}
	}
}

func TestConnectOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tr := New(sh(`cat`))
	if _, err := tr.Connect(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Connect after the end of ctx = %v", err)
	}
	conn, err := tr.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if tr.Exit() != nil {
		t.Errorf("Exit of a server that runs = %v", tr.Exit())
	}
	if _, err := tr.Connect(t.Context()); err == nil {
		t.Error("Connect works twice")
	}
}

func TestStderrIsToldByLine(t *testing.T) {
	var got []string
	cfg := sh(`printf 'one\r\n\n%5000d\nlast' 7 >&2`)
	cfg.Stderr = func(line string) { got = append(got, line) }
	tr, conn := connect(t, cfg)
	_, _ = conn.Read(t.Context())
	conn.Close()
	want := []string{"one", "", strings.Repeat(" ", maxNote), "last"}
	if !slices.Equal(got, want) {
		t.Errorf("lines = %.60q, want %.60q", got, want)
	}
	if got := tr.Exit().Stderr; !slices.Equal(got, []string{"one", "last"}) {
		t.Errorf("last lines = %q", got)
	}
}

func TestOnlyLastLinesAreKept(t *testing.T) {
	var n notes
	n.follow(strings.NewReader("1\n2\n3\n4\n5\n6\n7\n8\n9\n\n10\n"), nil)
	if want := []string{"3", "4", "5", "6", "7", "8", "9", "10"}; !slices.Equal(n, want) {
		t.Errorf("notes = %q, want %q", n, want)
	}
}

func TestNoteCutsNoCharacter(t *testing.T) {
	for pad := range 4 {
		line := strings.Repeat("x", pad) + strings.Repeat("€", maxNote)
		got := note([]byte(line))
		if !strings.HasPrefix(line, got) || len(got) <= maxNote-3 || strings.ToValidUTF8(got, "") != got {
			t.Errorf("note has %d bytes and ends with %q", len(got), got[len(got)-4:])
		}
	}
}

func TestWritesDoNotMix(t *testing.T) {
	const writers, each = 8, 25
	_, conn := connect(t, sh(`exec cat`))
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := conn.Write(t.Context(), notification(fmt.Sprintf(`[%d,%q]`, w*each+i, strings.Repeat("<é>", 5000)))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	seen := map[int]bool{}
	for range writers * each {
		var in []any
		if err := json.Unmarshal(read(t, conn).(*jsonrpc.Request).Params, &in); err != nil {
			t.Fatal(err)
		}
		if in[1] != strings.Repeat("<é>", 5000) {
			t.Fatal("a message came back changed")
		}
		seen[int(in[0].(float64))] = true
	}
	wg.Wait()
	if len(seen) != writers*each {
		t.Errorf("%d messages came back, want %d", len(seen), writers*each)
	}
}

func TestMessageIsOneLine(t *testing.T) {
	_, conn := connect(t, sh(`read -r x; printf '["%s"]\n{"jsonrpc":"2.0","method":"m","params":["%s"]}\n' "" "$(printf %s "$x" | tr '"' "'")"`))
	if err := conn.Write(t.Context(), notification("{\n\"a\":\n\"<&>\"\n}")); err != nil {
		t.Fatal(err)
	}
	const want = `["{'jsonrpc':'2.0','method':'note','params':{'a':'<&>'}}"]`
	if got := string(read(t, conn).(*jsonrpc.Request).Params); got != want {
		t.Errorf("server read %s, want %s", got, want)
	}
}

// A server that does not read holds a Write only until its ctx ends.
func TestWriteHonoursContext(t *testing.T) {
	cfg := sh(`head -c 100000 >/dev/null; ` + tellPID + `$$; exec sleep 1000`)
	cfg.Grace = 50 * time.Millisecond
	_, conn := connect(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error)
	go func() { errs <- conn.Write(ctx, notification(`"`+strings.Repeat("x", 1<<20)+`"`)) }()
	readPID(t, conn) // a part of the message was read, and no more will be
	cancel()
	if err := <-errs; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "broken") {
		t.Errorf("Write that was cut off = %v", err)
	}
	if err := conn.Write(t.Context(), notification(`[]`)); err == nil || errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "broken") {
		t.Errorf("Write after that = %v", err)
	}
}

func TestWriteThatDidNotBeginBreaksNothing(t *testing.T) {
	requireLinux(t)
	_, conn := connect(t, sh(`trap 'cat; exit' USR1; `+tellPID+`$$; while :; do sleep 0.01; done`))
	pid := readPID(t, conn)
	const room = 64 << 10 // of a pipe
	empty, err := jsonrpc.EncodeMessage(notification(`""`))
	if err != nil {
		t.Fatal(err)
	}
	full := notification(`"` + strings.Repeat("x", room-len(empty)-1) + `"`)
	if err := conn.Write(t.Context(), full); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := conn.Write(ctx, notification(`"lost"`)); err != context.DeadlineExceeded {
			t.Fatalf("Write into a full pipe = %v", err)
		}
	}
	if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if err := conn.Write(t.Context(), notification(`"next"`)); err != nil {
		t.Fatal(err)
	}
	read(t, conn)
	if got := string(read(t, conn).(*jsonrpc.Request).Params); got != `"next"` {
		t.Errorf("second message = %s", got)
	}
}

func TestWriteToServerThatEnded(t *testing.T) {
	tr, conn := connect(t, sh(`exit 4`))
	<-tr.process.Load().ended
	var exit *ExitError
	if err := conn.Write(t.Context(), notification(`[]`)); !errors.As(err, &exit) || exit.Code != 4 {
		t.Errorf("Write = %v", err)
	}
}

func TestWriteToServerThatEnds(t *testing.T) {
	_, conn := connect(t, sh(`sleep 0.1; echo sorry >&2; exit 5`))
	err := conn.Write(t.Context(), notification(`"`+strings.Repeat("x", 1<<20)+`"`))
	if want := "write to server: server exited with status 5: sorry"; err == nil || err.Error() != want {
		t.Errorf("Write = %v, want %v", err, want)
	}
}

// A server may close a stream and live.
func TestServerThatClosesAStream(t *testing.T) {
	cfg := sh(`exec <&- >&-; sleep 1000`)
	cfg.Grace = 50 * time.Millisecond
	_, conn := connect(t, cfg)
	if _, err := conn.Read(t.Context()); err == nil || err.Error() != "server closed its standard output but runs on" {
		t.Errorf("Read = %v", err)
	}
	if err := conn.Write(t.Context(), notification(`[]`)); err == nil || err.Error() != "write to server: server closed its standard input but runs on" {
		t.Errorf("Write = %v", err)
	}
}

func TestReadHonoursContext(t *testing.T) {
	_, conn := connect(t, sh(`exec cat`))
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error)
	go func() {
		_, err := conn.Read(ctx)
		errs <- err
	}()
	cancel()
	if err := <-errs; err != context.Canceled {
		t.Errorf("Read = %v", err)
	}
	if err := conn.Write(t.Context(), notification(`[1]`)); err != nil {
		t.Fatal(err)
	}
	if got := string(read(t, conn).(*jsonrpc.Request).Params); got != `[1]` {
		t.Errorf("message after that = %s", got)
	}
}

// Close ends every Read and Write that waits, and all Closes return when the
// server is gone. A server that is printing does not wait for a reader.
func TestCloseUnblocks(t *testing.T) {
	cfg := sh(tellPID + `$$; trap '' TERM; while ` + tellPID + `1; do :; done`)
	cfg.Grace = 50 * time.Millisecond
	_, conn := connect(t, cfg)
	pid := readPID(t, conn)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			if _, err := conn.Read(t.Context()); err != nil {
				if err != io.EOF {
					t.Errorf("Read = %v", err)
				}
				return
			}
		}
	})
	wg.Go(func() {
		if err := conn.Write(t.Context(), notification(`"`+strings.Repeat("x", 1<<20)+`"`)); !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("Write = %v", err)
		}
	})
	for range 4 {
		wg.Go(func() {
			conn.Close()
			if lives(pid) {
				t.Error("a Close returned while the server lives")
			}
		})
	}
	wg.Wait()
	if err := conn.Write(t.Context(), notification(`[]`)); !errors.Is(err, mcp.ErrConnectionClosed) {
		t.Errorf("Write after Close = %v", err)
	}
}

// A server that prints a lot when its input ends can come to its end.
func TestCloseDrains(t *testing.T) {
	tr, conn := connect(t, sh(`cat >/dev/null; head -c 1000000 /dev/zero; exit 6`))
	conn.Close()
	if exit := tr.Exit(); exit == nil || exit.Code != 6 {
		t.Errorf("exit = %v, want status 6", exit)
	}
}

func BenchmarkEcho(b *testing.B) {
	_, conn := connect(b, sh(`exec cat`))
	msg := notification(`"` + strings.Repeat("x", 100-len(`{"jsonrpc":"2.0","method":"note","params":""}`)) + `"`)
	b.ReportAllocs()
	for b.Loop() {
		if err := conn.Write(b.Context(), msg); err != nil {
			b.Fatal(err)
		}
		read(b, conn)
	}
}
