package agsh

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agsh.dev/internal/agsh/argv"
	"agsh.dev/internal/agsh/repl"
	"agsh.dev/internal/term"
	"agsh.dev/internal/term/text"
)

// shell opens a shell on the server.
func (s *server) shell(t *testing.T) *session {
	t.Helper()
	s.latest = "ses_1"
	tm, _, _ := term.Test("", "AGENT_SHELL_TARGET="+s.url)
	sh, err := open(t.Context(), tm, argv.Globals{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sh.client.Close)
	return sh
}

// broken is an output that cannot be written to.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestOutputThatCannotBeWrittenIsAnError(t *testing.T) {
	s := newServer(t, "say")
	s.latest = "ses_1"
	for _, tt := range []struct {
		in   string
		args []string
	}{
		{"", []string{"say", "--text", "x"}},
		{"", []string{"say", "--help"}},
		{"", []string{"help"}},
		{"", []string{"--help"}},
		{"", []string{"--version"}},
		{"say --text x", nil},
		{"say --text x | head", nil},
		{"help", nil},
	} {
		for err, want := range map[error]int{syscall.ENOSPC: exitToolError, syscall.EPIPE: exitDone} {
			tm, _, stderr := term.Test(tt.in, "AGENT_SHELL_TARGET="+s.url)
			tm.Out = broken{fmt.Errorf("write: %w", err)}
			code := Run(t.Context(), tm, tt.args)
			if told := strings.Contains(stderr.String(), "Error: write the output: "); code != want || told != (want != 0) {
				t.Errorf("%q %q: after %v code %d, stderr %q, want %d", tt.in, tt.args, err, code, stderr, want)
			}
		}
	}
}

func TestWhatIsNotUTF8IsNotSentAsSomethingElse(t *testing.T) {
	s := newServer(t, "say")
	s.latest = "ses_1"
	for _, tt := range []struct {
		in   string
		args []string
	}{
		{"", []string{"say", "--text", "caf\xe9"}},
		{"", []string{"say", "--json-args", "{\"text\":\"\xff\"}"}},
		{"{\"text\":\"\xff\"}", []string{"say", "--json-args", "-"}},
		{"say --text before\nsay --text 'caf\xe9'\n", nil},
	} {
		_, stderr, code := s.run(t, tt.in, tt.args...)
		if code != exitUsage || !strings.Contains(stderr, "not valid UTF-8") {
			t.Errorf("%q %q: code %d, stderr %q", tt.in, tt.args, code, stderr)
		}
	}
	if got := s.asked("POST"); got != nil {
		t.Errorf("requests: %q", got)
	}
	if stdout, _, code := s.run(t, "say --text a # caf\xe9\n"); code != 0 || stdout == "" {
		t.Errorf("a comment: code %d, stdout %q", code, stdout)
	}
}

func TestWordsOfAnySize(t *testing.T) {
	s := newServer(t, "say")
	s.latest = "ses_1"
	huge := strings.Repeat("a", 300_000)
	for in, want := range map[string]string{
		huge:                  "Error: unknown command: aaaa",
		"say --" + huge:       "Error: say: --aaaa",
		"say | " + huge:       "aaaa",
		"help " + huge:        "Error: unknown command: aaaa",
		"say --text '" + huge: "Error: line 1, column 12: the quote ' is not closed",
	} {
		_, stderr, code := s.run(t, in)
		if code != exitUsage || !strings.HasPrefix(stderr, want) || len(stderr) > 2*maxMessage {
			t.Errorf("%.20q: code %d, %d bytes of stderr: %.80q", in, code, len(stderr), stderr)
		}
	}
	if _, stderr, code := s.run(t, "say --text "+strings.Repeat(huge, 4)); code != exitUsage || !strings.Contains(stderr, "a server takes 1048576 at most") {
		t.Errorf("a value no server takes: code %d, stderr %q", code, stderr)
	}
	if got := s.asked("POST"); got != nil {
		t.Errorf("%d calls", len(got))
	}
	if stdout, _, code := s.run(t, "say --output json --text '"+huge+"\x00'"); code != 0 || len(stdout) < len(huge) || !strings.Contains(stdout, `\u0000`) {
		t.Errorf("a long value: code %d, %d bytes", code, len(stdout))
	}
}

func TestAScriptOfManyLines(t *testing.T) {
	s := newServer(t, "say")
	s.latest = "ses_1"
	script := strings.Repeat("# comment\n\n", 100_000) + "say --text end"
	if stdout, _, code := s.run(t, script); code != 0 || stdout != "text:  end\n" {
		t.Errorf("code %d, stdout %q", code, stdout)
	}
	if _, stderr, code := s.run(t, strings.Repeat("\n", maxScript+1)); code != exitUsage || !strings.Contains(stderr, "larger than 16 MiB") {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

func TestR75_MessagesOfTheShellAreEscaped(t *testing.T) {
	s := newServer(t, "say")
	s.latest = "ses_1"
	for _, in := range []string{
		"say | \x1b[2Jfoo",
		"say --text '\x1b[2J' | jq '.text | error'",
		"say --\x1b[2J",
		"\x1b[2J",
		"help \u202e\u009b",
	} {
		_, stderr, code := s.run(t, in)
		if code == 0 || strings.ContainsAny(stderr, "\x1b\u009b\u202e") {
			t.Errorf("%q: code %d, stderr %q", in, code, stderr)
		}
	}
}

func TestAnEmptyWordIsNoShell(t *testing.T) {
	s := newServer(t, "say")
	if _, stderr, code := s.run(t, "say --text x", ""); code != exitUsage || stderr != "Error: unknown command: ''; help lists the commands\n" {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
	if got := s.asked("POST"); got != nil {
		t.Errorf("the input ran as a script: %q", got)
	}
}

func TestWhatTheProgramIsStartedWith(t *testing.T) {
	s := newServer(t, "say", "fail")
	s.latest = "ses_1"
	tests := []struct {
		args   []string
		in     string
		code   int
		output string // part of either
	}{
		{[]string{"-e"}, "fail\nsay", exitToolError, "(empty object)\n\n→ ses_1"},
		{[]string{"-e"}, "fail || say --text a\nfail && say --text b\nsay --text c", exitDone, "text:  c"},
		{[]string{"-h", "-e"}, "say", exitDone, "usage:"},
		{[]string{"-e", "say"}, "", exitUsage, "agsh -e < file"},
		{[]string{"--nope"}, "", exitUsage, "unknown flag --nope"},
		{[]string{"--json-args", "{}"}, "say", exitUsage, "--json-args needs a command"},
		{[]string{"--output", "json"}, "say --text x; say --text y --output text", exitDone, "{\"text\":\"x\"}\ntext:  y"},
		{nil, "say --output xml", exitUsage, "text or json"},
		{nil, "say --json-args -", exitUsage, "standard input"},
		{nil, "say --target x; say", exitDone, "cannot change inside the shell"},
		{nil, "fail\nexit\nsay", exitToolError, "(empty object)\n\n→"},
		{nil, "exit 3", exitUsage, "exit takes no arguments"},
		{nil, "help a b", exitUsage, "one command at most"},
	}
	for _, tt := range tests {
		stdout, stderr, code := s.run(t, tt.in, tt.args...)
		if code != tt.code || !strings.Contains(stdout+"\n"+stderr, tt.output) {
			t.Errorf("%q with %q: code %d, want %d; stdout %q, stderr %q", tt.args, tt.in, code, tt.code, stdout, stderr)
		}
	}
}

func TestR20_ExitCodesOfFailures(t *testing.T) {
	answers := map[int]http.HandlerFunc{
		exitUnreachable: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, "<html>"+strings.Repeat("bad gateway ", 1000))
		},
		exitDenied: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":{"code":"unauthorized","message":"no"}}`)
		},
		exitUsage: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"code":"invalid_arguments","message":"no"}}`)
		},
	}
	for want, call := range answers {
		s := newServer(t, "say")
		s.call = call
		_, stderr, code := s.run(t, "", "say")
		if code != want || !strings.HasPrefix(stderr, "Error: ") || len(stderr) > 500 || strings.Contains(stderr, "invalid character") {
			t.Errorf("code %d, want %d; stderr %q", code, want, stderr)
		}
		if want == exitUnreachable && (!strings.Contains(stderr, "502") || !strings.Contains(stderr, "expected JSON") || !strings.Contains(stderr, "127.0.0.1")) {
			t.Errorf("a web page: stderr %q", stderr)
		}
	}
}

// A proxy in front of the server refuses with a code of its own.
func TestR20_ExitCodesOfForeignRefusals(t *testing.T) {
	for status, want := range map[int]int{http.StatusUnauthorized: exitDenied, http.StatusForbidden: exitDenied, http.StatusNotFound: exitUnreachable} {
		s := newServer(t, "say")
		s.call = func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, `{"error":{"code":"expired","message":"no"}}`)
		}
		if _, stderr, code := s.run(t, "", "say"); code != want || stderr != "Error: no\n" {
			t.Errorf("%d: code %d, want %d; stderr %q", status, code, want, stderr)
		}
	}
}

func TestAnInterruptEndsAOneShotAtOnce(t *testing.T) {
	s := newServer(t, "say")
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	s.call = func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done() // the server sees it too
		close(gone)
	}
	tm, out, stderr := term.Test("", "AGENT_SHELL_TARGET="+s.url)
	if code := Run(ctx, tm, []string{"say"}); code != exitInterrupted || out.String() != "" || stderr.String() != "" {
		t.Errorf("code %d, stdout %q, stderr %q", code, out, stderr)
	}
	<-gone
}

func TestEscaperLosesNothing(t *testing.T) {
	const all = "é日\x1b[2J\U0001f600 \xff\xc3"
	for size := 1; size <= len(all); size++ {
		var b strings.Builder
		e := &escaper{w: &b}
		for rest := all; rest != ""; {
			n := min(size, len(rest))
			if _, err := e.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		if got, want := b.String(), text.Escape(all); got != want {
			t.Errorf("in writes of %d bytes %q, want %q", size, got, want)
		}
	}
}

func TestWhatFiltersPrintIsEscapedOnATerminalOnly(t *testing.T) {
	s := newServer(t, "say")
	for tty, want := range map[bool]string{true: `\x1b[2J` + "\n", false: "\x1b[2J\n"} {
		sh := s.shell(t)
		out := &term.Buffer{}
		sh.term.OutTTY = tty
		if code, _ := sh.runEntry(t.Context(), `say --json-args '{"text":"\u001b[2J"}' | jq -r .text`, repl.IO{Out: out, Err: io.Discard}); code != 0 || !strings.HasSuffix(out.String(), want) {
			t.Errorf("terminal %v: code %d, stdout %q, want %q", tty, code, out, want)
		}
	}
}

func TestAHistoryThatCannotBeKeptWarnsOnce(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, env := range [][]string{{"HOME=" + blocked}, {"HOME="}, {"HOME=relative"}, {"XDG_STATE_HOME=relative", "HOME="}, {"XDG_STATE_HOME=" + blocked}} {
		tm, _, stderr := term.Test("", env...)
		h := openHistory(tm)
		if h == nil || strings.Count(stderr.String(), "warning: ") != 1 || h.Add("ls") != nil {
			t.Errorf("%q: stderr %q", env, stderr)
		}
	}
	if made, err := os.ReadDir("."); err != nil || len(made) > 0 {
		t.Errorf("left in the working directory: %v, %v", made, err)
	}
	home := t.TempDir()
	tm, _, stderr := term.Test("", "XDG_STATE_HOME=relative", "HOME="+home)
	if err := openHistory(tm).Add("ls"); err != nil || stderr.String() != "" {
		t.Errorf("%v, stderr %q", err, stderr)
	}
	if _, err := os.Stat(filepath.Join(home, ".local/state/agsh/history")); err != nil {
		t.Error(err)
	}
}
