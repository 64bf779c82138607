// Package openai asks models over the Chat Completions API, as OpenAI and many
// others serve it: Ollama, vLLM, llama.cpp, OpenRouter. It reads the dialects
// they speak.
package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"time"

	"agsh.dev/internal/model"
	"agsh.dev/internal/model/sse"
)

// Config says which model is asked, and where.
type Config struct {
	// Model is the model's name, as the provider knows it.
	Model string
	// BaseURL is where the API is; empty means OpenAI. A path that names no
	// version gets /v1, and one that ends in /chat/completions is taken as it
	// is. A query is kept.
	BaseURL string
	// Key returns the key, for each request anew; nil or "" sends none. No
	// error shows it.
	Key func() string
	// Headers go with every request. No error shows their values.
	Headers map[string]string
	// Client makes the requests; nil means http.DefaultClient. Its
	// CheckRedirect is not used: requests stay at the origin of BaseURL.
	Client *http.Client
	// IdleTimeout is how long the server may send nothing; 0 means
	// [DefaultIdleTimeout]. How long an answer may take in all is for the
	// context to say.
	IdleTimeout time.Duration
	// MaxAnswer is how many bytes the texts of an answer, and one event of its
	// stream, may have; 0 means [DefaultMaxAnswer].
	MaxAnswer int
	// Now tells the time for a Retry-After that is a date; nil means time.Now.
	Now func() time.Time
}

// DefaultIdleTimeout leaves a model on a small machine the time to read a long
// prompt.
const DefaultIdleTimeout = 5 * time.Minute

// DefaultMaxAnswer is more than any model says at once.
const DefaultMaxAnswer = 16 << 20

const (
	defaultBaseURL = "https://api.openai.com/v1"
	// afterFinish is how long usage is waited for once the answer is
	// complete: some servers then neither say so nor hang up.
	afterFinish  = 10 * time.Second
	maxErrorBody = 64 << 10
)

// A Model is one model at one server. It is safe for concurrent use.
type Model struct {
	cfg      Config
	endpoint *url.URL
	client   http.Client
}

var _ model.Streamer = (*Model)(nil)

// New returns the model that cfg describes. It makes no request.
func New(cfg Config) (*Model, error) {
	if cfg.Model == "" {
		return nil, fail(model.ModelMissing, "the model has no name", nil)
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = defaultBaseURL
	}
	endpoint, err := endpointOf(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	if cfg.Client == nil {
		cfg.Client = http.DefaultClient
	}
	if cfg.IdleTimeout == 0 {
		cfg.IdleTimeout = DefaultIdleTimeout
	}
	if cfg.MaxAnswer == 0 {
		cfg.MaxAnswer = DefaultMaxAnswer
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	m := &Model{cfg: cfg, endpoint: endpoint, client: *cfg.Client}
	m.client.CheckRedirect = stayAt(endpoint)
	return m, nil
}

// Stream implements [model.Streamer].
func (m *Model) Stream(ctx context.Context, req model.Request, show func(model.Delta)) (model.Response, error) {
	key := ""
	if m.cfg.Key != nil {
		key = m.cfg.Key()
	}
	resp, err := m.stream(ctx, key, req, show)
	if err == nil {
		return resp, nil
	}
	failure := &model.Error{}
	if !errors.As(err, &failure) {
		failure = fail(model.StreamError, err.Error(), err)
	}
	failure.Message = newRedactor(key, m.cfg.Headers).text(fmt.Sprintf("ask model %s: %s", m.cfg.Model, failure.Message))
	failure.Partial = resp
	failure.Partial.Finish = ""
	return model.Response{}, failure
}

// stream returns what came, also beside an error.
func (m *Model) stream(ctx context.Context, key string, req model.Request, show func(model.Delta)) (model.Response, error) {
	body, err := encode(m.cfg.Model, isOpenAI(m.endpoint), req)
	if err != nil {
		return model.Response{}, fail(model.InvalidRequest, err.Error(), err)
	}
	ctx, watch := watchIdle(ctx, m.cfg.IdleTimeout)
	defer watch.stop()
	hr, err := http.NewRequestWithContext(ctx, http.MethodPost, m.endpoint.String(), bytes.NewReader(body))
	if err != nil {
		return model.Response{}, fail(model.InvalidRequest, err.Error(), err)
	}
	hr.Header.Set("Content-Type", "application/json")
	hr.Header.Set("Accept", "text/event-stream")
	if key != "" {
		hr.Header.Set("Authorization", "Bearer "+key)
	}
	for _, name := range slices.Sorted(maps.Keys(m.cfg.Headers)) {
		hr.Header.Set(name, m.cfg.Headers[name])
	}
	resp, err := m.client.Do(hr)
	if err != nil {
		return model.Response{}, unsent(ctx, err)
	}
	defer resp.Body.Close()
	watch.heard()
	return m.read(ctx, resp, watch, show)
}

func (m *Model) read(ctx context.Context, resp *http.Response, watch *idle, show func(model.Delta)) (model.Response, error) {
	body := watch.reader(resp.Body)
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode/100 != 2 || kind == "text/html" {
		// What could be read of it says more than that the rest is missing.
		text, _ := io.ReadAll(io.LimitReader(body, maxErrorBody))
		return model.Response{}, refused(resp, kind, text, m.cfg.Now())
	}
	a := newAnswer(show, m.cfg.MaxAnswer)
	if kind == "application/json" {
		return m.readWhole(ctx, a, body)
	}
	for event, err := range sse.Events(body, m.cfg.MaxAnswer) {
		if err != nil {
			if a.complete() {
				break
			}
			return a.response(), cut(ctx, err)
		}
		done, err := a.event(event)
		if err != nil {
			return a.response(), err
		}
		if done {
			break
		}
		if a.complete() {
			watch.limit(afterFinish)
		}
	}
	return a.response(), a.close()
}

// readWhole reads the answer of a server that does not stream.
func (m *Model) readWhole(ctx context.Context, a *answer, body io.Reader) (model.Response, error) {
	text, err := io.ReadAll(io.LimitReader(body, int64(m.cfg.MaxAnswer)+1))
	switch {
	case err != nil:
		return model.Response{}, cut(ctx, err)
	case len(text) > m.cfg.MaxAnswer:
		return model.Response{}, tooLong(m.cfg.MaxAnswer)
	}
	if err := a.whole(text); err != nil {
		return a.response(), err
	}
	return a.response(), a.close()
}
