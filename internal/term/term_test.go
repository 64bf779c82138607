package term_test

import (
	"testing"

	"agsh.dev/internal/term"
)

func TestColor(t *testing.T) {
	tests := []struct {
		name string
		tty  bool
		env  []string
		want bool
	}{
		{"terminal", true, nil, true},
		{"pipe", false, nil, false},
		{"NO_COLOR", true, []string{"NO_COLOR=1"}, false},
		{"empty NO_COLOR", true, []string{"NO_COLOR="}, true},
		{"NO_COLOR beats force", true, []string{"NO_COLOR=0", "CLICOLOR_FORCE=1"}, false},
		{"forced into a pipe", false, []string{"CLICOLOR_FORCE=1", "TERM=dumb"}, true},
		{"force off", false, []string{"CLICOLOR_FORCE=0"}, false},
		{"dumb", true, []string{"TERM=dumb"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tm, _, _ := term.Test("", tt.env...)
			tm.OutTTY = tt.tty
			if got := tm.Color(); got != tt.want {
				t.Errorf("Color() with %q on a terminal %v = %v, want %v", tt.env, tt.tty, got, tt.want)
			}
		})
	}
}

func TestColors(t *testing.T) {
	tests := []struct {
		name string
		tty  bool
		env  []string
		want int
	}{
		{"nothing known", true, nil, 16},
		{"xterm", true, []string{"TERM=xterm"}, 16},
		{"256", true, []string{"TERM=xterm-256color"}, 256},
		{"any", true, []string{"TERM=xterm-256color", "COLORTERM=truecolor"}, 1 << 24},
		{"any, said otherwise", true, []string{"TERM=xterm", "COLORTERM=24bit"}, 1 << 24},
		{"direct", true, []string{"TERM=xterm-direct"}, 1 << 24},
		{"tmux", true, []string{"TERM=tmux-256color", "COLORTERM=truecolor"}, 1 << 24},
		{"screen cannot", true, []string{"TERM=screen-256color", "COLORTERM=truecolor"}, 256},
		{"another COLORTERM", true, []string{"TERM=xterm", "COLORTERM=yes"}, 16},
		{"pipe", false, []string{"TERM=xterm-256color", "COLORTERM=truecolor"}, 0},
		{"NO_COLOR", true, []string{"TERM=xterm-256color", "NO_COLOR=1"}, 0},
		{"dumb", true, []string{"TERM=dumb", "COLORTERM=truecolor"}, 0},
		{"forced into a pipe", false, []string{"CLICOLOR_FORCE=1", "TERM=dumb"}, 16},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tm, _, _ := term.Test("", tt.env...)
			tm.OutTTY = tt.tty
			if got := tm.Colors(); got != tt.want {
				t.Errorf("Colors() with %q on a terminal %v = %d, want %d", tt.env, tt.tty, got, tt.want)
			}
		})
	}
}

func TestConfirmIsNoUnlessYesIsSaid(t *testing.T) {
	tests := []struct {
		in   string
		want bool
		rest string // left for the next reader
	}{
		{"y\nls\n", true, "ls\n"},
		{"Yes\r\n", true, ""},
		{"  YES  ", true, ""},
		{"\n", false, ""},
		{"", false, ""},
		{"n\ny\n", false, "y\n"},
		{"yesterday\n", false, ""},
		{"\x1b[Ay\n", false, ""},
	}
	for _, tt := range tests {
		tm, out, stderr := term.Test(tt.in)
		tm.InTTY, tm.ErrTTY = true, true
		got, err := tm.Confirm(t.Context(), "Run \x1b[2Jrm?")
		if err != nil || got != tt.want {
			t.Errorf("Confirm answered %q = %v, %v, want %v", tt.in, got, err, tt.want)
		}
		if got, want := stderr.String(), `Run \x1b[2Jrm? [y/N] `; got != want || out.String() != "" {
			t.Errorf("Confirm asked %q on stderr and %q on stdout, want %q on stderr only", got, out.String(), want)
		}
		rest := make([]byte, 16)
		if n, _ := tm.In.Read(rest); string(rest[:n]) != tt.rest {
			t.Errorf("Confirm answered %q left %q, want %q", tt.in, rest[:n], tt.rest)
		}
	}
}

func TestConfirmNeedsATerminal(t *testing.T) {
	for _, tty := range []struct{ in, out, err bool }{{false, true, true}, {true, false, false}} {
		tm, out, stderr := term.Test("y\n")
		tm.InTTY, tm.OutTTY, tm.ErrTTY = tty.in, tty.out, tty.err
		if ok, err := tm.Confirm(t.Context(), "Run?"); ok || err == nil {
			t.Errorf("Confirm with terminals %v = %v, %v, want an error", tty, ok, err)
		}
		if out.String()+stderr.String() != "" {
			t.Errorf("Confirm with terminals %v wrote %q", tty, out.String()+stderr.String())
		}
	}
}

func TestConfirmAsksOnOutIfErrIsRedirected(t *testing.T) {
	tm, out, _ := term.Test("y\n")
	tm.InTTY, tm.OutTTY = true, true
	if ok, err := tm.Confirm(t.Context(), "Run?"); !ok || err != nil || out.String() != "Run? [y/N] " {
		t.Errorf("Confirm = %v, %v, asked %q on stdout", ok, err, out.String())
	}
}

func TestTestTerminal(t *testing.T) {
	tm, _, _ := term.Test("", "COLUMNS=40", "A=b=c")
	if tm.Width() != 40 || tm.Getenv("A") != "b=c" || tm.Getenv("PATH") != "" {
		t.Errorf("Width = %d, A = %q, PATH = %q", tm.Width(), tm.Getenv("A"), tm.Getenv("PATH"))
	}
	if _, err := tm.MakeRaw(); err == nil {
		t.Error("MakeRaw of text did not fail")
	}
	if err := tm.DiscardInput(); err != nil {
		t.Errorf("DiscardInput of text = %v, want nil", err)
	}
}
