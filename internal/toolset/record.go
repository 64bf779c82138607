package toolset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"agsh.dev/agent"
	"agsh.dev/event"
)

// MaxDepth is how deeply arrays and objects may be nested in what goes into
// the log: it is stored and served inside other objects, and decoders must
// find it readable there too.
const MaxDepth = 1000

// recordable returns the result as the log can hold it, or why it cannot. A
// tool written in Go may give anything: text that is not UTF-8 is mended, and
// structured content too deep to be read back is left to the text beside it.
func recordable(res agent.Result) (agent.Result, error) {
	content := make([]event.Block, len(res.Content))
	for i, b := range res.Content {
		b.Text, b.Data = strings.ToValidUTF8(b.Text, "\uFFFD"), strings.ToValidUTF8(b.Data, "\uFFFD")
		b.Type, b.MimeType = strings.ToValidUTF8(b.Type, "\uFFFD"), strings.ToValidUTF8(b.MimeType, "\uFFFD")
		b.URI, b.Name = strings.ToValidUTF8(b.URI, "\uFFFD"), strings.ToValidUTF8(b.Name, "\uFFFD")
		content[i] = b
	}
	res.Content = content
	structured := bytes.TrimSpace(res.Structured)
	switch {
	case len(structured) == 0 || string(structured) == "null":
		res.Structured = nil
	case structured[0] != '{' && structured[0] != '[':
		return agent.Result{}, errors.New("the tool's structured content is neither an object nor an array")
	case TooDeep(structured):
		res.Structured = nil
		if len(content) == 0 {
			return agent.Result{}, fmt.Errorf("the tool's structured content is nested more than %d deep", MaxDepth)
		}
	case !json.Valid(structured) || !utf8.Valid(structured):
		return agent.Result{}, errors.New("the tool's structured content is not valid JSON")
	default:
		res.Structured = structured
	}
	return res, nil
}

// TooDeep reports whether more than [MaxDepth] brackets of a JSON text are
// open at once.
func TooDeep(text []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
