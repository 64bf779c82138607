package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"agsh.dev/internal/model"
	"agsh.dev/internal/model/openai"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answering is a client whose every request gets that response.
func answering(status int, mediaType string, body io.Reader) *http.Client {
	return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: status, Header: http.Header{"Content-Type": {mediaType}}, Body: io.NopCloser(body), Request: r,
		}, nil
	})}
}

func newModel(tb testing.TB, cfg openai.Config) *openai.Model {
	tb.Helper()
	if cfg.Model == "" {
		cfg.Model = "m-1"
	}
	m, err := openai.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func hello() model.Request { return model.Request{Messages: []model.Message{says("hello")}} }

func says(text string) model.Message {
	return model.Message{Role: model.User, Parts: []model.Part{model.Text{Text: text}}}
}

// An outcome is what came of a request, in a form that can be compared and
// read.
type outcome struct {
	Parts  []map[string]any `json:"parts"`
	Finish model.Finish     `json:"finish,omitempty"`
	Usage  *model.Usage     `json:"usage,omitempty"`
	Model  string           `json:"model,omitempty"`
	Error  map[string]any   `json:"error,omitempty"`
}

func outcomeOf(tb testing.TB, r model.Response, err error) string {
	tb.Helper()
	var o outcome
	if err != nil {
		failure := asError(tb, err)
		r = failure.Partial
		o.Error = map[string]any{"code": failure.Code, "message": failure.Message, "retryable": failure.Retryable}
		if failure.Status != 0 {
			o.Error["status"] = failure.Status
		}
	}
	o.Finish, o.Model = r.Finish, r.Model
	if r.Usage != (model.Usage{}) {
		o.Usage = &r.Usage
	}
	for _, p := range r.Parts {
		switch p := p.(type) {
		case model.Text:
			o.Parts = append(o.Parts, map[string]any{"text": p.Text})
		case model.Reasoning:
			o.Parts = append(o.Parts, map[string]any{"reasoning": p.Text, "opaque": string(p.Opaque)})
		case model.ToolCall:
			if !json.Valid(p.Args) {
				tb.Errorf("the call %s has arguments that are not JSON: %s", p.ID, p.Args)
			}
			o.Parts = append(o.Parts, map[string]any{"call": p.Name, "id": p.ID, "args": string(p.Args)})
		default:
			tb.Errorf("a response has a %T", p)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(o); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

func asError(tb testing.TB, err error) *model.Error {
	tb.Helper()
	var failure *model.Error
	if !errors.As(err, &failure) {
		tb.Fatalf("the error is a %T: %v", err, err)
	}
	return failure
}

// written is the text of every part, joined from deltas.
type written map[int]string

func (w written) add(d model.Delta) { w[d.Part] += d.Text }

// agree tells what the deltas showed that the parts do not say.
func (w written) agree(tb testing.TB, r model.Response, err error) {
	tb.Helper()
	if err != nil {
		r = asError(tb, err).Partial
	}
	said := written{}
	for i, p := range r.Parts {
		text := ""
		switch p := p.(type) {
		case model.Text:
			text = p.Text
		case model.Reasoning:
			text = p.Text
		case model.ToolCall:
			if strings.TrimSpace(w[i]) == "" {
				text = w[i] // nothing was written: the arguments are {}
			} else if text = string(p.Args); !json.Valid([]byte(w[i])) {
				if e := json.Unmarshal(p.Args, &text); e != nil {
					tb.Errorf("arguments %s for the text %q", p.Args, w[i])
				}
			}
		}
		if _, shown := w[i]; shown || text != "" {
			said[i] = text
		}
	}
	if !maps.Equal(w, said) {
		tb.Errorf("shown: %v\n said: %v", w, said)
	}
}

func ask(tb testing.TB, m *openai.Model) (string, written) {
	tb.Helper()
	w := written{}
	r, err := m.Stream(tb.Context(), hello(), w.add)
	w.agree(tb, r, err)
	return outcomeOf(tb, r, err), w
}

func stream(tb testing.TB, body io.Reader) (string, written) {
	tb.Helper()
	return ask(tb, newModel(tb, openai.Config{Client: answering(200, "text/event-stream", body)}))
}
