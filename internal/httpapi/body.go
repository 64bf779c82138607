package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"agsh.dev/api"
)

// decode reads the body, one JSON object of at most [maxBody] bytes with known
// fields only, into v. The limit and the deadline hold for chunked bodies too.
func decode(w http.ResponseWriter, r *http.Request, v any) error {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return api.Errorf(api.CodeBodyTooLarge, "the request body is larger than %d bytes", tooLarge.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return api.Errorf(api.CodeBodyTimeout, "the request body took too long")
	case err != nil:
		return api.Errorf(api.CodeInvalidBody, "the request body could not be read")
	}
	// What follows may take longer than a body may.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	if trimmed := bytes.TrimLeft(b, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return api.Errorf(api.CodeInvalidBody, "the request body is not a JSON object")
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return api.Errorf(api.CodeInvalidBody, "the request body: %s", plain(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return api.Errorf(api.CodeInvalidBody, "the request body has something behind its JSON object")
	}
	return nil
}

// plain says what is wrong with JSON without Go's names for it.
func plain(err error) string {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return fmt.Sprintf("field %q cannot be a %s", wrong.Field, wrong.Value)
	case errors.As(err, &syntax):
		return fmt.Sprintf("not valid JSON at byte %d", syntax.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends in the middle"
	}
	return trimPrefix(err.Error())
}

func trimPrefix(s string) string {
	if after, ok := bytes.CutPrefix([]byte(s), []byte("json: ")); ok {
		return string(after)
	}
	return s
}
