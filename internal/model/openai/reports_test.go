package openai_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/model"
	"agsh.dev/internal/model/modeltest"
	"agsh.dev/internal/model/openai"
)

// served asks a server that replies so.
func served(t *testing.T, reply modeltest.Reply) (model.Response, error) {
	t.Helper()
	srv := httptest.NewServer(&modeltest.Server{Reporter: t, Model: "m-1", Replies: []modeltest.Reply{reply}})
	defer srv.Close()
	w := written{}
	r, err := newModel(t, openai.Config{BaseURL: srv.URL}).Stream(t.Context(), hello(), w.add)
	w.agree(t, r, err)
	return r, err
}

// called lists calls as id, name and arguments.
func called(r model.Response) []string {
	var out []string
	for _, c := range r.Calls() {
		out = append(out, c.ID+" "+c.Name+" "+string(c.Args))
	}
	return out
}

const finished = `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`

func calls(list string) string {
	return `{"choices":[{"index":0,"delta":{"tool_calls":[` + list + `]}}]}`
}

func TestR50_CallsWithoutAnIndexStayApart(t *testing.T) {
	r, err := served(t, modeltest.Frames(
		calls(`{"id":"c1","function":{"name":"ls","arguments":"{}"}},{"id":"c2","function":{"name":"read","arguments":"{\"path\":\"/a\"}"}}`),
		calls(`{"id":"c3","function":{"name":"grep"}}`), calls(`{"function":{"arguments":"{\"q\":1}"}}`), finished, "[DONE]"))
	if diff := cmp.Diff([]string{"c1 ls {}", `c2 read {"path":"/a"}`, `c3 grep {"q":1}`}, called(r)); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func TestR51_ACallWithoutArgumentsIsOne(t *testing.T) {
	for _, function := range []string{`{"name":"now","arguments":""}`, `{"name":"now"}`, `{"name":"now","arguments":null}`} {
		r, err := served(t, modeltest.Frames(calls(`{"index":0,"id":"c1","function":`+function+`}`), finished, "[DONE]"))
		if diff := cmp.Diff([]string{"c1 now {}"}, called(r)); diff != "" || err != nil || r.Finish != model.FinishToolCalls {
			t.Errorf("%s: %v (-want +got)\n%s", function, err, diff)
		}
	}
}

func TestR52_AnErrorInsideTheStreamIsOne(t *testing.T) {
	_, err := served(t, modeltest.Frames(`{"choices":[{"delta":{"content":"Hel"}}]}`, `{"error":{"message":"overloaded","code":503}}`))
	failure := asError(t, err)
	if failure.Status != 503 || failure.Code != model.Overloaded || !strings.Contains(failure.Message, "overloaded") {
		t.Errorf("%+v", failure)
	}
	if diff := cmp.Diff(model.Response{Parts: []model.Part{model.Text{Text: "Hel"}}}, failure.Partial); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestR53_UsageMayComeWithoutChoices(t *testing.T) {
	r, err := served(t, modeltest.Frames(`{"choices":[]}`, `{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}`, "[DONE]"))
	if err != nil || r.Usage != (model.Usage{Input: 5, Output: 2}) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestR54_TheEndOfTheConnectionIsNotTheEndOfTheAnswer(t *testing.T) {
	text := modeltest.Frames(`{"choices":[{"delta":{"content":"Hel"}}]}`, `{"choices":[{"delta":{"content":"lo"}}]}`)
	write := modeltest.Frames(calls(`{"index":0,"id":"c1","function":{"name":"write","arguments":"{\"path\":\"/a\",\"contents\":\"abc"}}`))
	for name, tt := range map[string]struct {
		reply modeltest.Reply
		part  model.Part
	}{
		"text":                {text, model.Text{Text: "Hello"}},
		"text, reset":         {text.Then(modeltest.Step{Abort: true}), model.Text{Text: "Hello"}},
		"a call":              {write, model.ToolCall{ID: "c1", Name: "write", Args: []byte(`"{\"path\":\"/a\",\"contents\":\"abc"`)}},
		"a call, in an event": {write.Then(modeltest.Step{Write: `data: {"choices":[{"del`}), model.ToolCall{ID: "c1", Name: "write", Args: []byte(`"{\"path\":\"/a\",\"contents\":\"abc"`)}},
	} {
		r, err := served(t, tt.reply)
		failure := asError(t, err)
		if failure.Code != model.StreamCut || !failure.Retryable || len(r.Parts) > 0 || !strings.Contains(failure.Message, "ended early") {
			t.Errorf("%s: %+v, %v", name, r, failure)
		}
		if diff := cmp.Diff([]model.Part{tt.part}, failure.Partial.Parts); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestR55_TextIsWholeHoweverItIsCut(t *testing.T) {
	reply := modeltest.Raw(": ping\r", "\n\r", "\ndata:{\"choices\":[{\"delta\":{\"content\":\"a \xe2", "\x82\xac\"}}]}\r", "\n\r\n").
		Then(modeltest.Say("b").Steps...).Cut(1)
	r, err := served(t, reply)
	if diff := cmp.Diff([]model.Part{model.Text{Text: "a €b"}}, r.Parts); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

// Whether a string may stand for a list is for the schema to say: arguments
// arrive as they were written.
func TestR57_ArgumentsAreNotDecodedTwice(t *testing.T) {
	for _, args := range []string{`{"edits":"[{\"oldText\":\"a\"}]"}`, `"{\"path\":\"/a\"}"`, `{"args": "{\"path\":\"/a\"}"}`} {
		r, err := served(t, modeltest.Ask("", modeltest.Call{ID: "c1", Name: "edit", Args: args}))
		if diff := cmp.Diff([]string{"c1 edit " + args}, called(r)); diff != "" || err != nil {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
	}
}
