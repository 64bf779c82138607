package event_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"agsh.dev/event"
)

func TestWhatIsNeverServedIsTakenOut(t *testing.T) {
	const start = `{"v":1,"seq":1,"id":"i","at":"2026-11-30T20:15:01.000Z","type":"session.started","by":"ann",`
	const msg = `{"v":1,"seq":2,"id":"i","at":"2026-11-30T20:15:01.000Z","type":"message.received","turn":"t",`
	for _, tt := range []struct{ name, in, want string }{
		{"token of a start", start + `"data":{"agent":"a","tokenHash":"x","scratch":true}}`, start + `"data":{"agent":"a","scratch":true}}`},
		{"nothing there", start + `"data":{"agent":"a"}}`, start + `"data":{"agent":"a"}}`},
		{"nothing left", start + `"data":{"tokenHash":"x"}}`, start + `"data":{}}`},
		{"unknown fields stay", start + `"data":{"z":1.00,"tokenHash":"x","a":{"tokenHash":"y"}}}`, start + `"data":{"z":1.00,"a":{"tokenHash":"y"}}}`},
		{"a message", msg + `"data":{"source":"s","text":"\"tokenHash\":1 é <","policy":"queue","tokenHash":"x","idempotencyKey":"k","bodyHash":"h"}}`, msg + `"data":{"source":"s","text":"\"tokenHash\":1 é <","policy":"queue"}}`},
		{"as a decoder would take it", msg + `"data":{"TOKENHASH":"x","\u0074okenHash":"y","text":""}}`, msg + `"data":{"text":""}}`},
		{"other kinds", strings.Replace(start, "session.started", "later", 1) + `"data":{"tokenHash":"x"}}`, strings.Replace(start, "session.started", "later", 1) + `"data":{"tokenHash":"x"}}`},
		{"without data", strings.TrimSuffix(start, ",") + `}`, strings.TrimSuffix(start, ",") + `}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := []byte(tt.in)
			got, err := event.Redact(in)
			if err != nil || string(got) != tt.want {
				t.Errorf("got  %s (%v)\nwant %s", got, err, tt.want)
			}
			if string(in) != tt.in {
				t.Errorf("the line was changed to %s", in)
			}
		})
	}
	for _, in := range []string{``, `{}`, `{"type":"x"}`, start + `"data":[]}`, start + `"data":{"agent":1`, start + `"data":{"agent"}}`} {
		if got, err := event.Redact([]byte(in)); err == nil {
			t.Errorf("%s: got %s", in, got)
		}
	}
}

func TestRedactIsAsIfItHadNeverBeenSet(t *testing.T) {
	hidden := map[string]bool{"TokenHash": true, "IdempotencyKey": true, "BodyHash": true}
	seen := 0
	for name, b := range stored(t) {
		for _, e := range decodeStream(t, b) {
			line, err := e.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			clean := reflect.New(reflect.TypeOf(e.Data)).Elem()
			clean.Set(reflect.ValueOf(e.Data))
			for f, v := range clean.Fields() {
				if hidden[f.Name] && !v.IsZero() {
					v.SetZero()
					seen++
				}
			}
			e.Data = clean.Interface().(event.Data)
			want, err := e.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := event.Redact(line); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: got  %s (%v)\nwant %s", name, got, err, want)
			}
		}
	}
	if seen == 0 {
		t.Error("no stream has anything to hide")
	}
}

// FuzzNothingHiddenIsServed: whatever an event says, what is served of it can
// be read and hides its secrets.
func FuzzNothingHiddenIsServed(f *testing.F) {
	for _, b := range stored(f) {
		for line := range bytes.Lines(b) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var e event.Event
		if e.UnmarshalJSON(b) != nil {
			return
		}
		line, err := e.MarshalJSON()
		if err != nil {
			return
		}
		served, err := event.Redact(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		var back event.Event
		if err := back.UnmarshalJSON(served); err != nil {
			t.Fatalf("%s: %v", served, err)
		}
		switch d := back.Data.(type) {
		case event.SessionStarted:
			if d.TokenHash != "" {
				t.Errorf("%s has a token hash", served)
			}
		case event.MessageReceived:
			if d.TokenHash+d.IdempotencyKey+d.BodyHash != "" {
				t.Errorf("%s has a secret", served)
			}
		default:
			if !bytes.Equal(line, served) {
				t.Errorf("%s became %s", line, served)
			}
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	const head = `{"v":1,"seq":2,"id":"evt_0123456789","at":"2026-11-30T20:15:01.000Z","type":`
	for name, line := range map[string]string{
		"nothing to hide": head + `"tool.completed","data":{"callId":"c","status":"ok","content":[],"durationMs":1}}`,
		"message":         head + `"message.received","turn":"t","data":{"source":"http","text":"a","policy":"queue","tokenHash":"x"}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := event.Redact([]byte(line)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
