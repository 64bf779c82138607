package openai_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/event"
	"agsh.dev/internal/model"
	"agsh.dev/internal/model/openai"
)

// sent returns the body that asks for req.
func sent(t *testing.T, cfg openai.Config, req model.Request) string {
	t.Helper()
	var body []byte
	cfg.Client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		body, _ = io.ReadAll(r.Body)
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("data: [DONE]\n\n"))}, nil
	})}
	_, err := newModel(t, cfg).Stream(t.Context(), req, nil)
	if body == nil {
		t.Fatal(err)
	}
	return string(body)
}

func conversation() model.Request {
	opaque := json.RawMessage(`{"field":"reasoning_content","details":[{"type":"reasoning.encrypted","data":"<x>"}]}`)
	type parts = []model.Part
	return model.Request{
		System: "Be <brief>.",
		Messages: []model.Message{
			says("hello"),
			{Role: model.Assistant, Parts: parts{model.Reasoning{Text: "of before", Opaque: opaque}, model.Text{Text: "Hi."}}},
			{Role: model.User, Parts: parts{
				model.Text{Text: "What is it?"},
				model.File{MimeType: "image/png", Data: "aW1n"},
				model.File{Name: "a.pdf", MimeType: "application/pdf", Data: "cGRm"},
				model.File{MimeType: "audio/mpeg", Data: "bXAz"},
			}},
			{Role: model.Assistant, Parts: parts{
				model.Reasoning{Text: "of now", Opaque: opaque},
				model.Reasoning{Text: "another's", Opaque: json.RawMessage(`{"signature":"s"}`)},
				model.ToolCall{ID: "c1", Name: "look", Args: json.RawMessage(`{"z": 1.0, "a":"<é>"}`)},
				model.ToolCall{ID: "c2", Name: "list", Args: json.RawMessage(`"{\"path\":"`)},
				model.ToolCall{ID: "c3", Name: "now", Args: json.RawMessage(`{}`)},
			}},
			{Role: model.ToolRole, Parts: parts{
				model.ToolResult{CallID: "c1", Content: []event.Block{event.Text("one"), {Type: "image", MimeType: "image/jpeg", Data: "anBn"}, event.Text("two")}},
				model.ToolResult{CallID: "c2", IsError: true, Content: []event.Block{event.Text("arguments are not JSON")}},
			}},
			{Role: model.ToolRole, Parts: parts{model.ToolResult{CallID: "c3", Content: []event.Block{
				{Type: "resource_link", Name: "log", URI: "file:///log"},
				{Type: "resource", URI: "file:///x", Text: "inside"},
				{Type: "audio", MimeType: "audio/wav", Data: "d2F2"},
			}}}},
			{Role: model.Assistant, Parts: parts{model.ToolCall{ID: "c4", Name: "now", Args: json.RawMessage(`{}`)}}},
			{Role: model.ToolRole, Parts: parts{model.ToolResult{CallID: "c4"}}},
		},
		Tools: []model.Tool{
			{Name: "look", Description: "Looks & sees.", Input: json.RawMessage(`{"type":"object","properties":{"z":{"type":"number","maximum":1.50},"a":{"type":"string"}},"required":["z"]}`)},
			{Name: "now"},
		},
		MaxOutputTokens: 100,
		Reasoning:       "low",
	}
}

func TestRequestsAsTheyAreSent(t *testing.T) {
	var got bytes.Buffer
	if err := json.Indent(&got, []byte(sent(t, openai.Config{BaseURL: "http://localhost:1"}, conversation())), "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	if *update {
		if err := os.WriteFile("testdata/request.json", got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/request.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A provider's cache is keyed by the beginning of a request.
func TestALongerConversationBeginsLikeTheShorterOne(t *testing.T) {
	req := conversation()
	long := sent(t, openai.Config{}, req)
	if again := sent(t, openai.Config{}, conversation()); again != long {
		t.Errorf("equal requests differ:\n%s\n%s", long, again)
	}
	req.Messages = req.Messages[:6]
	short := sent(t, openai.Config{}, req)
	head, _, _ := strings.Cut(short, `],"tools":`)
	if !strings.HasPrefix(long, head) {
		t.Errorf("%s\nis not the beginning of\n%s", head, long)
	}
}

func TestOnlyOpenAIGetsTheNewNameOfTheLimit(t *testing.T) {
	for base, want := range map[string]string{
		"": `"max_completion_tokens":100`, "https://x.openai.azure.com/openai/v1": `"max_completion_tokens":100`,
		"http://localhost:11434": `"max_tokens":100`, "https://api.openai.com.evil.example": `"max_tokens":100`,
	} {
		if got := sent(t, openai.Config{BaseURL: base}, conversation()); !strings.Contains(got, want) {
			t.Errorf("%q gets no %s: %s", base, want, got)
		}
	}
}

func TestWhatNoServerTakesIsNotSent(t *testing.T) {
	m := newModel(t, openai.Config{Client: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		t.Error("it was sent")
		return nil, io.EOF
	})}})
	call := model.Message{Role: model.Assistant, Parts: []model.Part{model.ToolCall{ID: "c", Name: "x", Args: json.RawMessage(`{}`)}}}
	for name, req := range map[string]model.Request{
		"a call without a result":   {Messages: []model.Message{call}},
		"a schema that is not JSON": {Tools: []model.Tool{{Name: "x", Input: json.RawMessage(`{`)}}},
	} {
		_, err := m.Stream(t.Context(), req, nil)
		if failure := asError(t, err); failure.Code != model.InvalidRequest || failure.Retryable {
			t.Errorf("%s: %v", name, err)
		}
	}
}
