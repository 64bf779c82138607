package openai

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"agsh.dev/internal/model"
	"agsh.dev/internal/model/sse"
)

// fail returns an error whose code says whether trying again may help.
func fail(code model.Code, message string, cause error) *model.Error {
	return &model.Error{Code: code, Message: message, Retryable: code.Retryable(), Err: cause}
}

// refused is the error of a response that is no answer.
func refused(resp *http.Response, mediaType string, body []byte, now time.Time) error {
	status := strings.TrimSpace(fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))
	detail, ok := detailOf(body)
	text := string(bytes.TrimSpace(body))
	switch {
	case ok:
	case mediaType == "text/html" || strings.HasPrefix(text, "<"):
		detail.Message = "the server answers " + status + " with a web page: check baseUrl, and proxies on the way"
	case text == "":
		detail.Message = "the server answers " + status + " and says nothing"
	default:
		detail.Message = bound(text, 500)
	}
	failure := fail(classify(resp.StatusCode, detail), detail.Message, nil)
	failure.Status, failure.RetryAfter = resp.StatusCode, retryAfter(resp.Header, now)
	return failure
}

// told is the error that a server tells inside of an answer.
func told(detail errorDetail) error {
	status, _ := strconv.Atoi(string(detail.Code))
	if status < 400 || status > 599 {
		status, _ = strconv.Atoi(string(detail.Status))
	}
	if status < 400 || status > 599 {
		status = 0
	}
	if detail.Message == "" {
		detail.Message = "the server reports an error and does not say which"
	}
	failure := fail(classify(status, detail), detail.Message, nil)
	failure.Status = status
	return failure
}

// detailOf reads the body of an error: the object, a list with it, or what
// some servers send instead. It reports false if it finds none.
func detailOf(body []byte) (errorDetail, bool) {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) != nil || len(list) == 0 {
			return errorDetail{}, false
		}
		body = list[0]
	}
	var form struct {
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &form) != nil {
		return errorDetail{}, false
	}
	if detail, ok := says(form.Error); ok {
		return detail, true
	}
	var flat errorDetail
	if json.Unmarshal(body, &flat) == nil && flat.Message != "" {
		return flat, true
	}
	return says(form.Detail)
}

// kinds are the codes by words that providers use as code or type.
var kinds = []struct {
	code  model.Code
	words []string
}{
	{model.ContextTooLong, []string{"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"}},
	{model.Quota, []string{"insufficient_quota", "billing_hard_limit_reached", "insufficient_credits"}},
	{model.Auth, []string{"invalid_api_key", "authentication_error", "permission_error", "permission_denied"}},
	{model.ModelUnknown, []string{"model_not_found", "model_not_available"}},
	{model.ContentFilter, []string{"content_filter", "content_policy_violation"}},
	{model.RateLimited, []string{"rate_limit_exceeded", "rate_limit_error", "resource_exhausted", "too_many_requests"}},
	{model.Overloaded, []string{"overloaded", "overloaded_error", "engine_overloaded", "slow_down", "unavailable"}},
	{model.ServerError, []string{"server_error", "internal_error", "internal_server_error", "api_error"}},
}

// phrases are what they say of a prompt that is too long, in lower case.
var phrases = []string{
	"maximum context length", "context length exceeded", "exceeds the available context size", "context window",
	"prompt is too long", "prompt too long", "exceeds the maximum number of tokens", "longer than the maximum model length",
}

var statuses = map[int]model.Code{
	http.StatusUnauthorized: model.Auth, http.StatusForbidden: model.Auth, http.StatusPaymentRequired: model.Quota,
	http.StatusRequestEntityTooLarge: model.ContextTooLong, http.StatusTooManyRequests: model.RateLimited,
	http.StatusRequestTimeout: model.Timeout, http.StatusGatewayTimeout: model.Timeout,
	http.StatusServiceUnavailable: model.Overloaded, 529: model.Overloaded,
}

// classify says what kind of failure it is, by the provider's word for it, by
// its sentence, and by the status, which is 0 if there is none.
func classify(status int, detail errorDetail) model.Code {
	for _, kind := range kinds {
		for _, word := range kind.words {
			if strings.EqualFold(word, string(detail.Code)) || strings.EqualFold(word, detail.Type) || strings.EqualFold(word, string(detail.Status)) {
				return kind.code
			}
		}
	}
	message := strings.ToLower(detail.Message)
	if status != http.StatusTooManyRequests && status < 500 {
		for _, phrase := range phrases {
			if strings.Contains(message, phrase) {
				return model.ContextTooLong
			}
		}
	}
	code, known := statuses[status]
	switch {
	case known:
		return code
	case status == http.StatusNotFound && strings.Contains(message, "model"):
		return model.ModelUnknown
	case status >= 500:
		return model.ServerError
	case status >= 300:
		return model.InvalidRequest
	case strings.Contains(message, "overloaded"):
		return model.Overloaded
	case strings.Contains(message, "rate limit"):
		return model.RateLimited
	}
	return model.StreamError
}

// maxRetryAfter keeps what a server says within what anyone would wait.
const maxRetryAfter = 24 * time.Hour

// retryAfter is when to come again, 0 if the server does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return within(ms / 1000)
	}
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		return within(seconds)
	}
	if at, err := http.ParseTime(value); err == nil {
		return within(at.Sub(now).Seconds())
	}
	return 0
}

func within(seconds float64) time.Duration {
	if !(seconds > 0) { // nor not a number
		return 0
	}
	return time.Duration(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second))
}

// unsent is the error of a request that got no response.
func unsent(ctx context.Context, err error) error {
	if over := ended(ctx); over != nil {
		return over
	}
	if call, ok := errors.AsType[*url.Error](err); ok { // it names the whole URL, of which a query may be secret
		err = call.Err
	}
	var timeout net.Error
	var certificate *tls.CertificateVerificationError
	if errors.Is(err, errRedirect) {
		return fail(model.InvalidRequest, err.Error(), err)
	}
	code := model.Unreachable
	if errors.As(err, &timeout) && timeout.Timeout() {
		code = model.Timeout
	}
	failure := fail(code, "the server cannot be reached: "+err.Error(), err)
	failure.Retryable = failure.Retryable && !errors.As(err, &certificate)
	return failure
}

// cut is the error of a body that ends with err.
func cut(ctx context.Context, err error) error {
	if over := ended(ctx); over != nil {
		return over
	}
	if errors.Is(err, sse.ErrTooLong) {
		return fail(model.StreamError, err.Error(), err)
	}
	return fail(model.StreamCut, "the stream ended early: "+err.Error(), err)
}

// ended is the error of a context that is over, or nil.
func ended(ctx context.Context) error {
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return nil
	case errors.Is(cause, errIdle):
		return fail(model.Timeout, cause.Error(), cause)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fail(model.Timeout, "the answer took longer than it may", ctx.Err())
	}
	return fail(model.Cancelled, "the request was cancelled", ctx.Err())
}

func tooLong(limit int) error {
	return fail(model.StreamError, fmt.Sprintf("the answer is longer than %d bytes", limit), nil)
}
