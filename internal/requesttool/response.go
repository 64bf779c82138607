package requesttool

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"agsh.dev/agent"
	"agsh.dev/event"
)

// An answer is what was read of a response.
type answer struct {
	body    []byte
	whole   bool  // body is all there is
	size    int64 // of all there is, as far as it is known
	media   string
	charset string
}

// result makes a result of a response. Its body is read up to the tool's
// limit and no further.
func (t *tool) result(from *url.URL, resp *http.Response) (agent.Result, error) {
	a, err := read(resp, t.maxBody)
	if err != nil {
		return agent.Result{}, err
	}
	failed := resp.StatusCode < 200 || resp.StatusCode > 299
	secrets := t.secrets.answers
	res := agent.Result{IsError: failed}
	if failed || len(a.body) == 0 {
		secrets = t.secrets.failures
		line := status(resp.StatusCode)
		if after := resp.Header.Get("Retry-After"); failed && after != "" {
			line += " (Retry-After: " + cut(secrets.Replace(after)) + ")"
		}
		if t.method == http.MethodHead {
			line += "\n" + secrets.Replace(headerText(resp.Header))
		}
		res.Content = append(res.Content, event.Text(line))
	}
	if len(a.body) == 0 {
		return res, nil
	}
	if a.isText() {
		text, note := a.text()
		text = secrets.Replace(text)
		res.Content = append(res.Content, event.Text(text))
		if note != "" {
			res.Content = append(res.Content, event.Text(note))
		}
		if a.whole && a.isJSON() && note == "" {
			res.Structured = structured(text)
		}
	} else {
		res.Content = append(res.Content, a.blocks(t.secrets.failures.Replace(shown(from)))...)
	}
	if !a.whole {
		res.Size = a.size
		res.Content = append(res.Content, event.Text(fmt.Sprintf("[the answer has more than %d bytes: the rest was not read]", t.maxBody)))
	}
	return res, nil
}

func read(resp *http.Response, limit int) (answer, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	if err != nil {
		return answer{}, fmt.Errorf("read the answer after %d bytes: %w", len(body), err)
	}
	a := answer{body: body, whole: len(body) <= limit, size: max(int64(len(body)), resp.ContentLength)}
	a.body = body[:min(len(body), limit)]
	// A type whose parameters cannot be read is still a type.
	media, params, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	a.media, a.charset = media, strings.ToLower(params["charset"])
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		// Nobody asked for it, and nothing here reads it.
		a.media = "application/octet-stream"
	}
	if a.media == "" {
		a.media = "application/octet-stream"
		if !slices.Contains(body, 0) && utf8.Valid(a.trimmed()) {
			a.media = "text/plain"
			if json.Valid(body) {
				a.media = "application/json"
			}
		}
	}
	return a, nil
}

func (a answer) isJSON() bool {
	return a.media == "application/json" || a.media == "text/json" || strings.HasSuffix(a.media, "+json")
}

func (a answer) isText() bool {
	return a.isJSON() || strings.HasPrefix(a.media, "text/") || strings.HasSuffix(a.media, "+xml") || strings.HasSuffix(a.media, "+yaml") ||
		slices.Contains([]string{
			"application/xml", "application/javascript", "application/ecmascript", "application/x-www-form-urlencoded",
			"application/yaml", "application/x-yaml", "application/toml", "application/x-ndjson", "application/jsonl",
			"application/json-seq", "application/sql", "application/graphql", "application/x-sh",
		}, a.media)
}

// trimmed is the body without a character that its end cuts in two.
func (a answer) trimmed() []byte {
	if a.whole {
		return a.body
	}
	for i := 1; i <= min(len(a.body), utf8.UTFMax-1); i++ {
		if c := a.body[len(a.body)-i:]; utf8.RuneStart(c[0]) {
			if !utf8.FullRune(c) {
				return a.body[:len(a.body)-i]
			}
			break
		}
	}
	return a.body
}

// text is the body as UTF-8, and a note if it had to be mended.
func (a answer) text() (text, note string) {
	if slices.Contains([]string{"iso-8859-1", "latin1", "iso_8859-1", "l1"}, a.charset) {
		runes := make([]rune, len(a.body))
		for i, c := range a.body {
			runes[i] = rune(c)
		}
		return string(runes), ""
	}
	body := bytes.TrimPrefix(a.trimmed(), []byte("\uFEFF"))
	if utf8.Valid(body) {
		return string(body), ""
	}
	return strings.ToValidUTF8(string(body), "\uFFFD"),
		fmt.Sprintf("[the answer was not UTF-8 (its charset is %.40q): what could not be read was replaced by \uFFFD]", cmp.Or(a.charset, "not said"))
}

// blocks are for a body that is no text. Half an image is of no use.
func (a answer) blocks(from string) []event.Block {
	if !a.whole {
		return []event.Block{event.Text(fmt.Sprintf("[an answer of type %.80s was left out]", a.media))}
	}
	data := base64.StdEncoding.EncodeToString(a.body)
	family, _, _ := strings.Cut(a.media, "/")
	if family == "image" || family == "audio" {
		return []event.Block{{Type: family, Data: data, MimeType: a.media}}
	}
	return []event.Block{
		event.Text(fmt.Sprintf("[%d bytes of %.80s]", len(a.body), a.media)),
		{Type: "resource", URI: from, MimeType: a.media, Data: data},
	}
}

// structured returns text when it is one JSON object or array, else nil.
func structured(text string) json.RawMessage {
	text = strings.TrimSpace(text)
	if text == "" || (text[0] != '{' && text[0] != '[') || !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}

// headerText lists what a server said of a resource. Cookies are for a client
// that keeps them.
func headerText(h http.Header) string {
	var lines []string
	for name, values := range h {
		if name == "Set-Cookie" {
			continue
		}
		for _, v := range values {
			lines = append(lines, name+": "+v)
		}
	}
	slices.Sort(lines)
	return strings.ToValidUTF8(strings.Join(lines, "\n"), "\uFFFD")
}
