package openai

import (
	"cmp"
	"fmt"
	"strings"

	"agsh.dev/event"
	"agsh.dev/internal/model"
)

// A wirePart is a piece of a message's content.
type wirePart struct {
	Type       string     `json:"type"`
	Text       string     `json:"text,omitempty"`
	ImageURL   *wireURL   `json:"image_url,omitempty"`
	InputAudio *wireAudio `json:"input_audio,omitempty"`
	File       *wireFile  `json:"file,omitempty"`
}

type wireURL struct {
	URL string `json:"url"`
}

type wireAudio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

type wireFile struct {
	Name string `json:"filename,omitempty"`
	Data string `json:"file_data"`
}

// encodeUser writes a user's message: a string if it has only text, which
// every server takes.
func encodeUser(m model.Message) wireMessage {
	var texts []string
	var parts []wirePart
	for _, p := range m.Parts {
		switch p := p.(type) {
		case model.Text:
			texts = append(texts, p.Text)
			if p.Text != "" {
				parts = append(parts, wirePart{Type: "text", Text: p.Text})
			}
		case model.File:
			parts = append(parts, encodeFile(p))
		}
	}
	if len(texts) == len(m.Parts) {
		return wireMessage{Role: "user", Content: strings.Join(texts, "\n")}
	}
	return wireMessage{Role: "user", Content: parts}
}

var audioFormats = map[string]string{"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}

func encodeFile(f model.File) wirePart {
	data := "data:" + f.MimeType + ";base64," + f.Data
	if strings.HasPrefix(f.MimeType, "image/") {
		return wirePart{Type: "image_url", ImageURL: &wireURL{data}}
	}
	if format := audioFormats[f.MimeType]; format != "" {
		return wirePart{Type: "input_audio", InputAudio: &wireAudio{f.Data, format}}
	}
	return wirePart{Type: "file", File: &wireFile{cmp.Or(f.Name, "file"), data}}
}

// encodeResult writes a tool's result as text, and returns the images in it
// with a line that says whose they are.
func encodeResult(r model.ToolResult) (message wireMessage, images []wirePart) {
	var texts []string
	for _, b := range r.Content {
		if strings.HasPrefix(b.MimeType, "image/") && b.Data != "" {
			texts = append(texts, "[an image, which follows the results]")
			if len(images) == 0 {
				images = append(images, wirePart{Type: "text", Text: "Images in the result of the tool call " + r.CallID + ":"})
			}
			images = append(images, encodeFile(model.File{MimeType: b.MimeType, Data: b.Data}))
			continue
		}
		texts = append(texts, describe(b))
	}
	text := strings.Join(texts, "\n")
	if text == "" {
		text = "(no output)" // some servers refuse nothing
	}
	if r.IsError {
		text = "Error: " + text
	}
	return wireMessage{Role: "tool", ToolCallID: r.CallID, Content: text}, images
}

// describe is a block that is no image, as text.
func describe(b event.Block) string {
	switch {
	case b.Data != "":
		return fmt.Sprintf("[%s, %s, %d bytes: not shown]", cmp.Or(b.Name, b.URI, b.Type), cmp.Or(b.MimeType, "unknown type"), len(b.Data)/4*3)
	case b.Type == "resource_link":
		return "[" + strings.TrimSpace(b.Name+" "+b.URI) + "]"
	}
	return b.Text
}
