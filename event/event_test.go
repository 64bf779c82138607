package event_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"agsh.dev/event"
)

var update = flag.Bool("update", false, "rewrite testdata")

// kind is in an event only between its envelope and its blob.
var sameEvent = cmpopts.IgnoreUnexported(event.Event{})

var at = time.Date(2026, 11, 30, 20, 15, 1, 123_000_000, time.UTC)

// streams has every kind of event, as small and as full as it can be.
var streams = map[string][]event.Event{
	"session": {
		{Data: event.SessionStarted{Agent: "a"}},
		{Data: event.SessionStarted{Agent: "a", ConfigHash: "c0", TokenHash: "t0", Scratch: true}, By: "operator"},
		{Data: event.Notice{Level: "warning", Code: "tool_slow", Text: "line\nline"}, Turn: "trn_1"},
		{Data: event.SessionDeleted{}},
	},
	"tool": {
		{Data: event.ToolRequested{CallID: "call_1", Name: "LS", Args: json.RawMessage(`{}`), Origin: event.OriginOperator}},
		{Data: event.ToolRequested{
			CallID: "call_2", Name: "t", Origin: event.OriginModel, Approved: true,
			Args: json.RawMessage(`{"z":12345678901234567890.10,"a":[1e400,-0,0.10],"A":null,"":"é\u00e9"}`),
		}, Turn: "trn_1", By: "operator"},
		{Data: event.ToolRequested{CallID: "call_3", Args: json.RawMessage(`"not an object"`)}},
		{Data: event.ToolStarted{CallID: "call_2", Attempt: 1}},
		{Data: event.ToolCompleted{CallID: "call_1", Status: event.StatusOK, Content: []event.Block{}}},
		{Data: event.ToolCompleted{
			CallID: "call_2", Status: event.StatusError, DurationMs: 1500,
			Content: []event.Block{
				event.Text(""), event.Text("<b> & \u2028 \x1b[2J \u009b"),
				{Type: "image", Data: "aGk=", MimeType: "image/png"},
				{Type: "later", Text: "t"},
			},
			StructuredContent: json.RawMessage(`{"b":1.0,"a":2}`),
			Error:             &event.Error{Code: "failed", Message: "no"}, Truncated: &event.Truncated{Bytes: 1 << 40},
		}},
	},
	"elsewhere": {
		{Data: event.Unknown{Kind: "turn.paused"}},
		{Data: event.Unknown{Kind: "turn.delta", Raw: json.RawMessage(`null`)}},
		{Data: event.Unknown{Kind: "turn.delta", Raw: json.RawMessage(`{"z":1.00,"a":{"type":"x"},"z":[12345678901234567890]}`)}},
		{Data: event.Unknown{Kind: "", Raw: json.RawMessage(`7`)}},
		event.Event{V: 2, Data: event.Notice{}}.Spill(event.Blob{SHA256: "ab", Size: 300_000}),
	},
}

func TestStreamsAreWrittenAndReadAsTheyAlwaysWere(t *testing.T) {
	for name, events := range streams {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			for i := range events {
				e := &events[i]
				e.Seq, e.ID, e.At = int64(i+1), "evt_"+string(rune('a'+i)), at.Add(time.Duration(i)*time.Second)
				line, err := json.Marshal(*e)
				if err != nil {
					t.Fatal(err)
				}
				got.Write(append(line, '\n'))
			}
			file := filepath.Join("testdata", name+".ndjson")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("stream (-want +got):\n%s", diff)
			}
			i := 0
			for line := range strings.Lines(string(want)) {
				var e event.Event
				if err := json.Unmarshal([]byte(line), &e); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				expect := events[i]
				if expect.V == 0 {
					expect.V = event.Version
				}
				if diff := cmp.Diff(expect, e, sameEvent); diff != "" {
					t.Errorf("event %d (-want +got):\n%s", i+1, diff)
				}
				if expect.Type() != e.Type() {
					t.Errorf("event %d is a %q, want %q", i+1, e.Type(), expect.Type())
				}
				again, err := json.Marshal(e)
				if err != nil || string(again)+"\n" != line {
					t.Errorf("event %d came back as\n%s (%v), want\n%s", i+1, again, err, line)
				}
				i++
			}
		})
	}
}

func TestForeignJSONKeepsWhatItSays(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{
			"space and order of the envelope",
			"{ \"data\" : {\n\"b\":1.0 , \"a\":[ ] },\t\"type\":\"x\",\"at\":\"2026-11-30T20:15:01Z\",\"id\":\"i\",\"seq\":7,\"v\":1}",
			`{"v":1,"seq":7,"id":"i","at":"2026-11-30T20:15:01.000Z","type":"x","data":{"b":1.0,"a":[]}}`,
		},
		{
			"plain signs",
			`{"v":1,"seq":1,"id":"","at":"2026-11-30T20:15:01.000Z","type":"x","data":{"<":"& >"}}`,
			`{"v":1,"seq":1,"id":"","at":"2026-11-30T20:15:01.000Z","type":"x","data":{"\u003c":"\u0026 \u003e"}}`,
		},
		{
			"another zone and more digits of a second",
			`{"v":1,"seq":1,"id":"","at":"2026-11-30T22:15:01.123999999+02:00","type":"x"}`,
			`{"v":1,"seq":1,"id":"","at":"2026-11-30T20:15:01.123Z","type":"x"}`,
		},
		{
			"a version and fields to come",
			`{"v":9,"seq":1,"id":"","at":"2026-11-30T20:15:01.000Z","type":"notice","data":{"level":"info","code":"c","text":"t","more":1},"more":1}`,
			`{"v":9,"seq":1,"id":"","at":"2026-11-30T20:15:01.000Z","type":"notice","data":{"level":"info","code":"c","text":"t"}}`,
		},
		{
			"data that is missing",
			`{"v":1,"seq":1,"id":"","at":"2026-11-30T20:15:01.000Z","type":"tool.requested"}`,
			`{"v":1,"seq":1,"id":"","at":"2026-11-30T20:15:01.000Z","type":"tool.requested","data":{"callId":"","name":"","args":null,"origin":""}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var e event.Event
			if err := json.Unmarshal([]byte(tt.in), &e); err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if e.At.Location() != time.UTC {
				t.Errorf("the time is in %v", e.At.Location())
			}
		})
	}
}

func TestWhatIsNoEventIsRefused(t *testing.T) {
	tests := []struct{ in, want string }{
		{`[]`, "decode event"},
		{`{"v":"1"}`, "decode event"},
		{`{}`, "decode event 0"},
		{`{"seq":3,"at":"yesterday"}`, "decode event 3"},
		{`{"seq":3,"at":"2026-11-30T20:15:01Z","type":"notice","data":[]}`, "decode event 3: notice"},
		{`{"seq":3,"at":"2026-11-30T20:15:01Z","type":"tool.completed","data":{"content":{}}}`, "decode event 3: tool.completed"},
	}
	for _, tt := range tests {
		var e event.Event
		if err := json.Unmarshal([]byte(tt.in), &e); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.in, err, tt.want)
		}
	}
	for name, e := range map[string]event.Event{
		"no data":      {At: at},
		"args":         {At: at, Data: event.ToolRequested{Args: json.RawMessage(`{"a":`)}},
		"unknown data": {At: at, Data: event.Unknown{Kind: "x", Raw: json.RawMessage(`{`)}},
		"a far time":   {At: at.AddDate(9000, 0, 0), Data: event.SessionDeleted{}},
	} {
		if b, err := json.Marshal(e); err == nil {
			t.Errorf("%s: encodes as %s", name, b)
		}
	}
}

func TestTextThatIsNotUTF8IsMarked(t *testing.T) {
	b, err := json.Marshal(event.Text("a\xff\xfeb"))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"type":"text","text":"a\ufffd\ufffdb"}`; string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
}

func TestAnEncoderDecidesHowABlockIsEscaped(t *testing.T) {
	for escape, want := range map[bool]string{true: `[{"type":"text","text":"\u003c"},{"type":"x","text":"\u003c"}]`, false: `[{"type":"text","text":"<"},{"type":"x","text":"<"}]`} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(escape)
		if err := enc.Encode([]event.Block{event.Text("<"), {Type: "x", Text: "<"}}); err != nil {
			t.Fatal(err)
		}
		if b.String() != want+"\n" {
			t.Errorf("got %s, want %s", &b, want)
		}
	}
}

func TestDataInABlobComesBack(t *testing.T) {
	whole := event.Event{V: 1, Seq: 4, ID: "i", At: at, Data: event.Notice{Level: "info", Text: "t"}}
	data, err := json.Marshal(whole.Data)
	if err != nil {
		t.Fatal(err)
	}
	spilled := whole.Spill(event.Blob{SHA256: "ab", Size: int64(len(data))})
	b, err := json.Marshal(spilled)
	if err != nil {
		t.Fatal(err)
	}
	var read event.Event
	if err := json.Unmarshal(b, &read); err != nil {
		t.Fatal(err)
	}
	if read.Data != nil || read.Type() != "notice" || read.Blob == nil || read.Blob.SHA256 != "ab" {
		t.Errorf("got %+v of type %q", read, read.Type())
	}
}

func TestSeqOfReadsTheHeadOfAnEncodedEvent(t *testing.T) {
	for in, want := range map[string]int64{
		`{"v":1,"seq":7,"id":"x"`:                   7,
		`{"v":12,"seq":9223372036854775000,`:        9223372036854775000,
		`{"v":1,"seq":9223372036854775808,`:         0,
		`{"v":1,"seq":92233720368547758070000,`:     0,
		`{"v":1,"seq":-1,`:                          0,
		`{"v":1,"seq":,`:                            0,
		`{"v":1,"seq":7`:                            0,
		`{"v":,"seq":7,`:                            0,
		`{"seq":7,"v":1}`:                           0,
		`{"v":1,"id":"a","data":{"a":1,"seq":7,"x"`: 0,
		``:             0,
		"\x00\x00\x00": 0,
	} {
		if got := event.SeqOf([]byte(in)); got != want {
			t.Errorf("SeqOf(%s) = %d, want %d", in, got, want)
		}
	}
}

// FuzzWhatIsWrittenComesBackByteForByte is the contract of the codec: once
// encoded, an event stays as it is, on one line.
func FuzzWhatIsWrittenComesBackByteForByte(f *testing.F) {
	stored, err := filepath.Glob("testdata/streams/*/*.ndjson")
	if err != nil {
		f.Fatal(err)
	}
	files, err := filepath.Glob("testdata/*.ndjson")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range append(files, stored...) {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(b) {
			f.Add(line)
		}
	}
	f.Add([]byte(`{"at":"9999-12-31T23:59:59-23:59","type":"x"}`))
	f.Add([]byte("{\"at\":\"2026-11-30T20:15:01Z\",\"type\":\"\xff\",\"data\":[\"\xff\u2028\"]}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var e event.Event
		if json.Unmarshal(b, &e) != nil {
			return
		}
		once, err := json.Marshal(e)
		if err != nil {
			return
		}
		if bytes.ContainsAny(once, "\r\n\u2028\u2029") {
			t.Errorf("%q is more than one line", once)
		}
		var back event.Event
		if err := json.Unmarshal(once, &back); err != nil {
			t.Fatalf("%q cannot be read back: %v", once, err)
		}
		if got := event.SeqOf(once); got != e.Seq && e.Seq > 0 && e.Seq < 1<<60 && e.V >= 0 {
			t.Errorf("SeqOf(%q) = %d", once, got)
		}
		twice, err := json.Marshal(back)
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%q became %q (%v)", once, twice, err)
		}
	})
}
