package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"agsh.dev/api"
	"agsh.dev/internal/toolset"
)

// maxBody is the most bytes of a request body.
const maxBody = 1 << 20

func hasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }

// A body knows whether it was read to its end. If not, the connection cannot
// be used again, and the answer must not wait for the rest.
type body struct {
	io.ReadCloser
	ended bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.ended = b.ended || errors.Is(err, io.EOF)
	return n, err
}

// fields are what a body may have: for each name of the object, exact and at
// most once, where its value goes.
type fields map[string]any

// decode reads the body, one JSON object of at most [maxBody] bytes. The limit
// and the deadline hold for chunked bodies too.
func decode(req *request, into fields) error {
	b, err := readBody(req)
	if err != nil {
		return err
	}
	return parse(b, into)
}

// decodeOptional is decode where no body means no fields.
func decodeOptional(req *request, into fields) error {
	if !hasBody(req.Request) {
		return nil
	}
	b, err := readBody(req)
	if err != nil || len(b) == 0 {
		return err
	}
	return parse(b, into)
}

func readBody(req *request) ([]byte, error) {
	if enc := req.Header.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return nil, api.Errorf(api.CodeInvalidBody, "the request body is encoded as %s", enc).WithHint("send it as it is")
	}
	if !hasBody(req.Request) {
		return nil, nil
	}
	if req.ContentLength > maxBody {
		return nil, tooLarge() // a client that waits to be asked is not
	}
	b, err := io.ReadAll(http.MaxBytesReader(req.w, req.Body, maxBody))
	var more *http.MaxBytesError
	switch {
	case errors.As(err, &more):
		return nil, tooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, api.Errorf(api.CodeBodyTimeout, "the request body took too long")
	case err != nil:
		return nil, api.Errorf(api.CodeInvalidBody, "the request body could not be read")
	}
	// What follows may take longer than a body may.
	_ = http.NewResponseController(req.w).SetReadDeadline(time.Time{})
	return b, nil
}

func tooLarge() error {
	return api.Errorf(api.CodeBodyTooLarge, "the request body is larger than %d bytes", maxBody)
}

func parse(b []byte, into fields) error {
	b = bytes.TrimLeft(b, " \t\r\n")
	switch {
	case len(b) == 0 || b[0] != '{':
		return api.Errorf(api.CodeInvalidBody, "the request body is not a JSON object")
	case !utf8.Valid(b):
		return api.Errorf(api.CodeInvalidBody, "the request body is not UTF-8")
	case toolset.TooDeep(b):
		return api.Errorf(api.CodeInvalidBody, "the request body is nested more than %d deep", toolset.MaxDepth)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	_, err := dec.Token() // the brace
	seen := make(map[string]bool, len(into))
	for err == nil && dec.More() {
		if err = field(dec, into, seen); err != nil {
			return err
		}
	}
	if err == nil {
		_, err = dec.Token()
	}
	if err != nil {
		return unreadable(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return api.Errorf(api.CodeInvalidBody, "the request body has something behind its JSON object")
	}
	return nil
}

// field reads one name and its value.
func field(dec *json.Decoder, into fields, seen map[string]bool) error {
	token, err := dec.Token()
	if err != nil {
		return unreadable(err)
	}
	name, _ := token.(string) // a name always is one
	target, ok := into[name]
	switch {
	case !ok:
		hint := "it takes no fields"
		if len(into) > 0 {
			hint = "it takes " + strings.Join(slices.Sorted(maps.Keys(into)), ", ")
		}
		return api.Errorf(api.CodeInvalidBody, "the request body: unknown field %q", name).WithHint(hint).WithField(name)
	case seen[name]:
		return api.Errorf(api.CodeInvalidBody, "the request body: field %q is given twice", name).WithField(name)
	}
	seen[name] = true
	err = dec.Decode(target)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return api.Errorf(api.CodeInvalidBody, "the request body: field %q cannot be a %s", name, wrong.Value).WithField(name)
	}
	if err != nil {
		return unreadable(err)
	}
	return nil
}

// unreadable says what is wrong with JSON without Go's names for it.
func unreadable(err error) error {
	what := "it is not valid JSON"
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		what = fmt.Sprintf("not valid JSON at byte %d", syntax.Offset)
	} else if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		what = "it ends in the middle"
	}
	return api.Errorf(api.CodeInvalidBody, "the request body: %s", what)
}
