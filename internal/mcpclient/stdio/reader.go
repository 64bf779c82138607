package stdio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// bom is the byte order mark that some programs begin their output with.
const bom = "\xef\xbb\xbf"

// A reader makes messages of a stream of lines. What is no message is told
// of and skipped.
type reader struct {
	lines lines
	junk  func(line string) // nil drops
	begun bool
	queue []jsonrpc.Message
}

func newReader(r io.Reader, limit int, junk func(line string)) *reader {
	if junk == nil {
		junk = func(string) {}
	}
	return &reader{lines: lines{r: r, max: limit}, junk: junk}
}

// next returns the next message, or the error that ended the stream.
func (r *reader) next() (jsonrpc.Message, error) {
	for len(r.queue) == 0 {
		line, long, err := r.lines.next()
		if err != nil {
			return nil, err
		}
		if !r.begun {
			line, r.begun = bytes.TrimPrefix(line, []byte(bom)), true
		}
		if long != nil {
			r.refuse(long)
		} else {
			r.parse(line)
		}
	}
	msg := r.queue[0]
	r.queue = r.queue[1:]
	return msg, nil
}

// parse queues the messages of a line. It should hold one or an array of
// them, but those a server wrote one after another are not lost either.
func (r *reader) parse(line []byte) {
	rest := bytes.TrimSpace(line)
	if len(rest) == 0 {
		r.junk("")
		return
	}
	if msg := decode(rest); msg != nil {
		r.queue = append(r.queue, msg)
		return
	}
	for len(rest) > 0 {
		end := valueEnd(rest)
		value := rest[:end]
		rest = bytes.TrimSpace(rest[end:])
		var batch []json.RawMessage
		if value[0] != '[' {
			batch = append(batch, value)
		} else if json.Unmarshal(value, &batch) != nil {
			r.junk(note(value))
		}
		for _, member := range batch {
			if msg := decode(member); msg != nil {
				r.queue = append(r.queue, msg)
			} else {
				r.junk(note(member))
			}
		}
	}
}

// decode returns the message that an object is, or nil. The SDK's decoder
// would do, but it takes a buffer of 32 KiB for each message and ignores what
// follows one.
func decode(value []byte) jsonrpc.Message {
	var wire struct {
		Version string          `json:"jsonrpc"`
		ID      any             `json:"id"`
		Method  *string         `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   *jsonrpc.Error  `json:"error"`
	}
	if value[0] != '{' || json.Unmarshal(value, &wire) != nil || wire.Version != "2.0" {
		return nil
	}
	id, err := jsonrpc.MakeID(wire.ID)
	switch {
	case err != nil:
		return nil
	case wire.Method != nil:
		return &jsonrpc.Request{ID: id, Method: *wire.Method, Params: wire.Params}
	case !id.IsValid():
		return nil
	case wire.Error != nil: // a nil one would be an error that is not nil
		return &jsonrpc.Response{ID: id, Result: wire.Result, Error: wire.Error}
	}
	return &jsonrpc.Response{ID: id, Result: wire.Result}
}

// refuse queues errors in place of the responses in a line that is too long.
func (r *reader) refuse(long *skim) {
	before := len(r.queue)
	for _, raw := range long.ids {
		var v any
		if json.Unmarshal(raw, &v) != nil {
			continue
		}
		id, err := jsonrpc.MakeID(v)
		if err != nil || !id.IsValid() {
			continue
		}
		r.queue = append(r.queue, &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{
			Code:    jsonrpc.CodeInternalError,
			Message: fmt.Sprintf("the server's answer of %d bytes is over the limit of %d: ask for less", long.size, r.lines.max),
		}})
	}
	if len(r.queue) == before {
		r.junk(note(long.head))
	}
}

// valueEnd returns where the object or array ends that b begins with: len(b)
// if it does not end or b begins otherwise.
func valueEnd(b []byte) int {
	if b[0] != '{' && b[0] != '[' {
		return len(b)
	}
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			i = stringEnd(b, i)
		}
	}
	return len(b)
}

// stringEnd returns where the closing quote is of the string that opens at
// b[i]; len(b) if there is none. Most bytes of most answers are in strings,
// so these are passed in big steps.
func stringEnd(b []byte, i int) int {
	for {
		n := bytes.IndexByte(b[i+1:], '"')
		if n < 0 {
			return len(b)
		}
		open := i
		i += 1 + n
		slashes := 0
		for j := i - 1; j > open && b[j] == '\\'; j-- {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
	}
}
