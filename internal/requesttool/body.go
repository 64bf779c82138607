package requesttool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"agsh.dev/agent"
	"agsh.dev/internal/placeholder"
)

// A payload is what a request carries beside its URL's own.
type payload struct {
	query       []string // pairs, escaped
	body        []byte   // nil: none
	contentType string
}

// An encoding makes a payload of the arguments that stand nowhere else.
type encoding func([]placeholder.Member) payload

// encodingOf finds how r sends arguments.
func encodingOf(r agent.Request) (encoding, error) {
	kind := r.Body
	if kind == "" {
		kind = "json"
		if slices.Contains([]string{"", http.MethodGet, http.MethodHead, http.MethodDelete}, r.Method) {
			kind = "query"
		}
	}
	encode, ok := map[string]encoding{"json": jsonBody, "form": formBody, "query": moreQuery, "none": nothing}[kind]
	if !ok {
		return nil, fmt.Errorf("its body %q is none of json, form, query and none", r.Body)
	}
	return encode, nil
}

func nothing([]placeholder.Member) payload { return payload{} }

// jsonBody keeps the order of the arguments and every digit.
func jsonBody(args []placeholder.Member) payload {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range args {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.Name) // a string always has its JSON
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.Value)
	}
	b.WriteByte('}')
	return payload{body: b.Bytes(), contentType: "application/json"}
}

// moreQuery leaves out what is null and repeats the name of an array for each
// element.
func moreQuery(args []placeholder.Member) payload {
	return payload{query: pairs(args)}
}

func formBody(args []placeholder.Member) payload {
	// %20 is a space in a form too.
	return payload{body: []byte(strings.Join(pairs(args), "&")), contentType: "application/x-www-form-urlencoded"}
}

func pairs(args []placeholder.Member) []string {
	var out []string
	for _, m := range args {
		for _, value := range escapeElements(m.Value) {
			out = append(out, escape(m.Name)+"="+value)
		}
	}
	return out
}
