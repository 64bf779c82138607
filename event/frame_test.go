package event_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/event"
)

func TestFramesAreLinesOfTheirOwn(t *testing.T) {
	piece := event.Piece{Turn: "turn_1", Place: event.Place{Step: 1, Attempt: 2, Part: 3}, Offset: 5, Text: "é\n<"}
	for _, tt := range []struct {
		frame event.Frame
		line  string
	}{
		{event.MessageDelta{Piece: piece}, `{"type":"message.delta","turn":"turn_1","step":1,"attempt":2,"part":3,"offset":5,"text":"é\n<"}`},
		{event.ReasoningDelta{Piece: piece}, `{"type":"reasoning.delta","turn":"turn_1","step":1,"attempt":2,"part":3,"offset":5,"text":"é\n<"}`},
		{event.ToolOutput{CallID: "c", Piece: event.Piece{Text: "x"}}, `{"type":"tool.output","callId":"c","turn":"","offset":0,"text":"x"}`},
		{event.Reset{Turn: "turn_1", Step: 1, Attempt: 2}, `{"type":"reset","turn":"turn_1","step":1,"attempt":2}`},
		{event.Heartbeat{}, `{"type":"heartbeat"}`},
		{event.UnknownFrame{Kind: "later"}, `{"type":"later"}`},
	} {
		t.Run(tt.frame.Type(), func(t *testing.T) {
			if got := string(event.AppendFrame([]byte("before"), tt.frame)); got != "before"+tt.line {
				t.Errorf("got  %s\nwant before%s", got, tt.line)
			}
			got, ok, err := event.DecodeFrame([]byte(tt.line))
			if err != nil || !ok {
				t.Fatalf("%v, %v", ok, err)
			}
			if diff := cmp.Diff(tt.frame, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoEventIsAFrame(t *testing.T) {
	for name, b := range stored(t) {
		for _, e := range decodeStream(t, b) {
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			if f, ok, err := event.DecodeFrame(line); ok || err != nil {
				t.Errorf("%s: %s is the frame %v (%v)", name, line, f, err)
			}
		}
	}
	if f, ok, err := event.DecodeFrame([]byte(`{"type":"heartbeat","seq":1}`)); ok || err != nil {
		t.Errorf("what has a seq is the frame %v (%v)", f, err)
	}
	for _, line := range []string{``, `[]`, `{"type":1}`, `{"type":"reset","step":"1"}`} {
		if f, ok, err := event.DecodeFrame([]byte(line)); err == nil {
			t.Errorf("%s is %v, %v", line, f, ok)
		}
	}
}

// FuzzFrame: what is encoded is one line and comes back.
func FuzzFrame(f *testing.F) {
	f.Add("turn_1", 1, 1, 1, int64(0), "text\n\u2028")
	f.Fuzz(func(t *testing.T, turn string, step, attempt, part int, offset int64, text string) {
		turn, text = strings.ToValidUTF8(turn, "?"), strings.ToValidUTF8(text, "?") // JSON has no way to carry the rest
		piece := event.Piece{Turn: turn, Place: event.Place{Step: step, Attempt: attempt, Part: part}, Offset: offset, Text: text}
		once := event.AppendFrame(nil, event.ToolOutput{CallID: turn, Piece: piece})
		got, ok, err := event.DecodeFrame(once)
		if err != nil || !ok {
			t.Fatalf("%s: %v, %v", once, ok, err)
		}
		if again := event.AppendFrame(nil, got); string(again) != string(once) {
			t.Errorf("%s became %s", once, again)
		}
	})
}
