// Package scripted is a model that says what a script tells it to: for demos,
// evals and tests. What it answers is a function of the request alone, so that
// many sessions can use one script and a session that is taken up again goes
// on where it was.
package scripted

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"agsh.dev/event"
	"agsh.dev/internal/model"
)

// A Model plays one script. It is safe for concurrent use.
type Model struct {
	name   string
	script Script

	mu     sync.Mutex
	failed map[attempt]int
}

// An attempt is a step that fails, for one conversation.
type attempt struct {
	step         *Step
	conversation [sha256.Size]byte
}

var _ model.Streamer = (*Model)(nil)

// New returns a model that plays script. The name, mostly that of the script's
// file, is in what people are shown.
func New(name string, script Script) *Model {
	return &Model{name: name, script: script, failed: map[attempt]int{}}
}

// String says that the model is a script, and which.
func (m *Model) String() string { return "script " + m.name }

// Stream implements [model.Streamer]. Its Response.Model says that it is a
// script.
func (m *Model) Stream(ctx context.Context, req model.Request, show func(model.Delta)) (model.Response, error) {
	if show == nil {
		show = func(model.Delta) {}
	}
	if err := model.Check(req.Messages); err != nil {
		return model.Response{}, m.fail(model.InvalidRequest, err.Error(), err)
	}
	step, err := m.script.find(req.Messages)
	if err != nil {
		return model.Response{}, m.fail(model.ScriptSpent, err.Error(), nil)
	}
	if err := wait(ctx, step.Delay); err != nil {
		return model.Response{}, m.fail(codeOf(err), "the wait was cut short", err)
	}
	r := step.response(answersIn(req.Messages)+1, show)
	r.Model = m.String()
	r.Usage = model.Usage{Input: tokens(req), Output: outputTokens(r)}
	if failure := step.Failure; failure != nil && m.fails(req, step) {
		err := m.fail(failure.Code, failure.Message, nil)
		err.Status, err.RetryAfter = failure.Status, failure.RetryAfter
		err.Partial = r
		err.Partial.Finish = ""
		return model.Response{}, err
	}
	return r, nil
}

func (m *Model) fail(code model.Code, message string, cause error) *model.Error {
	return &model.Error{Code: code, Message: m.String() + ": " + message, Retryable: code.Retryable(), Err: cause}
}

func codeOf(err error) model.Code {
	if err == context.DeadlineExceeded { //nolint:errorlint // ctx.Err returns it as it is
		return model.Timeout
	}
	return model.Cancelled
}

// fails reports whether a step that fails so many times does it once more, for
// this conversation.
func (m *Model) fails(req model.Request, step *Step) bool {
	if step.Failure.Times == 0 {
		return true
	}
	key := attempt{step, sha256.Sum256(fmt.Appendf(nil, "%q %#v", req.System, req.Messages))}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed[key]++
	return m.failed[key] <= step.Failure.Times
}

// wait returns nil after d, or the context's error if that ends before.
func wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// response says what the step has to say, as the nth answer of a conversation.
func (s *Step) response(n int, show func(model.Delta)) model.Response {
	r := model.Response{Finish: model.FinishStop}
	say := func(kind model.Kind, name, text string) {
		for {
			var piece string
			piece, text = cut(text)
			show(model.Delta{Part: len(r.Parts), Kind: kind, Name: name, Text: piece})
			if text == "" {
				return
			}
		}
	}
	if s.Reasoning != "" {
		say(model.DeltaReasoning, "", s.Reasoning)
		r.Parts = append(r.Parts, model.Reasoning{Text: s.Reasoning})
	}
	if s.Text != "" {
		say(model.DeltaText, "", s.Text)
		r.Parts = append(r.Parts, model.Text{Text: s.Text})
	}
	for i, call := range s.Calls {
		say(model.DeltaCall, call.Name, call.Args)
		id := fmt.Sprintf("call_%d_%d", n, i+1)
		r.Parts = append(r.Parts, model.ToolCall{ID: id, Name: call.Name, Args: model.Arguments(call.Args)})
		r.Finish = model.FinishToolCalls
	}
	return r
}

const pieceSize = 12 // bytes: some words of a text make some pieces

// cut returns the beginning of text, up to the end of a character, and the
// rest.
func cut(text string) (piece, rest string) {
	if len(text) <= pieceSize {
		return text, ""
	}
	n := pieceSize
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n++
	}
	return text[:n], text[n:]
}

// tokens estimates those of a request.
func tokens(req model.Request) int {
	n := len(req.System)
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Input)
	}
	for _, m := range req.Messages {
		n += len(textOf(m))
		for _, p := range m.Parts {
			if call, ok := p.(model.ToolCall); ok {
				n += len(call.Name) + len(call.Args)
			}
		}
	}
	return n/4 + 1
}

func outputTokens(r model.Response) int {
	n := 0
	for _, p := range r.Parts {
		switch p := p.(type) {
		case model.Text:
			n += len(p.Text)
		case model.Reasoning:
			n += len(p.Text)
		case model.ToolCall:
			n += len(p.Name) + len(p.Args)
		}
	}
	return n/4 + 1
}

// textOf is what a message says, its tools' results included.
func textOf(m model.Message) string {
	var texts []string
	for _, p := range m.Parts {
		switch p := p.(type) {
		case model.Text:
			texts = append(texts, p.Text)
		case model.ToolResult:
			texts = append(texts, blocks(p.Content)...)
		}
	}
	return strings.Join(texts, "\n")
}

func blocks(content []event.Block) []string {
	texts := make([]string, len(content))
	for i, b := range content {
		texts[i] = b.Text
	}
	return texts
}
