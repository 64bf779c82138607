package stdio

import (
	"bytes"
	"encoding/json"
)

const (
	maxToken   = 1 << 10 // bytes of a key or id that is looked at
	maxSkimmed = 1 << 10 // ids that are kept of one array
)

// A skim follows a line of JSON that goes by without being kept, in pieces of
// any size, and remembers the ids of the responses in it: servers write the
// id at either end of the object. Of what is no JSON it makes something or
// nothing, in bounded memory.
type skim struct {
	size int
	head []byte // the first bytes, for notes
	ids  []json.RawMessage

	started, dead  bool // the first byte that counts was seen; it was a wrong one
	depth, base    int  // base is the depth within a message
	inString, escd bool

	// The message that goes by.
	inMessage bool
	inValue   bool   // else in a key
	key       string // of the value
	token     []byte // the key, or the value if it is an id, so far
	fields    struct{ version, method bool }
	id        json.RawMessage
}

func (s *skim) feed(chunk []byte) {
	s.size += len(chunk)
	s.head = append(s.head, chunk[:min(len(chunk), maxNote-len(s.head))]...)
	for _, c := range chunk {
		if s.dead {
			return
		}
		s.step(c)
	}
}

func (s *skim) step(c byte) {
	switch {
	case s.escd:
		s.escd = false
	case s.inString:
		s.escd, s.inString = c == '\\', c != '"'
	case !s.started:
		s.begin(c)
		return
	case s.inMessage && s.depth == s.base && s.punctuation(c):
		return
	case c == '"':
		s.inString = true
	case c == '{' && s.depth == s.base-1:
		s.depth++
		s.open()
		return
	case c == '{' || c == '[':
		s.depth++
	case c == '}' || c == ']':
		s.depth--
	}
	if s.inMessage && (!s.inValue || s.key == "id") && len(s.token) <= maxToken {
		s.token = append(s.token, c)
	}
}

// begin takes the first byte that is neither space nor of a byte order mark.
func (s *skim) begin(c byte) {
	switch {
	case bytes.IndexByte([]byte(" \t\r\n"+bom), c) >= 0:
		return
	case c == '{':
		s.depth, s.base = 1, 1
		s.open()
	case c == '[':
		s.depth, s.base = 1, 2
	default:
		s.dead = true
	}
	s.started = true
}

// open begins a message.
func (s *skim) open() {
	s.inMessage, s.inValue, s.key, s.id = true, false, "", nil
	s.fields.version, s.fields.method = false, false
	s.token = s.token[:0]
}

// punctuation takes a byte of the message itself, outside of what is nested
// in it, if it ends a key or a value.
func (s *skim) punctuation(c byte) bool {
	switch c {
	case ':':
		s.endKey()
	case ',':
		s.endValue()
	case '}':
		s.endValue()
		s.depth--
		s.inMessage = false
		if s.id != nil && s.fields.version && !s.fields.method && len(s.ids) < maxSkimmed {
			s.ids = append(s.ids, s.id)
		}
	default:
		return false
	}
	return true
}

func (s *skim) endKey() {
	// A key that is no string, or that is too long, is none of ours.
	if json.Unmarshal(s.token, &s.key) != nil {
		s.key = ""
	}
	switch s.key {
	case "jsonrpc":
		s.fields.version = true
	case "method":
		s.fields.method = true
	}
	s.inValue, s.token = true, s.token[:0]
}

func (s *skim) endValue() {
	if s.inValue && s.key == "id" {
		s.id = bytes.Clone(bytes.TrimSpace(s.token)) // the last one counts
	}
	s.inValue, s.key, s.token = false, "", s.token[:0]
}
