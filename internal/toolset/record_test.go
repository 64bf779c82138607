package toolset_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"agsh.dev/agent"
	"agsh.dev/event"
	"agsh.dev/internal/session"
	"agsh.dev/internal/session/memstore"
	"agsh.dev/internal/toolset"
)

// Whatever a tool written in Go gives, its call has a result in the log, and
// the caller gets what the log holds.
func TestAnyResultCanBeRecorded(t *testing.T) {
	typed, err := agent.Tool[struct{}, float64]{Name: "nan", Run: func(context.Context, struct{}) (float64, error) { return math.NaN(), nil }}.Build()
	if err != nil {
		t.Fatal(err)
	}
	nested := func(n int) json.RawMessage {
		return json.RawMessage(strings.Repeat("[", n) + strings.Repeat("]", n))
	}
	gives := func(res agent.Result) func(context.Context, json.RawMessage) (agent.Result, error) {
		return func(context.Context, json.RawMessage) (agent.Result, error) { return res, nil }
	}
	some := []event.Block{event.Text("some")}
	for name, tt := range map[string]struct {
		run    func(context.Context, json.RawMessage) (agent.Result, error)
		status event.Status
		text   string // of the first block
		kept   bool   // structured content
	}{
		"nothing":                    {gives(agent.Result{}), event.StatusOK, "", false},
		"not a number":               {typed.Run, event.StatusError, "NaN", false},
		"text that is not UTF-8":     {gives(agent.Result{Content: []event.Block{event.Text("a\xffb")}}), event.StatusOK, "a\uFFFDb", false},
		"structured":                 {gives(agent.Result{Structured: json.RawMessage(" {\"a\":1}\n")}), event.StatusOK, "", true},
		"structured null":            {gives(agent.Result{Content: some, Structured: json.RawMessage("null")}), event.StatusOK, "some", false},
		"structured, no JSON":        {gives(agent.Result{Content: some, Structured: json.RawMessage("{a}")}), event.StatusError, "not valid JSON", false},
		"structured, not UTF-8":      {gives(agent.Result{Content: some, Structured: json.RawMessage("[\"\xff\"]")}), event.StatusError, "not valid JSON", false},
		"structured, a number":       {gives(agent.Result{Content: some, Structured: json.RawMessage("1")}), event.StatusError, "neither an object", false},
		"structured, deep":           {gives(agent.Result{Structured: nested(1000)}), event.StatusOK, "", true},
		"structured, too deep":       {gives(agent.Result{Structured: nested(1001)}), event.StatusError, "deep", false},
		"structured, deep, and text": {gives(agent.Result{Content: some, Structured: nested(9999)}), event.StatusOK, "some", false},
		"an error that is not UTF-8": {func(context.Context, json.RawMessage) (agent.Result, error) {
			return agent.Result{}, errors.New("\xff")
		}, event.StatusError, "\uFFFD", false},
		"a goroutine it ended itself": {func(context.Context, json.RawMessage) (agent.Result, error) { runtime.Goexit(); panic("unreachable") }, event.StatusError, "without a result", false},
		"a panic":                     {func(context.Context, json.RawMessage) (agent.Result, error) { panic(map[string]int{}) }, event.StatusError, "panicked", false},
	} {
		t.Run(name, func(t *testing.T) {
			log, err := session.Create(t.Context(), session.Config{Store: memstore.New()}, "ses", "operator", event.SessionStarted{Agent: "a"})
			if err != nil {
				t.Fatal(err)
			}
			done, err := toolset.Gate{}.Call(t.Context(), log, tool(t, agent.Definition{}, tt.run), toolset.Call{ID: "c"})
			if err != nil {
				t.Fatalf("Call = %v", err)
			}
			first := ""
			if len(done.Content) > 0 {
				first = done.Content[0].Text
			}
			if done.Status != tt.status || !strings.Contains(first, tt.text) || (done.StructuredContent != nil) != tt.kept {
				t.Errorf("Call = %s %.100q, structured %.20q", done.Status, first, done.StructuredContent)
			}
			var last event.ToolCompleted
			for e, err := range log.Events(t.Context(), 1) {
				if err != nil {
					t.Fatal(err)
				}
				last, _ = e.Data.(event.ToolCompleted)
			}
			if len(log.State().Open) != 0 || last.Status != done.Status || len(last.Content) > 0 && last.Content[0].Text != first {
				t.Errorf("the log holds %s %.100v", last.Status, last.Content)
			}
		})
	}
}

// What ended a call is said once: by the tool if it says anything.
func TestTheEndOfACallIsSaidOnce(t *testing.T) {
	for name, res := range map[string]agent.Result{
		"by the tool": {Content: []event.Block{event.Text("half"), event.Text("stopped: over")}, IsError: true}, "by the gate": {},
	} {
		probe := tool(t, agent.Definition{Timeout: time.Millisecond}, func(ctx context.Context, _ json.RawMessage) (agent.Result, error) {
			<-ctx.Done()
			if res.Content == nil {
				return res, ctx.Err()
			}
			return res, nil
		})
		done, err := toolset.Gate{}.Call(t.Context(), &batches{}, probe, toolset.Call{ID: "c"})
		if err != nil || done.Error == nil || done.Error.Code != "timeout" {
			t.Fatalf("%s: Call = %+v, %v", name, done, err)
		}
		if want := max(1, len(res.Content)); len(done.Content) != want {
			t.Errorf("%s: the content is %q, want %d blocks", name, done.Content, want)
		}
	}
}

// Programs differ in which of two properties of one name they take.
func TestApprovalLooksAtEveryValueOfAField(t *testing.T) {
	def := agent.Definition{NeedsApproval: agent.Approval{When: map[string]string{"to.env": "prod*"}}}
	for args, asks := range map[string]bool{
		`{"to":{"env":"prod-1"}}`: true, `{"to":{"env":"dev"}}`: false, `{}`: false, `{"to":"prod"}`: false, `{"to.env":"prod"}`: true,
		`{"to":{"env":"prod","env":"dev"}}`: true, `{"to":{"env":"dev","env":"prod"}}`: true,
		`{"to":{"env":"prod"},"to":{"env":"dev"}}`: true, `{"to":{"env":["prod"]}}`: false, `{"to":{"\u0065nv":"prod"}}`: true,
	} {
		ran := false
		probe := tool(t, def, func(context.Context, json.RawMessage) (agent.Result, error) { ran = true; return agent.Result{}, nil })
		if _, err := (toolset.Gate{}).Call(t.Context(), &batches{}, probe, toolset.Call{ID: "c", Args: json.RawMessage(args)}); err != nil {
			t.Fatal(err)
		}
		if strings.Count(args, `"env":`) < 2 && strings.Count(args, `"to":`) < 2 && ran == asks {
			t.Errorf("%s: ran = %v", args, ran)
		} else if asks && ran {
			t.Errorf("%s: ran without approval", args)
		}
	}
}

// A glob is over texts, not paths: what hides behind a slash or a newline is
// asked for too.
func TestApprovalGlobsMatchTexts(t *testing.T) {
	for _, tt := range []struct {
		glob, value string
		asks        bool
	}{
		{"rm *", "rm -rf /", true},
		{"rm *", "rm -rf /a/b\nls", true},
		{"*rm*", "ls /;\n/bin/rm x", true},
		{"**", "/a/b", true},
		{"a?c", "a/c", true},
		{"a?c", "a\nc", true},
		{"a?c", "aéc", true},
		{"a?c", "abbc", false},
		{"/etc/*", "/etc/ssh/key", true},
		{"/etc/*", "/home/x", false},
		{"{rm,mv} *", "mv /a /b", true},
		{"rm *", "ls rm /", false},
		{"rm *", "rm", false},
		{`a\*`, "a*", true},
		{`a\*`, "ab", false},
		{"*", "", true},
	} {
		ran := false
		probe := tool(t, agent.Definition{NeedsApproval: agent.Approval{When: map[string]string{"v": tt.glob}}},
			func(context.Context, json.RawMessage) (agent.Result, error) { ran = true; return agent.Result{}, nil })
		args, err := json.Marshal(map[string]string{"v": tt.value})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (toolset.Gate{}).Call(t.Context(), &batches{}, probe, toolset.Call{ID: "c", Args: args}); err != nil {
			t.Fatal(err)
		}
		if ran == tt.asks {
			t.Errorf("%q of %q: ran is %v", tt.glob, tt.value, ran)
		}
	}
}

// Structured content and the text that shows it are one output.
func TestTruncatedCountsAnOutputOnce(t *testing.T) {
	value := `["` + strings.Repeat("x", 600) + `"]`
	for name, tt := range map[string]struct {
		res  agent.Result
		want int
	}{
		"the same":      {agent.Result{Content: []event.Block{event.Text(value + "\n")}, Structured: json.RawMessage(value)}, len(value) + 1},
		"something new": {agent.Result{Content: []event.Block{event.Text("about it")}, Structured: json.RawMessage(value)}, len("about it") + len(value)},
	} {
		probe := tool(t, agent.Definition{}, func(context.Context, json.RawMessage) (agent.Result, error) { return tt.res, nil })
		done, err := toolset.Gate{MaxOutput: 500}.Call(t.Context(), &batches{}, probe, toolset.Call{ID: "c"})
		if err != nil || done.Truncated == nil || done.Truncated.Bytes != int64(tt.want) {
			t.Errorf("%s: Truncated = %+v, %v; want %d", name, done.Truncated, err, tt.want)
		}
	}
}

// R49: a result whose text repeats the structured content that does not fit
// beside it is whole, and not said to be cut.
func TestR49_AnOutputWhoseTextFitsIsNotCut(t *testing.T) {
	value := `["` + strings.Repeat("x", 600) + `"]`
	probe := tool(t, agent.Definition{}, func(context.Context, json.RawMessage) (agent.Result, error) {
		return agent.Result{Content: []event.Block{event.Text(value + "\n")}, Structured: json.RawMessage(value)}, nil
	})
	done, err := toolset.Gate{MaxOutput: 700}.Call(t.Context(), &batches{}, probe, toolset.Call{ID: "c"})
	if err != nil || done.Truncated != nil || len(done.Content) != 1 || done.Content[0].Text != value+"\n" || done.StructuredContent != nil {
		t.Errorf("got %+v, %v; want the whole text, the structured content left out and nothing said of a cut", done, err)
	}
}

// R49: at the limit nothing is cut; one byte more and the answer still fits.
func TestR49_OutputAtItsLimit(t *testing.T) {
	const limit = 1 << 20 // stands for the real one, which only takes longer
	some := []event.Block{event.Text("a")}
	for name, tt := range map[string]struct {
		res agent.Result
		cut bool
	}{
		"exactly":           {agent.Result{Content: []event.Block{event.Text(strings.Repeat("x", limit))}}, false},
		"one byte more":     {agent.Result{Content: []event.Block{event.Text(strings.Repeat("x", limit+1))}}, true},
		"wide":              {agent.Result{Content: []event.Block{event.Text(strings.Repeat("界", limit/3+1))}}, true},
		"special in HTML":   {agent.Result{Content: []event.Block{event.Text(strings.Repeat("<&>", limit/3))}}, false},
		"control":           {agent.Result{Content: []event.Block{event.Text(strings.Repeat("\x01", limit/6+1))}}, true},
		"line separators":   {agent.Result{Content: []event.Block{event.Text(strings.Repeat("\u2028", limit/6+1))}}, true},
		"values that fit":   {agent.Result{Structured: json.RawMessage(`["` + strings.Repeat("<", limit/2) + `"]`)}, false},
		"values":            {agent.Result{Structured: json.RawMessage(`["` + strings.Repeat("x", limit) + `"]`)}, true},
		"many blocks":       {agent.Result{Content: slices.Repeat(some, 1000)}, false},
		"too many blocks":   {agent.Result{Content: slices.Repeat(some, 100_000)}, true},
		"frames":            {agent.Result{Content: slices.Repeat([]event.Block{event.Text(strings.Repeat("x", limit/1000))}, 1000)}, true},
		"a wrong type":      {agent.Result{Content: []event.Block{{Type: strings.Repeat("t", limit+100)}}}, true},
		"a wrong MIME type": {agent.Result{Content: []event.Block{{Type: "image", MimeType: strings.Repeat("\x01", limit)}}}, true},
		"an image":          {agent.Result{Content: []event.Block{{Type: "image", MimeType: "image/png", Data: strings.Repeat("A", limit+4)}, event.Text("b")}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			probe := tool(t, agent.Definition{}, func(context.Context, json.RawMessage) (agent.Result, error) { return tt.res, nil })
			done, err := toolset.Gate{MaxOutput: limit}.Call(t.Context(), &batches{}, probe, toolset.Call{ID: "c"})
			if err != nil {
				t.Fatal(err)
			}
			var enc bytes.Buffer
			plain := json.NewEncoder(&enc)
			plain.SetEscapeHTML(false)
			if err := plain.Encode(done); err != nil || enc.Len() > limit+1<<10 || tt.cut && len(done.Content) == 1 && done.Content[0].Type == "text" && tt.res.Content[0].Type == "text" && enc.Len() < limit-1<<10 {
				t.Errorf("the result takes %d bytes (%v), want about %d at most", enc.Len(), err, limit)
			}
			if len(done.Content) > 1001 {
				t.Errorf("it has %d blocks", len(done.Content))
			}
			if (done.Truncated != nil) != tt.cut {
				t.Errorf("truncated is %+v", done.Truncated)
			}
		})
	}
}
