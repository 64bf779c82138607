package event_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"agsh.dev/event"
)

// stored returns the streams that versions of this package wrote, by the path
// of their file: testdata/streams/<version>/<situation>.ndjson. They are
// never written again. A later version adds a folder.
func stored(tb testing.TB) map[string][]byte {
	tb.Helper()
	files, err := filepath.Glob("testdata/streams/*/*.ndjson")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no streams (%v)", err)
	}
	streams := map[string][]byte{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		streams[filepath.ToSlash(strings.TrimPrefix(file, filepath.Join("testdata", "streams")+string(filepath.Separator)))] = b
	}
	return streams
}

func decodeStream(tb testing.TB, b []byte) []event.Event {
	tb.Helper()
	var events []event.Event
	for line := range bytes.Lines(b) {
		var e event.Event
		if err := e.UnmarshalJSON(line); err != nil {
			tb.Fatalf("%s: %v", line, err)
		}
		events = append(events, e)
	}
	return events
}

func TestStreamsOfEveryVersionComeBackByteForByte(t *testing.T) {
	for name, b := range stored(t) {
		t.Run(name, func(t *testing.T) {
			lines := bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"))
			for i, e := range decodeStream(t, b) {
				if u, ok := e.Data.(event.Unknown); ok {
					t.Errorf("event %d is of the unknown kind %q", e.Seq, u.Kind)
				}
				again, err := e.MarshalJSON()
				if err != nil || !bytes.Equal(again, lines[i]) {
					t.Errorf("event %d came back as\n%s (%v), want\n%s", e.Seq, again, err, lines[i])
				}
			}
		})
	}
}

// every is one value of each kind; a kind that is missing fails
// TestEveryFieldIsInAStoredStream through the names it finds in the streams.
var every = []event.Data{
	event.SessionStarted{},
	event.SessionEnded{},
	event.SessionDeleted{},
	event.Notice{},
	event.MessageReceived{},
	event.TurnStarted{},
	event.TurnWaiting{},
	event.TurnCompleted{},
	event.TurnCancelled{},
	event.TurnFailed{},
	event.ResultCompleted{},
	event.StepStarted{},
	event.StepCompleted{},
	event.StepFailed{},
	event.ReasoningCompleted{},
	event.MessageCompleted{},
	event.ToolRequested{},
	event.ToolStarted{},
	event.ToolCompleted{},
	event.RequestOpened{},
	event.RequestClosed{},
	event.CompactionStarted{},
	event.CompactionCompleted{},
	event.CompactionFailed{},
	event.ContextCleared{},
	event.SubagentStarted{},
	event.SubagentCompleted{},
}

func TestEveryFieldIsInAStoredStream(t *testing.T) {
	used := map[string]map[string]bool{} // of each kind, the paths of fields that are set
	for _, b := range stored(t) {
		for _, e := range decodeStream(t, b) {
			if used[e.Type()] == nil {
				used[e.Type()] = map[string]bool{}
			}
			mark(used[e.Type()], "", reflect.ValueOf(e.Data))
		}
	}
	for _, d := range every {
		fields := map[string]bool{}
		want(fields, "", reflect.TypeOf(d))
		if used[d.Type()] == nil {
			t.Errorf("no stream has a %s", d.Type())
		}
		for path := range fields {
			if !used[d.Type()][path] {
				t.Errorf("no stream has a %s with %s", d.Type(), path)
			}
		}
		delete(used, d.Type())
	}
	for kind := range used {
		t.Errorf("kind %s is missing in every", kind)
	}
}

// ours reports whether a type's fields are part of the vocabulary.
func ours(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.PkgPath() == reflect.TypeFor[event.Event]().PkgPath()
}

// want collects the paths of the fields of t. Blocks have tests of their own.
func want(paths map[string]bool, prefix string, t reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && ours(t.Elem()) {
		t = t.Elem()
	}
	if !ours(t) || t == reflect.TypeFor[event.Block]() {
		paths[prefix] = true
		return
	}
	for f := range t.Fields() {
		want(paths, prefix+"."+f.Name, f.Type)
	}
}

func mark(paths map[string]bool, prefix string, v reflect.Value) {
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		mark(paths, prefix, v.Elem())
	case v.Kind() == reflect.Slice && ours(v.Type().Elem()) && v.Type().Elem() != reflect.TypeFor[event.Block]():
		for i := range v.Len() {
			mark(paths, prefix, v.Index(i))
		}
	case ours(v.Type()):
		for i := range v.NumField() {
			mark(paths, prefix+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case !v.IsZero():
		paths[prefix] = true
	}
}

func TestUnknownKindsComeBackAndUnknownFieldsOfKnownOnesDoNot(t *testing.T) {
	const head = `{"v":1,"seq":1,"id":"i","at":"2026-11-30T20:15:01.000Z","type":`
	for _, tt := range []struct{ name, in, want string }{
		{"kind", head + `"turn.paused","data":{"b":1.0,"a":[]}}`, head + `"turn.paused","data":{"b":1.0,"a":[]}}`},
		{"kind without data", head + `"turn.paused"}`, head + `"turn.paused"}`},
		{"field", head + `"turn.waiting","data":{"on":"request","later":1}}`, head + `"turn.waiting","data":{"on":"request"}}`},
		{"value", head + `"turn.waiting","data":{"on":"later"}}`, head + `"turn.waiting","data":{"on":"later"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var e event.Event
			if err := e.UnmarshalJSON([]byte(tt.in)); err != nil {
				t.Fatal(err)
			}
			got, err := e.MarshalJSON()
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s (%v), want %s", got, err, tt.want)
			}
			passed, err := event.Redact([]byte(tt.in))
			if err != nil || string(passed) != tt.in {
				t.Errorf("redacted: got %s (%v), want %s", passed, err, tt.in)
			}
		})
	}
}

func TestArgumentsKeepTheTextTheyCameAs(t *testing.T) {
	for text, wantArgs := range map[string]string{
		`{"a":1}`:                   `{"a":1}`,
		`{"a": 1.0, "b":"<\u00e9"}`: `{"a":1.0,"b":"<\u00e9"}`,
		" {} ":                      `{}`,
		`{"a":`:                     `"{\"a\":"`,
		`"text"`:                    `"text"`,
		`text`:                      `"text"`,
		``:                          `{}`,
		"null":                      `null`,
	} {
		args, raw := event.Arguments(text)
		if string(args) != wantArgs {
			t.Errorf("Arguments(%q) = %s, want %s", text, args, wantArgs)
		}
		line, err := event.Event{At: at, Data: event.ToolRequested{Args: args, RawArgs: raw}}.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var back event.Event
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatal(err)
		}
		if got := back.Data.(event.ToolRequested).ArgsText(); got != cmp.Or(text, "{}") {
			t.Errorf("%q came back as %q", text, got)
		}
	}
}

func BenchmarkDecodeData(b *testing.B) {
	for _, bb := range []struct{ kind, data string }{
		{"tool.requested", `{"callId":"call_1","name":"Grep","args":{"pattern":"x","path":"/src"},"origin":"model"}`},
		{"tool.completed", `{"callId":"call_1","status":"ok","content":[{"type":"text","text":"a line of text\n"}],"durationMs":12}`},
		{"turn.paused", `{"a":1}`},
	} {
		b.Run(bb.kind, func(b *testing.B) {
			b.ReportAllocs()
			raw := json.RawMessage(bb.data)
			for b.Loop() {
				if _, err := event.DecodeData(bb.kind, raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
