package agsh

import (
	"net/http"
	"strings"
	"testing"

	"agsh.dev/internal/agsh/repl"
)

func TestHelpAndExitAreWordsOnlyWhileNoToolHasTheName(t *testing.T) {
	s := newServer(t, "say")
	s.latest = "ses_1"
	if stdout, _, code := s.run(t, "help\nexit\nsay --text never"); code != 0 || !strings.Contains(stdout, "COMMANDS") || strings.Contains(stdout, "never") {
		t.Errorf("code %d, stdout %q", code, stdout)
	}
	for _, tools := range [][]string{{"Help", "Exit"}, {"help", "exit"}} {
		s.change(tools...)
		stdout, stderr, code := s.run(t, "help\nexit\nhelp --text 2")
		words := tools[0] == "Help" // a tool that only looks like the word leaves it alone
		if got := strings.Contains(stdout, "COMMANDS"); got != words || code != 0 {
			t.Errorf("%q: code %d, stdout %q, stderr %q", tools, code, stdout, stderr)
		}
		if got := strings.Contains(stdout, "2"); got == words {
			t.Errorf("%q: exit: stdout %q", tools, stdout)
		}
	}
	s.change("help")
	if stdout, _, code := s.run(t, "", "help", "--text", "t"); code != 0 || stdout != "text:  t\n" {
		t.Errorf("a tool named help: code %d, stdout %q", code, stdout)
	}
	if stdout, _, code := s.run(t, "", "--help"); code != 0 || !strings.Contains(stdout, "COMMANDS") {
		t.Errorf("agsh --help beside it: code %d, stdout %q", code, stdout)
	}
}

func TestHelpExplainsTheWordsThatAreNoTools(t *testing.T) {
	s := newServer(t, "say", "Head")
	for word, want := range map[string]string{"tail": "command | tail", "jq": "Select and reshape JSON", "exit": "Leave the shell", "help": "help [command]", "head": "Does"} {
		stdout, stderr, code := s.run(t, "", "help", word)
		if word == "head" {
			want = "Head" // the tool, which head reaches as a command
		}
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("help %s: code %d, stdout %q, stderr %q", word, code, stdout, stderr)
		}
	}
	if _, stderr, code := s.run(t, "", "help", "saj"); code != exitUsage || stderr != "Error: unknown command: saj; did you mean say?\n" {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

func TestHelpIsOneJSONValueToo(t *testing.T) {
	s := newServer(t, "say", "Read")
	s.latest = "ses_1"
	for in, want := range map[string]string{
		"help | jq -r '.tools[].name'":                 "say\nRead\n",
		"help read | jq -r .name":                      "Read\n",
		"read --help | jq -r .inputSchema.type":        "object\n",
		"help --output json | jq -c '[.tools[].name]'": "[\"say\",\"Read\"]\n",
		"help tail | jq -r .name":                      "tail\n",
		"help | grep -c COMMANDS":                      "1\n",
		"help say --output json | wc -l":               "1\n",
	} {
		if stdout, stderr, code := s.run(t, in); code != 0 || stdout != want {
			t.Errorf("%s: code %d, stdout %q, stderr %q, want %q", in, code, stdout, stderr, want)
		}
	}
}

// Help is a server's text too: as JSON it keeps its value and steers no
// terminal.
func TestHelpAsJSONHasNoControlCharacters(t *testing.T) {
	s := newServer(t, "say")
	s.latest = "ses_1"
	s.schema["say"] = `{"type":"object","properties":{"x":{"type":"string","description":"` + "\u009b2J\x7f\u202e" + `"}}}`
	const want = `"description":"\u009b2J\u007f\u202e"`
	for _, args := range [][]string{{"say", "--help", "--output", "json"}, {"help", "say", "--output", "json"}} {
		if stdout, stderr, code := s.run(t, "", args...); code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%q: code %d, stdout %q, stderr %q, want %s in it", args, code, stdout, stderr, want)
		}
	}
}

// Tools come and go while a shell is open; the version that every answer has
// tells it.
func TestToolsThatChangeBetweenCalls(t *testing.T) {
	s := newServer(t, "one", "Grep", "exit")
	s.latest = "ses_1"
	s.call = func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.change("two", "one", "Head")
		s.schema["one"] = `{"type":"object","properties":{"now":{"type":"string"}}}`
		s.answer(w, 200, map[string]any{"session": "ses_1", "content": []map[string]string{{"type": "text", "text": "ok\n"}}})
	}
	for script, want := range map[string]string{
		"one --text x; one --now x":          "ok\nok\n",
		"one --text x; two":                  "ok\nok\n",
		"one; head | tail":                   "ok\nok\n", // a tool of a filter's name comes first
		"one; help | grep -o '^    two'":     "ok\n    two\n",
		"one; exit; one":                     "ok\n", // no tool any more
		"one; one --text x || one --now yes": "ok\nok\n",
	} {
		s.change("one", "Grep", "exit")
		s.schema = map[string]string{}
		if stdout, stderr, _ := s.run(t, script); stdout != want {
			t.Errorf("%s: stdout %q, stderr %q, want %q", script, stdout, stderr, want)
		}
	}
}

func TestR35_HelpInTheShellIsOfNow(t *testing.T) {
	s := newServer(t, "say", "t1")
	s.latest = "ses_1"
	s.call = func(w http.ResponseWriter, _ *http.Request) {
		// The tools change behind the answer, of which the shell knows nothing.
		s.answer(w, 200, map[string]any{"session": "ses_1", "callId": "c", "content": []map[string]string{}, "isError": false})
		s.mu.Lock()
		s.change("say", "t2")
		s.mu.Unlock()
	}
	stdout, stderr, code := s.run(t, "help\nsay\nhelp")
	if code != 0 || strings.Count(stdout, "    t1 ") != 1 || strings.Count(stdout, "    t2 ") != 1 {
		t.Errorf("code %d, stdout %q, stderr %q: want t1 in the first list and t2 in the second", code, stdout, stderr)
	}
}

func TestAnUnknownCommandMayBeOfAConnectionThatIsAway(t *testing.T) {
	s := newServer(t, "say")
	s.unavailable = []string{"datadog", "tracker"}
	_, stderr, code := s.run(t, "", "list_monitors")
	want := "Error: unknown command: list_monitors; help lists the commands (commands are missing, of connections that are unavailable now: datadog, tracker)\n"
	if code != exitUsage || stderr != want {
		t.Errorf("code %d, stderr %q, want %q", code, stderr, want)
	}
}

func TestAToolThatGoesBetweenListAndCall(t *testing.T) {
	s := newServer(t, "one")
	s.latest = "ses_1"
	s.call = func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.change("ones")
		s.fail(w, 404, "tool_not_found", "no tool one")
	}
	_, stderr, code := s.run(t, "one\none")
	if want := "Error: no tool one\nError: unknown command: one; did you mean ones?\n→ ses_1\n"; code != exitUsage || stderr != want {
		t.Errorf("code %d, stderr %q, want %q", code, stderr, want)
	}
}

func TestCompletionOfNames(t *testing.T) {
	s := newServer(t, "LS", "Twin", "TWIN", "it's", "read_all", "Read")
	sh := s.shell(t)
	for src, want := range map[string][]string{
		"l":       {"ls "}, // what was typed stays
		"L":       {"LS "},
		"lS":      {"LS "},
		"tw":      {"TWIN ", "Twin "}, // twin would be neither
		"re":      {"read ", "read_all "},
		"help L":  {"LS "},
		"it":      {`'it'\''s' `},
		"ls | gr": {"grep "},
		"ls;ex":   {"exit "},
		"ls --te": {"--text "},
		"nope --": nil,
		"say 'x":  nil,
	} {
		var got []string
		for _, c := range sh.complete(t.Context(), src, len(src)).Candidates {
			got = append(got, c.Text)
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q completes to %q, want %q", src, got, want)
		}
	}
	if c := sh.complete(t.Context(), "ls", 2); c.Start != 0 || c.Candidates[0].Title != "Does LS" {
		t.Errorf("ls completes to %+v", c)
	}
}

func TestCompletionQuotesValues(t *testing.T) {
	s := newServer(t, "say")
	s.schema["say"] = `{"type":"object","properties":{"mood":{"type":"string","enum":["so so","fine"]}}}`
	c := s.shell(t).complete(t.Context(), "say --mood ", 11)
	if len(c.Candidates) != 2 || c.Candidates[0] != (repl.Candidate{Text: "'so so' "}) {
		t.Errorf("the values of --mood: %+v", c)
	}
}
