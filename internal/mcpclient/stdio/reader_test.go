package stdio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// all reads a stream to its end: each message as it would be sent, and each
// line of junk after "junk: ".
func all(r io.Reader, limit int) []string {
	var got []string
	in := newReader(r, limit, func(line string) { got = append(got, "junk: "+line) })
	for {
		msg, err := in.next()
		if err != nil {
			return got
		}
		data, err := jsonrpc.EncodeMessage(msg)
		if err != nil {
			data = []byte(err.Error())
		}
		got = append(got, string(data))
	}
}

func TestReader(t *testing.T) {
	const a, b = `{"jsonrpc":"2.0","method":"a"}`, `{"jsonrpc":"2.0","id":1,"result":{"n":12345678901234567890}}`
	refusal := func(id string, size int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"the server's answer of %d bytes is over the limit of 300: ask for less"}}`, id, size)
	}
	long := strings.Repeat("y", 300)
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"lines", a + "\n" + b + "\n", []string{a, b}},
		{"end of stream ends a line", a, []string{a}},
		{"carriage returns", a + "\r\n" + b + "\r\n", []string{a, b}},
		{"byte order mark", bom + a + "\n" + bom + a + "\n", []string{a, "junk: " + bom + a}},
		{"banner, empty line, broken", "ready\n\n{\"jsonrpc\":\n" + a + "\n{\"x\":1}\n", []string{"junk: ready", "junk: ", `junk: {"jsonrpc":`, a, `junk: {"x":1}`}},
		{"no object", "null\n1\n\"x\"\n", []string{"junk: null", "junk: 1", `junk: "x"`}},
		{"array", "[" + a + "," + b + ",3,null, " + a + "]\n[]\n", []string{a, b, a, "junk: 3", "junk: null"}},
		{"broken array", "[" + a + ",]\n", []string{"junk: [" + a + ",]"}},
		{"two on a line", a + " " + b + "\t" + a + " x\n", []string{a, b, a, "junk: x"}},
		{"braces in strings", `{"jsonrpc":"2.0","method":"}\"{\\"}` + a + "\n", []string{`{"jsonrpc":"2.0","method":"}\"{\\"}`, a}},
		{
			"at the limit", `{"jsonrpc":"2.0","method":"` + long[:300-29] + "\"}\n",
			[]string{`{"jsonrpc":"2.0","method":"` + long[:300-29] + `"}`},
		},
		{"id first", `{"id":7,"jsonrpc":"2.0","result":"` + long + "\"}\n" + a + "\n", []string{refusal("7", 336), a}},
		{"id last", `{"jsonrpc":"2.0","result":{"id":1,"x":"` + long + `"},"id":"a\"b"}` + "\r\n" + a, []string{refusal(`"a\"b"`, 355), a}},
		{"long array", `[{"jsonrpc":"2.0","id":1,"result":"` + long + `"},` + a + `,{"jsonrpc":"2.0","id":2,"error":{}}]` + "\n", []string{refusal("1", 405), refusal("2", 405)}},
		{"long request", `{"jsonrpc":"2.0","id":1,"method":"` + long + "\"}\n" + a, []string{`junk: {"jsonrpc":"2.0","id":1,"method":"` + long + `"}`, a}},
		{"long text", long + `{"jsonrpc":"2.0","id":1}` + "\n" + a, []string{"junk: " + long + `{"jsonrpc":"2.0","id":1}`, a}},
		{"long and cut off", `{"jsonrpc":"2.0","id":1,"result":"` + long, []string{`junk: {"jsonrpc":"2.0","id":1,"result":"` + long}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// The junk of a line is told of before its messages.
			got := all(strings.NewReader(tt.in), 300)
			slices.SortStableFunc(got, byJunk)
			slices.SortStableFunc(tt.want, byJunk)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func byJunk(a, b string) int {
	rank := func(s string) int {
		if strings.HasPrefix(s, "junk") {
			return 1
		}
		return 0
	}
	return rank(a) - rank(b)
}

// Memory for a line that is too long does not grow with it.
func TestLongLineIsNotKept(t *testing.T) {
	in := newReader(io.MultiReader(
		strings.NewReader(`{"jsonrpc":"2.0","id":"x","result":"`),
		io.LimitReader(endless('x'), 5<<20),
		strings.NewReader("\"}\n"),
	), 64<<10, nil)
	if msg, err := in.next(); err != nil || msg.(*jsonrpc.Response).ID.Raw() != "x" {
		t.Fatalf("next = %v, %v", msg, err)
	}
	if len(in.lines.buf) > 128<<10 {
		t.Errorf("buffer has %d bytes", len(in.lines.buf))
	}
}

type endless byte

func (e endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(e)
	}
	return len(b), nil
}

func TestBufferShrinks(t *testing.T) {
	l := lines{max: 1 << 30, r: strings.NewReader(strings.Repeat("x", 5<<20) + "\nshort\n")}
	for {
		line, _, err := l.next()
		if err != nil {
			break
		}
		if len(line) != 5<<20 && len(line) != 5 {
			t.Errorf("line of %d bytes", len(line))
		}
	}
	if len(l.buf) > bigBuffer {
		t.Errorf("buffer keeps %d bytes", len(l.buf))
	}
}

// A pieces reads a stream in pieces of the given sizes, over and over.
type pieces struct {
	data, sizes []byte
	n           int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	size := 1
	if len(p.sizes) > 0 {
		size = int(p.sizes[p.n%len(p.sizes)])
		p.n++
	}
	n := copy(b[:min(size, len(b))], p.data)
	p.data = p.data[n:]
	return n, nil
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\r\nx\n[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[]}]\n"), []byte{3, 0, 1}, uint16(40))
	f.Add([]byte(bom+"{\"id\":\"\\\"\",\"jsonrpc\":\"2.0\"}\n\n{}{}"), []byte{1}, uint16(5))
	f.Fuzz(func(t *testing.T, data, sizes []byte, limit uint16) {
		if bytes.Count(sizes, []byte{0}) == len(sizes) {
			sizes = nil // it would never end
		}
		max := int(limit) + 1
		want := all(bytes.NewReader(data), max)
		for _, r := range []io.Reader{&pieces{data: data, sizes: sizes}, iotest.OneByteReader(bytes.NewReader(data)), iotest.DataErrReader(bytes.NewReader(data))} {
			if diff := cmp.Diff(want, all(r, max)); diff != "" {
				t.Errorf("in pieces %v, -whole +pieces:\n%s", sizes, diff)
			}
		}
	})
}

// answers is what skim should find, by encoding/json.
func answers(data []byte) []string {
	var members []json.RawMessage
	if data[0] != '[' {
		members = append(members, data)
	} else if json.Unmarshal(data, &members) != nil {
		return nil
	}
	var ids []string
	for _, member := range members {
		var object map[string]json.RawMessage
		if member[0] != '{' || json.Unmarshal(member, &object) != nil {
			continue
		}
		_, version := object["jsonrpc"]
		_, method := object["method"]
		if id, ok := object["id"]; ok && version && !method {
			ids = append(ids, string(id))
		}
	}
	return ids
}

func skimmed(r io.Reader) []string {
	var s skim
	buf := make([]byte, 64)
	for {
		n, err := r.Read(buf)
		s.feed(buf[:n])
		if err != nil {
			break
		}
	}
	var ids []string
	for _, id := range s.ids {
		ids = append(ids, string(id))
	}
	return ids
}

// object makes JSON of bytes: any bytes make an object, and many of them one
// with keys that matter.
func object(script []byte) []byte {
	keys := []string{`"id"`, `"jsonrpc"`, `"method"`, `"\u0069d"`, `"i\"d"`, `"result"`, `"error"`, `""`}
	values := []string{`1`, `"a"`, `"\\\""`, `{"id":2,"method":"}"}`, `[{"id":[3]},"]"]`, `null`, ` -1.5e3 `, `{}`, `"{"`, `[]`}
	var b bytes.Buffer
	b.WriteByte('{')
	for i := 0; i+1 < len(script); i += 2 {
		if i > 0 {
			b.WriteString([]string{",", " ,\t"}[script[i]>>7])
		}
		fmt.Fprintf(&b, "%s:%s", keys[int(script[i])%len(keys)], values[int(script[i+1])%len(values)])
	}
	b.WriteByte('}')
	return b.Bytes()
}

func FuzzSkim(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","result":{"id":5},"id":7}`), []byte{2})
	f.Add([]byte(`[{"id":"x","jsonrpc":"2.0"},[{"id":1}],{"jsonrpc":"2.0","method":"m","id":2}]`), []byte{5, 1})
	f.Add([]byte("\x01\x00\x03\x02\x05\x03"), []byte{})
	f.Fuzz(func(t *testing.T, data, sizes []byte) {
		if bytes.Count(sizes, []byte{0}) == len(sizes) {
			sizes = nil
		}
		texts := [][]byte{object(data), slices.Concat([]byte("["), object(data), []byte(", 7 ,"), object(data), []byte("]"))}
		if valid := bytes.TrimSpace(data); json.Valid(valid) && len(valid) < maxToken {
			texts = append(texts, valid)
		}
		for _, text := range texts {
			if diff := cmp.Diff(answers(text), skimmed(&pieces{data: text, sizes: sizes})); diff != "" {
				t.Errorf("ids in %s, -want +got:\n%s", text, diff)
			}
		}
		if diff := cmp.Diff(skimmed(bytes.NewReader(data)), skimmed(&pieces{data: data, sizes: sizes})); diff != "" {
			t.Errorf("in pieces %v, -whole +pieces:\n%s", sizes, diff)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	for _, size := range []int{100, 5 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			line := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", size) + "\"}]}}\n")
			src := &repeat{line: line}
			r := newReader(src, 64<<20, nil)
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A repeat reads as a line again and again.
type repeat struct {
	line []byte
	at   int
}

func (r *repeat) Read(b []byte) (int, error) {
	n := copy(b, r.line[r.at:])
	r.at = (r.at + n) % len(r.line)
	return n, nil
}
