package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

const ndjson = "application/x-ndjson"

// maxProgressLine is the most bytes of a line that is no result.
const maxProgressLine = 64 << 10

// readLines reads an answer of lines: progress, handed on as it comes, and
// the end of the call.
func (c *Client) readLines(ctx context.Context, q *request, res *http.Response) error {
	in := bufio.NewReaderSize(res.Body, maxProgressLine)
	for {
		line, err := readLine(in)
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errLongLine):
			return c.nonsense(res, err.Error(), nil)
		case err != nil:
			return c.nonsense(res, "the answer broke off before the result: "+c.cause(err), nil)
		}
		var kind struct{ Type string }
		if err := json.Unmarshal(line, &kind); err != nil {
			return c.nonsense(res, "expected a line of JSON", line)
		}
		switch kind.Type {
		case "progress":
			var p Progress
			if err := json.Unmarshal(line, &p); err != nil {
				return c.nonsense(res, misfit(err), line)
			}
			q.progress(p)
		case "result", "error":
			return c.callEnd(q, res, line)
		default: // a kind of line that a later server may send
		}
	}
}

// callEnd reads the last line of an answer.
func (c *Client) callEnd(q *request, res *http.Response, line []byte) error {
	var end struct {
		ETag   string          `json:"etag"`
		Result json.RawMessage `json:"result"`
		Error  *Error          `json:"error"`
	}
	if err := json.Unmarshal(line, &end); err != nil {
		return c.nonsense(res, misfit(err), line)
	}
	q.etag = end.ETag
	if end.Error != nil {
		return c.censor(end.Error, res.StatusCode)
	}
	if err := json.Unmarshal(end.Result, q.out); err != nil {
		return c.nonsense(res, misfit(err), line)
	}
	if key := q.out.lacks(); key != "" {
		return c.nonsense(res, "expected an answer of this API: it has no "+key, line)
	}
	return nil
}

var errLongLine = errors.New("a line of the answer is too long")

// readLine returns the next line, without its end. Only a result may be as
// long as an answer.
func readLine(in *bufio.Reader) ([]byte, error) {
	piece, err := in.ReadSlice('\n')
	if err == nil {
		return bytes.TrimSuffix(piece, []byte("\n")), nil
	}
	line := bytes.Clone(piece)
	for errors.Is(err, bufio.ErrBufferFull) {
		piece, err = in.ReadSlice('\n')
		if line = append(line, piece...); len(line) > MaxAnswer {
			return nil, fmt.Errorf("%w: more than %d MiB", errLongLine, MaxAnswer>>20)
		}
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return bytes.TrimSuffix(line, []byte("\n")), err
}
