package modeltest_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/model/modeltest"
)

// complaints collects what a server reports.
type complaints []string

func (c *complaints) Errorf(format string, args ...any) {
	*c = append(*c, fmt.Sprintf(format, args...))
}

func post(t *testing.T, h http.Handler, body string) (status int, answer string) {
	t.Helper()
	srv := httptest.NewServer(h)
	defer srv.Close()
	resp, err := http.Post(srv.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

const hi = `{"role":"user","content":"hi"}`

func call(args string) string {
	return `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"` + args + `"}}]}`
}

func TestRequestsThatNoProviderTakesAreRefusedAndReported(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		want string // of the answer; "" is 200
	}{
		"a good one":                  {`{"model":"m","messages":[{"role":"system","content":"s"},` + hi + `,` + call("{}") + `,{"role":"tool","tool_call_id":"c1","content":"r"}]}`, ""},
		"an image":                    {`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:"}}]}]}`, ""},
		"no JSON":                     {`{`, "the body"},
		"an unknown field":            {`{"model":"m","messages":[` + hi + `],"seed":1}`, `unknown field \"seed\"`},
		"another model":               {`{"model":"x","messages":[` + hi + `]}`, "model_not_found"},
		"no messages":                 {`{"model":"m","messages":[]}`, "there are none"},
		"a call without a result":     {`{"model":"m","messages":[` + hi + `,` + call("{}") + `]}`, "have no result"},
		"a result without a call":     {`{"model":"m","messages":[` + hi + `,{"role":"tool","tool_call_id":"c1","content":"r"}]}`, "no open tool call"},
		"arguments that are a string": {`{"model":"m","messages":[` + call(`\"a\"`) + `,{"role":"tool","tool_call_id":"c1","content":"r"}]}`, "no JSON object"},
		"no content":                  {`{"model":"m","messages":[{"role":"user"}]}`, "no content"},
		"an unknown role":             {`{"model":"m","messages":[{"role":"boss","content":"x"}]}`, "no role"},
		"late instructions":           {`{"model":"m","messages":[` + hi + `,{"role":"system","content":"x"}]}`, "instructions come first"},
		"a bad name of a tool":        {`{"model":"m","messages":[` + hi + `],"tools":[{"type":"function","function":{"name":"a b","parameters":{"type":"object"}}}]}`, "1 to 64 letters"},
		"two tools of one name":       {`{"model":"m","messages":[` + hi + `],"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object"}}},{"type":"function","function":{"name":"a","parameters":{"type":"object"}}}]}`, "two tools"},
		"a schema of a string":        {`{"model":"m","messages":[` + hi + `],"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"string"}}}]}`, "not object"},
		"a required nothing":          {`{"model":"m","messages":[` + hi + `],"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object","required":["x"]}}}]}`, "no property"},
		"more than the window":        {`{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("x", 400*4) + `"}]}`, "context_length_exceeded"},
		"an answer over the window":   {`{"model":"m","max_tokens":390,"messages":[` + hi + `]}`, "maximum context length is 400"},
	} {
		var told complaints
		s := &modeltest.Server{Reporter: &told, Model: "m", Window: 400, Rest: func(modeltest.Request) modeltest.Reply { return modeltest.Say("ok") }}
		status, answer := post(t, s, tt.body)
		if tt.want == "" {
			if status != 200 || len(told) > 0 || len(s.Requests()) != 1 {
				t.Errorf("%s: %d %s, reported %q", name, status, answer, told)
			}
			continue
		}
		if status/100 != 4 || !strings.Contains(answer, tt.want) || len(told) != 1 || len(s.Requests()) != 0 {
			t.Errorf("%s: %d %s, reported %q; want %q", name, status, answer, told, tt.want)
		}
	}
}

func TestAnOverflowMayBeMeant(t *testing.T) {
	var told complaints
	s := &modeltest.Server{Reporter: &told, Window: 10, Overflow: true, Tokens: func([]byte) int { return 11 }}
	if status, answer := post(t, s, `{"messages":[`+hi+`]}`); status != 400 || !strings.Contains(answer, "context_length_exceeded") || len(told) > 0 {
		t.Errorf("%d %s, reported %q", status, answer, told)
	}
}

func TestRepliesComeInOrderAndASpentScriptIsReported(t *testing.T) {
	var told complaints
	s := &modeltest.Server{Reporter: &told, Replies: []modeltest.Reply{modeltest.JSON(200, "one"), modeltest.Failure(429, "rate_limit_exceeded", "two", "3")}}
	for i, want := range []string{"one", "two", "request 3 has no reply"} {
		if _, answer := post(t, s, `{"messages":[`+hi+`]}`); !strings.Contains(answer, want) {
			t.Errorf("reply %d is %s", i+1, answer)
		}
	}
	if len(told) != 1 || len(s.Requests()) != 3 {
		t.Errorf("reported %q", told)
	}
}

func TestAKey(t *testing.T) {
	var told complaints
	s := &modeltest.Server{Reporter: &told, Key: "k"}
	if status, _ := post(t, s, `{}`); status != 401 || len(told) > 0 {
		t.Errorf("%d, reported %q", status, told)
	}
}

// A client can read each write before the next one is made.
func TestWritesAreFlushedAndWaitForTheTest(t *testing.T) {
	more := make(chan struct{})
	reply := modeltest.Raw("first\n").Then(modeltest.Step{Wait: more, Write: "second\n"}, modeltest.Step{Abort: true})
	srv := httptest.NewServer(&modeltest.Server{Reporter: t, Replies: []modeltest.Reply{reply}})
	defer srv.Close()
	resp, err := http.Post(srv.URL+"/chat/completions", "application/json", strings.NewReader(`{"messages":[`+hi+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	if line, err := lines.ReadString('\n'); line != "first\n" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	close(more)
	if line, err := lines.ReadString('\n'); line != "second\n" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := lines.ReadString('\n'); err == nil || err == io.EOF {
		t.Errorf("after the cut: %v", err)
	}
}

func TestCutKeepsTheBytes(t *testing.T) {
	all := func(r modeltest.Reply) (text string) {
		for _, s := range r.Steps {
			text += s.Write
		}
		return text
	}
	whole := modeltest.Ask("hi", modeltest.Call{ID: "c", Name: "ls", Args: `{"path":"/a"}`})
	cut := whole.Cut(3)
	if diff := cmp.Diff(all(whole), all(cut)); diff != "" {
		t.Error(diff)
	}
	for _, s := range cut.Steps {
		if len(s.Write) > 3 {
			t.Errorf("a write of %q", s.Write)
		}
	}
}
