package sse_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/model/sse"
)

type event struct{ Type, Data string }

func read(r io.Reader, limit int) (events []event, err error) {
	for ev, err := range sse.Events(r, limit) {
		if err != nil {
			return events, err
		}
		events = append(events, event{ev.Type, string(ev.Data)})
	}
	return events, nil
}

// chunks gives every string in a read of its own.
func chunks(pieces ...string) io.Reader {
	var readers []io.Reader
	for _, p := range pieces {
		readers = append(readers, strings.NewReader(p))
	}
	return io.MultiReader(readers...)
}

func TestEvents(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want []event
	}{
		"one":                              {"data: a\n\n", []event{{"", "a"}}},
		"no space after the colon":         {"data:a\n\n", []event{{"", "a"}}},
		"only one space is taken away":     {"data:  a\n\n", []event{{"", " a"}}},
		"lines are joined":                 {"data: a\ndata: b\n\n", []event{{"", "a\nb"}}},
		"empty lines of data are kept":     {"data\ndata:\ndata: b\n\n", []event{{"", "\n\nb"}}},
		"data without a value is an event": {"data\n\n", []event{{"", ""}}},
		"comments and unknown fields":      {": ping\nfoo: x\nid: 7\nretry: 1\n\ndata: a\n: x\n\n", []event{{"", "a"}}},
		"a type":                           {"event: error\ndata: a\n\ndata: b\n\n", []event{{"error", "a"}, {"", "b"}}},
		"a type alone is no event":         {"event: error\n\ndata: b\n\n", []event{{"", "b"}}},
		"CRLF":                             {"data: a\r\n\r\ndata: b\r\n\r\n", []event{{"", "a"}, {"", "b"}}},
		"CR":                               {"data: a\r\rdata: b\r\r", []event{{"", "a"}, {"", "b"}}},
		"mixed ends":                       {"data: a\r\n\rdata: b\n\r\n", []event{{"", "a"}, {"", "b"}}},
		"a BOM in front":                   {"\ufeffdata: a\n\n", []event{{"", "a"}}},
		"a BOM elsewhere is text":          {"data: a\n\n\ufeffdata: b\n\n", []event{{"", "a"}}},
		"an event that does not end":       {"data: a\n\ndata: b\n", []event{{"", "a"}}},
		"nothing":                          {"", nil},
	} {
		got, err := read(strings.NewReader(tt.in), 100)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
	}
}

func TestR55_LinesThatAreSplitBetweenReads(t *testing.T) {
	got, err := read(chunks("data: {\"a\":\r", "\ndata: 1}\r\n\r\n", ": ping\n\n", "data:{\"b\":2}\n\n", "data: \xe2\x82", "\xac\n\n"), 100)
	want := []event{{"", "{\"a\":\n1}"}, {"", `{"b":2}`}, {"", "€"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

// The byte that could follow a CR must not be waited for.
func TestAnEventIsThereWithItsLastByte(t *testing.T) {
	hang := errors.New("read on")
	for ev, err := range sse.Events(io.MultiReader(strings.NewReader("data: a\r\r"), iotest.ErrReader(hang)), 100) {
		if err != nil || string(ev.Data) != "a" {
			t.Errorf("the first is %q, %v", ev.Data, err)
		}
		break
	}
}

func TestErrorsEndTheStream(t *testing.T) {
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		in   io.Reader
		want error
	}{
		"of the reader":  {io.MultiReader(strings.NewReader("data: a\n\n"), iotest.ErrReader(broken)), broken},
		"a long line":    {strings.NewReader("data: a\n\ndata: " + strings.Repeat("x", 100)), sse.ErrTooLong},
		"a long comment": {strings.NewReader("data: a\n\n:" + strings.Repeat("x", 100)), sse.ErrTooLong},
		"long data":      {strings.NewReader("data: a\n\n" + strings.Repeat("data: 12345678\n", 10) + "\n"), sse.ErrTooLong},
	} {
		got, err := read(tt.in, 50)
		if !errors.Is(err, tt.want) || len(got) != 1 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// pieces reads at most as many bytes at once as sizes say.
type pieces struct {
	rest  []byte
	sizes []byte
	i     int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := 1
	if len(p.sizes) > 0 {
		n += int(p.sizes[p.i%len(p.sizes)])
		p.i++
	}
	n = copy(b[:min(n, len(b))], p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// However the bytes are cut, the events are the same.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("\ufeffdata: a\r\ndata:b\r\revent: x\ndata\n\n: c\n\n"), []byte{0, 3})
	f.Add([]byte("data: "+strings.Repeat("x", 80)+"\n\n"), []byte{9})
	f.Fuzz(func(t *testing.T, body, sizes []byte) {
		want, wantErr := read(bytes.NewReader(body), 64)
		got, err := read(&pieces{rest: body, sizes: sizes}, 64)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (wantErr == nil) {
			t.Errorf("%v and whole %v (-whole +cut)\n%s", err, wantErr, diff)
		}
	})
}
