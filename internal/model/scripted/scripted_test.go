package scripted_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/event"
	"agsh.dev/internal/model"
	"agsh.dev/internal/model/scripted"
)

const demo = `
steps:
  - text: One.
  - text: Two.
  - match: (?i)weather
    reasoning: They want to know.
    text: Let me see what the sky looks like today.
    toolCalls:
      - {name: Weather, args: {city: Ulm, days: 1.0, "<b>": [true, null, 0x10]}}
      - {name: Now}
  - text: It is sunny.
  - match: broken
    toolCalls: [{name: Now, args: '{"a":'}]
  - match: fail
    text: Part
    error: {code: overloaded, message: busy, status: 503, retryAfterMs: 100, times: 2}
  - match: slow
    delayMs: 3000
    text: Good things take time.
`

func play(t *testing.T, text string) *scripted.Model {
	t.Helper()
	script, problems := scripted.Parse([]byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return scripted.New("demo.yaml", script)
}

func user(text string) model.Message {
	return model.Message{Role: model.User, Parts: []model.Part{model.Text{Text: text}}}
}

func said(r model.Response) model.Message {
	return model.Message{Role: model.Assistant, Parts: r.Parts}
}

func stream(t *testing.T, m *scripted.Model, messages ...model.Message) (model.Response, []model.Delta) {
	t.Helper()
	var deltas []model.Delta
	r, err := m.Stream(t.Context(), model.Request{Messages: messages}, func(d model.Delta) { deltas = append(deltas, d) })
	if err != nil {
		t.Fatal(err)
	}
	return r, deltas
}

func TestAScriptIsPlayed(t *testing.T) {
	m := play(t, demo)
	first, _ := stream(t, m, user("hi"))
	want := model.Response{
		Parts: []model.Part{model.Text{Text: "One."}}, Finish: model.FinishStop, Model: "script demo.yaml",
		Usage: model.Usage{Input: 1, Output: 2},
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	history := []model.Message{user("hi"), said(first), user("how is the weather?")}
	call, deltas := stream(t, m, history...)
	parts := []model.Part{
		model.Reasoning{Text: "They want to know."},
		model.Text{Text: "Let me see what the sky looks like today."},
		model.ToolCall{ID: "call_2_1", Name: "Weather", Args: json.RawMessage(`{"city":"Ulm","days":1.0,"<b>":[true,null,16]}`)},
		model.ToolCall{ID: "call_2_2", Name: "Now", Args: json.RawMessage(`{}`)},
	}
	if diff := cmp.Diff(parts, call.Parts); diff != "" || call.Finish != model.FinishToolCalls {
		t.Errorf("finish %s (-want +got)\n%s", call.Finish, diff)
	}
	var text string
	for _, d := range deltas {
		if d.Part == 1 {
			text += d.Text + "|"
		}
	}
	if text != "Let me see w|hat the sky |looks like t|oday.|" {
		t.Errorf("the text is shown as %q", text)
	}
	// A result that has the word of a match does not begin the scene again.
	results := model.Message{Role: model.ToolRole, Parts: []model.Part{
		model.ToolResult{CallID: "call_2_1", Content: []event.Block{event.Text("weather: fine")}}, model.ToolResult{CallID: "call_2_2"},
	}}
	history = append(history, said(call), results)
	answer, _ := stream(t, m, history...)
	if diff := cmp.Diff([]model.Part{model.Text{Text: "It is sunny."}}, answer.Parts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// What no scene answers goes on where the opening was.
	two, _ := stream(t, m, append(history, said(answer), user("and else?"))...)
	if diff := cmp.Diff([]model.Part{model.Text{Text: "Two."}}, two.Parts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestASpentScriptSaysSo(t *testing.T) {
	m := play(t, "steps: [{match: a, text: A}]")
	for _, messages := range [][]model.Message{{user("b")}, {user("a"), said(model.Response{Parts: []model.Part{model.Text{Text: "A"}}})}} {
		_, err := m.Stream(t.Context(), model.Request{Messages: messages}, nil)
		var failure *model.Error
		if !errors.As(err, &failure) || failure.Code != model.ScriptSpent || failure.Retryable || !strings.Contains(err.Error(), "demo.yaml") {
			t.Errorf("%v", err)
		}
	}
}

func TestArgumentsMayBeBroken(t *testing.T) {
	r, _ := stream(t, play(t, demo), user("broken"))
	if got := string(r.Calls()[0].Args); got != `"{\"a\":"` {
		t.Errorf("the arguments are %s", got)
	}
}

func TestAFailureComesSoManyTimesForEachConversation(t *testing.T) {
	m := play(t, demo)
	for _, text := range []string{"fail", "fail again"} {
		for try := range 3 {
			r, err := m.Stream(t.Context(), model.Request{Messages: []model.Message{user(text)}}, nil)
			if try == 2 {
				if err != nil || len(r.Parts) != 1 {
					t.Errorf("%s: the last try is %v, %v", text, r, err)
				}
				continue
			}
			var failure *model.Error
			if !errors.As(err, &failure) {
				t.Fatalf("%s: try %d: %v", text, try, err)
			}
			if failure.Code != model.Overloaded || failure.Status != 503 || !failure.Retryable || failure.RetryAfter != 100*time.Millisecond ||
				len(failure.Partial.Parts) != 1 || failure.Partial.Finish != "" {
				t.Errorf("%s: try %d: %+v", text, try, failure)
			}
		}
	}
}

func TestADelayEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, begin := play(t, demo), time.Now()
		if _, err := m.Stream(t.Context(), model.Request{Messages: []model.Message{user("slow")}}, nil); err != nil || time.Since(begin) != 3*time.Second {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := m.Stream(ctx, model.Request{Messages: []model.Message{user("slow")}}, nil)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

func TestProblemsHaveTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "[1:1: the script is empty: want steps]",
		"a: [":                  "[1:1: this is not YAML: did not find expected node content]",
		"{}":                    "[1:1: the script has no steps]",
		"steps: []":             "[1:8: steps: want a list with at least one entry]",
		"steps: [{}]":           "[1:9: the step says nothing: want text, reasoning, toolCalls or error]",
		"steps:\n- text: [1]\n": "[2:9: text: want text]",
		"steps:\n- txt: a\n- text: b\n  delayMs: -1\n": "[2:3: a step has no key \"txt\": want match, delayMs, reasoning, text, toolCalls, error" +
			" 4:12: delayMs: want a whole number from 0 to 86400000]",
		"steps:\n- text: a\n  match: '('\n":                             "[3:10: match: error parsing regexp: missing closing ): `(`]",
		"steps:\n- toolCalls: [{args: {}}]":                             "[2:15: the tool call has no name]",
		"steps:\n- toolCalls: [{name: a, args: [1]}]":                   "[2:31: args: want a mapping, or a string that is sent as it is]",
		"steps:\n- toolCalls: [{name: a, args: {x: .nan}}]":             "[2:35: args: .nan is nothing that JSON has; quote it to make it text]",
		"steps: [{text: a, text: b}]":                                   "[1:19: a step has the key \"text\" twice]",
		"steps: [{text: a}]\n---\nx: 1":                                 "[1:1: the script has more than one YAML document: keep one]",
		"steps:\n- text: &a b\n- toolCalls: [{name: x, args: {y: *a}}]": "[3:35: args: aliases cannot be used here; write the value out]",
	} {
		if _, problems := scripted.Parse([]byte(text)); fmt.Sprint(problems) != want {
			t.Errorf("Parse(%q)\n got %v\nwant %s", text, problems, want)
		}
	}
	_, problems := scripted.Parse([]byte("steps:\n- error: {code: broke}"))
	if len(problems) != 1 || problems[0].Line != 2 || !strings.Contains(problems[0].Message, `"broke" is none of`) {
		t.Errorf("%v", problems)
	}
}

// Whatever a script says, what is shown joins to what is said, and arguments
// are JSON.
func FuzzParse(f *testing.F) {
	f.Add(demo, "weather")
	f.Add("steps: [{text: äöü€äöü€äöü€, match: ''}]", "")
	f.Fuzz(func(t *testing.T, text, message string) {
		script, problems := scripted.Parse([]byte(text))
		if len(problems) > 0 || strings.Contains(text, "delayMs") {
			return
		}
		shown := map[int]string{}
		r, err := scripted.New("x", script).Stream(t.Context(), model.Request{Messages: []model.Message{user(message)}},
			func(d model.Delta) { shown[d.Part] += d.Text })
		if err != nil {
			return
		}
		for i, p := range r.Parts {
			switch p := p.(type) {
			case model.Text:
				if shown[i] != p.Text {
					t.Errorf("shown %q, said %q", shown[i], p.Text)
				}
			case model.ToolCall:
				if !json.Valid(p.Args) {
					t.Errorf("arguments %s", p.Args)
				}
			}
		}
	})
}
