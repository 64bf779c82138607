package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"agsh.dev/agent"
	"agsh.dev/event"
)

type order struct {
	Customer string `json:"customer"`
	Items    []item `json:"items,omitempty"`
}

type item struct {
	Name string `json:"name"`
}

func take(_ context.Context, in order) (string, error) { return in.Customer, nil }

// Arguments are decoded without a look at fields that no struct has, so the
// schema must refuse them at every depth.
func TestSchemasOfStructsAreClosed(t *testing.T) {
	f, err := agent.Tool[order, string]{Name: "take", Run: take}.Build()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(f.Input), `"additionalProperties":false`); n != 2 {
		t.Errorf("%d of 2 objects are closed: %s", n, f.Input)
	}
	if f.Output != nil {
		t.Errorf("plain text has the schema %s", f.Output)
	}
}

func TestAToolWithoutRunIsRefused(t *testing.T) {
	if _, err := (agent.Tool[order, string]{Name: "take"}).Build(); err == nil || !strings.Contains(err.Error(), "take") {
		t.Errorf("Build = %v, want an error that names the tool", err)
	}
}

func TestResults(t *testing.T) {
	for name, tt := range map[string]struct {
		tool       agent.AnyTool
		text, data string
	}{
		"text": {agent.Tool[order, string]{Run: take}, "Ada", ""},
		"a struct": {agent.Tool[order, item]{Run: func(_ context.Context, in order) (item, error) {
			return item{in.Customer}, nil
		}}, `{"name":"Ada"}`, `{"name":"Ada"}`},
		"a number": {agent.Tool[order, int]{Run: func(context.Context, order) (int, error) { return 3, nil }}, "3", ""},
		"a result": {agent.Tool[order, agent.Result]{Run: func(context.Context, order) (agent.Result, error) {
			return agent.Result{Content: []event.Block{event.Text("own")}}, nil
		}}, "own", ""},
	} {
		f, err := tt.tool.Build()
		if err != nil {
			t.Fatal(err)
		}
		res, err := f.Run(t.Context(), json.RawMessage(`{"customer":"Ada"}`))
		if err != nil || len(res.Content) != 1 || res.Content[0].Text != tt.text || string(res.Structured) != tt.data {
			t.Errorf("%s: Run = %+v, %v", name, res, err)
		}
	}
}
