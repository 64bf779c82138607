package filetools

import (
	"context"
	_ "embed" // descriptions
	"encoding/base64"
	"fmt"
	"strings"

	"agsh.dev/agent"
	"agsh.dev/event"
	"agsh.dev/vfs"
)

//go:embed read.md
var readDoc string

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

func readTool() native {
	return native{
		name: "Read", title: "Read a file", description: readDoc, kind: "read",
		fields: fields{
			{name: "path", kind: str, required: true, aliases: []string{"file_path", "filePath", "target_file"}, doc: "The path of the file to read."},
			{name: "offset", kind: num, doc: "The line to start from: 1 is the first, -1 the last. Leave it out to start at the top."},
			{name: "limit", kind: num, natural: true, doc: "The most lines to read. Leave it out, or give 0, to read to the end."},
		},
		run: bind(read),
	}
}

func read(ctx context.Context, tree vfs.FileSystem, in readArgs) (agent.Result, error) {
	data, err := tree.Read(ctx, in.Path)
	if err != nil {
		return agent.Result{}, err
	}
	if mime := vfs.ImageType(data); mime != "" {
		image := event.Block{Type: "image", Data: base64.StdEncoding.EncodeToString(data), MimeType: mime}
		return agent.Result{Content: []event.Block{image}}, nil
	}
	if len(data) == 0 {
		return text(""), nil
	}
	lines := splitLines(string(data))
	from, to, err := window(len(lines), in.Offset, in.Limit)
	if err != nil {
		return agent.Result{}, fmt.Errorf("read %s: %w", in.Path, err)
	}
	return number(lines[from:to], from+1), nil
}

// maxShown is the most bytes of text that a result has. It stays below what an
// answer may have, so that what is cut off is the end, and is whole lines. A
// Read tells the size of all of it; a search ends there, so nobody knows, and
// its note says how to go on.
const maxShown = 8 << 20

// number is the result of lines under their numbers, which count from first.
func number(lines []string, first int) agent.Result {
	var b strings.Builder
	size := 0
	for i, line := range lines {
		row := fmt.Sprintf("%6d|%s\n", first+i, line)
		if size += len(row); size <= maxShown || i == 0 {
			b.WriteString(row)
		}
	}
	res := text(b.String())
	if size > b.Len() {
		res.Size = int64(size)
	}
	return res
}

// splitLines cuts text at its newlines. One at the end begins no line.
func splitLines(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// window turns an offset (from 1, or from the end if negative, 0 for none)
// and a limit (0 for none) into the bounds of a slice of count lines.
func window(count, offset, limit int) (from, to int, err error) {
	switch {
	case offset > count:
		lines := "lines"
		if count == 1 {
			lines = "line"
		}
		return 0, 0, fmt.Errorf("offset %d is past the end: the file has %d %s", offset, count, lines)
	case offset > 0:
		from = offset - 1
	case offset < 0:
		from = max(0, count+offset)
	}
	to = count
	if limit > 0 {
		to = min(count, from+min(limit, count))
	}
	return from, to, nil
}
