package event

import (
	"bytes"
	"encoding/json"
)

// Block is one piece of content, shaped as in the Model Context Protocol.
//
// A text has Text. An image or audio has Data and MimeType. A resource is a
// file that came along: URI, MimeType and either Text or Data. A
// resource_link only names one: URI, Name and perhaps MimeType.
type Block struct {
	Type     string `json:"type"` // text, image, audio, resource or resource_link
	Text     string `json:"text,omitempty"`
	Data     string `json:"data,omitempty"` // base64
	MimeType string `json:"mimeType,omitempty"`
	URI      string `json:"uri,omitempty"`
	Name     string `json:"name,omitempty"`
}

// MarshalJSON keeps the text of a text block also when it is empty. Whether <,
// > and & are escaped is up to the encoder around it.
func (b Block) MarshalJSON() ([]byte, error) {
	if b.Type == "text" {
		return plainJSON(struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}{b.Type, b.Text})
	}
	type plain Block
	return plainJSON(plain(b))
}

func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Text is a text block. Bytes of s that are not UTF-8 are encoded as U+FFFD,
// as JSON has no way to carry them.
func Text(s string) Block { return Block{Type: "text", Text: s} }
