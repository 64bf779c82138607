package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connectorKey is where a tool says which service behind an aggregating server
// it is of.
const connectorKey = "agsh.dev/connector"

// A definition is what a tool says of itself beside its schemas.
type definition struct {
	name, title, description string
	connector                string // "" if the server is the service
	writes                   bool
}

// An offer adds one tool to a server.
type offer func(*mcp.Server) error

// tool is an offer of a tool. Its schemas are made from In and Out, its
// arguments are valid when run gets them.
func tool[In, Out any](d definition, run mcp.ToolHandlerFor[In, Out]) offer {
	return func(s *mcp.Server) error {
		adds := false
		t := &mcp.Tool{
			Name: d.name, Title: d.title, Description: d.description,
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: !d.writes, DestructiveHint: &adds, OpenWorldHint: &adds},
		}
		if d.connector != "" {
			t.Meta = mcp.Meta{connectorKey: d.connector}
		}
		input, err := schemaOf[In]()
		if err != nil {
			return fmt.Errorf("tool %s: input: %w", d.name, err)
		}
		t.InputSchema = input
		if !isAny[Out]() {
			output, err := schemaOf[Out]()
			if err != nil {
				return fmt.Errorf("tool %s: output: %w", d.name, err)
			}
			t.OutputSchema = output
		}
		mcp.AddTool(s, t, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
			res, out, err := run(ctx, req, in)
			if err == nil && !isAny[Out]() {
				res, err = structured(out)
			}
			return res, nil, err
		})
		return nil
	}
}

func isAny[T any]() bool { return reflect.TypeFor[T]() == reflect.TypeFor[any]() }

// structured is the result that is out, as JSON and as text. The library would
// make one itself, with the members of objects sorted by name; tables are
// easier to read when the id comes first.
func structured(out any) (*mcp.CallToolResult, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	text := strings.TrimSpace(b.String())
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: json.RawMessage(text)}, nil
}

// simple runs a function that needs nothing but its arguments; what it returns
// is the structured content, and its JSON the text.
func simple[In, Out any](run func(In) (Out, error)) mcp.ToolHandlerFor[In, Out] {
	return func(_ context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		out, err := run(in)
		return nil, out, err
	}
}

func newServer(name string, offers []offer) (*mcp.Server, error) {
	s := mcp.NewServer(&mcp.Implementation{Name: "change-monitor-" + name, Version: "1.0.0"}, nil)
	for _, add := range offers {
		if err := add(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Types of arguments that a schema says more about than Go can.
type (
	limit    int
	minutes  int
	seconds  float64
	priority string
)

func enum[T ~string](values ...T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

func number(kind string, least, most float64, byDefault string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: kind, Minimum: &least, Maximum: &most, Default: json.RawMessage(byDefault)}
}

func schemaOf[T any]() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[limit]():        number("integer", 1, 100, "20"),
		reflect.TypeFor[minutes]():      number("integer", 1, 1440, "5"),
		reflect.TypeFor[seconds]():      number("number", 0, 300, "10"),
		reflect.TypeFor[priority]():     enum[priority]("P1", "P2", "P3", "P4", "P5"),
		reflect.TypeFor[monitorState](): enum(stateOK, stateWarn, stateAlert, stateNoData),
		reflect.TypeFor[metricName]():   enum(metricNames()...),
		reflect.TypeFor[rollup]():       enum(rollups()...),
		reflect.TypeFor[urgency]():      enum[urgency]("low", "high"),
		reflect.TypeFor[incidentState](): enum[incidentState](
			"triggered", "acknowledged", "resolved"),
		reflect.TypeFor[issueState](): enum[issueState]("open", "in_progress", "done"),
		reflect.TypeFor[issueOrder](): enum[issueOrder]("id", "updated"),
		reflect.TypeFor[time.Time]():  {Type: "string", Format: "date-time"},
	}})
	if err != nil {
		return nil, err
	}
	wholeLists(s)
	return s, nil
}

// wholeLists takes null out of the types of lists: an absent list is enough.
func wholeLists(s *jsonschema.Schema) {
	if slices.Contains(s.Types, "array") {
		s.Type, s.Types = "array", nil
	}
	if s.Items != nil {
		wholeLists(s.Items)
	}
	for _, property := range s.Properties {
		wholeLists(property)
	}
}

// first cuts a list to its first n.
func first[T any](list []T, n limit) []T { return list[:min(len(list), int(n))] }

// where is the part of a list for which all tests hold; never nil.
func where[T any](list []T, tests ...func(T) bool) []T {
	found := []T{}
	for _, v := range list {
		if !slices.ContainsFunc(tests, func(holds func(T) bool) bool { return !holds(v) }) {
			found = append(found, v)
		}
	}
	return found
}

// among reports whether v is one of wanted; every v is if none is named.
func among[T comparable](wanted []T, v T) bool { return len(wanted) == 0 || slices.Contains(wanted, v) }
