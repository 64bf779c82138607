package agsh

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOneShotMakesTwoRequestsInTheLatestSession(t *testing.T) {
	s := newServer(t, "LS")
	s.latest = "ses_1"
	stdout, stderr, code := s.run(t, "", "ls", "/repo")
	if code != 0 || stdout == "" || stderr != "→ ses_1\n" {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	want := []string{"GET /tools/ls?fold=1", `POST /tools/LS {"path":"/repo"} session=latest token= approve=false`}
	if diff := cmp.Diff(want, s.asked("GET POST")); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestWhichSessionCallsRunIn(t *testing.T) {
	const post = `POST /tools/say {"text":"x"} `
	tests := []struct {
		name   string
		args   []string
		script bool
		latest string
		want   []string // the writing requests
		stderr string
	}{
		{"one-shot, named", []string{"--session", "ses_named"}, false, "ses_1", []string{post + "session=ses_named token= approve=false"}, "→ ses_named\n"},
		{"one-shot, by token", []string{"--continuation-token", "tok"}, false, "ses_1", []string{post + "session= token=tok approve=false"}, "→ ses_token\n"},
		{"script, latest", nil, true, "ses_1", []string{post + "session=ses_1 token= approve=false", post + "session=ses_1 token= approve=false"}, "→ ses_1\n"},
		{"script, none yet", nil, true, "", []string{"POST /sessions  session= token= approve=false", post + "session=ses_made token= approve=false", post + "session=ses_made token= approve=false"}, "→ ses_made\n"},
		{"script, named", []string{"--session", "ses_named"}, true, "ses_1", []string{post + "session=ses_named token= approve=false", post + "session=ses_named token= approve=false"}, "→ ses_named\n"},
		{"script, by token", []string{"--continuation-token", "tok"}, true, "ses_1", []string{post + "session=ses_token token= approve=false", post + "session=ses_token token= approve=false"}, "→ ses_token\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, "say")
			s.latest, s.tokens["tok"] = tt.latest, "ses_token"
			in, args := "", append([]string{"say", "--text", "x"}, tt.args...)
			if tt.script {
				in, args = "say --text x\nsay --text x\n", tt.args
			}
			_, stderr, code := s.run(t, in, args...)
			if code != 0 || stderr != tt.stderr {
				t.Errorf("code %d, stderr %q, want %q", code, stderr, tt.stderr)
			}
			if diff := cmp.Diff(tt.want, s.asked("POST")); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// The latest session moves on when somebody works in another; a shell does
// not follow it, and a token that was replaced meanwhile is not used again.
func TestAScriptKeepsItsSession(t *testing.T) {
	s := newServer(t, "say", "turn")
	s.latest, s.tokens["tok"] = "ses_1", "ses_1"
	s.call = func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.latest, s.tokens = "ses_other", map[string]string{}
		s.change("say", "turn", "more")
		s.answer(w, 200, map[string]any{"session": "ses_1", "content": []any{}})
	}
	for _, args := range [][]string{nil, {"--continuation-token", "tok"}} {
		s.latest, s.tokens = "ses_1", map[string]string{"tok": "ses_1"}
		_, stderr, code := s.run(t, "turn\nsay\nhelp\nmore", args...)
		if code != 0 || stderr != "→ ses_1\n" {
			t.Errorf("%q: code %d, stderr %q", args, code, stderr)
		}
		for _, r := range s.asked("GET")[1:] {
			if r != "GET /info" && !hasSession(r, "session=ses_1") {
				t.Errorf("%q: asked for %s", args, r)
			}
		}
	}
}

func hasSession(request, session string) bool {
	return len(request) >= len(session) && request[len(request)-len(session):] == session
}

func TestASessionIsNamedOnce(t *testing.T) {
	s := newServer(t, "say")
	for _, args := range [][]string{
		{"say", "--session", "ses_1", "--continuation-token", "tok"},
		{"--session", "ses_1", "--continuation-token", "tok"},
		{"say", "--session", ""},
	} {
		if _, stderr, code := s.run(t, "say", args...); code != exitUsage || stderr == "" {
			t.Errorf("%q: code %d, stderr %q", args, code, stderr)
		}
	}
	if got := s.asked("GET POST"); got != nil {
		t.Errorf("requests: %q", got)
	}
}

func TestHelpBindsNothing(t *testing.T) {
	s := newServer(t, "say", "Read")
	for _, args := range [][]string{{"help"}, {"help", "read"}, {"read", "--help"}, {"read", "-h", "--nope"}, {"--help"}, {"-h"}, {"help", "--output", "json"}} {
		stdout, stderr, code := s.run(t, "", args...)
		if code != 0 || stdout == "" || stderr != "" {
			t.Errorf("%q: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
	for _, r := range s.asked("GET POST") {
		if r[:4] == "POST" || r != "GET /info" && r != "GET /tools" && r != "GET /tools/read?fold=1" {
			t.Errorf("help made the request %s", r)
		}
	}
}
