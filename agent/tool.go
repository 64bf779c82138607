package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"agsh.dev/event"
)

// AnyTool is a tool written in Go: a [Tool] of any types, or a [Func].
type AnyTool interface {
	// Build returns the tool in the form the runtime calls, with its schemas
	// made, or why it cannot be one.
	Build() (Func, error)
}

// A Func is a tool whose arguments are still JSON.
type Func struct {
	Definition
	// Run gets arguments that the input schema accepts. It must return soon
	// after ctx ends. An error becomes an error result that shows its text.
	Run func(ctx context.Context, args json.RawMessage) (Result, error)
}

// Build implements [AnyTool].
func (f Func) Build() (Func, error) { return f, nil }

// A Tool is a typed tool. Its schemas come from In and Out by their json and
// jsonschema struct tags; the order of fields is the order of properties.
// An In that is not a struct or map is an error. An Out of string gives plain
// text, [Result] is passed on as it is, and anything else is structured
// content with its JSON as text.
type Tool[In, Out any] struct {
	Name          string
	Title         string
	Description   string
	Effect        Effect
	NeedsApproval Approval
	Timeout       time.Duration
	Display       *Display
	// Run is called with decoded arguments. It may be called by many
	// goroutines at once.
	Run func(ctx context.Context, in In) (Out, error)
}

// Build implements [AnyTool].
func (t Tool[In, Out]) Build() (Func, error) {
	if t.Run == nil {
		return Func{}, fmt.Errorf("tool %s: it has no Run function", t.Name)
	}
	input, err := schemaOf[In]()
	if err != nil {
		return Func{}, fmt.Errorf("tool %s: input: %w", t.Name, err)
	}
	f := Func{Definition: Definition{
		Name: t.Name, Title: t.Title, Description: t.Description, Input: input, Effect: t.Effect,
		NeedsApproval: t.NeedsApproval, Timeout: t.Timeout, Display: t.Display,
	}}
	var out Out
	switch any(out).(type) {
	case string, Result:
	default:
		if f.Output, err = schemaOf[Out](); err != nil {
			return Func{}, fmt.Errorf("tool %s: output: %w", t.Name, err)
		}
	}
	f.Run = func(ctx context.Context, args json.RawMessage) (Result, error) {
		var in In
		// Which fields there may be is the schema's to say.
		if len(args) > 0 {
			if err := json.Unmarshal(args, &in); err != nil {
				return Result{}, fmt.Errorf("decode arguments: %w", err)
			}
		}
		out, err := t.Run(ctx, in)
		if err != nil {
			return Result{}, err
		}
		return result(out)
	}
	return f, nil
}

func schemaOf[T any]() (json.RawMessage, error) {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

func result(out any) (Result, error) {
	switch v := out.(type) {
	case string:
		return Result{Content: []event.Block{event.Text(v)}}, nil
	case Result:
		return v, nil
	}
	b, err := json.Marshal(out)
	if err != nil {
		return Result{}, fmt.Errorf("encode result: %w", err)
	}
	r := Result{Content: []event.Block{event.Text(string(b))}}
	if len(b) > 0 && (b[0] == '{' || b[0] == '[') {
		r.Structured = b
	}
	return r, nil
}
