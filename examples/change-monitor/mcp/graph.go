package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type graphQuery struct {
	Metric metricName `json:"metric" jsonschema:"which series"`
	Window window     `json:"window,omitzero" jsonschema:"which time"`
}

// graphMetric answers with text, an image and text about it.
func graphMetric(_ context.Context, _ *mcp.CallToolRequest, in graphQuery) (*mcp.CallToolResult, any, error) {
	m, err := findMetric(in.Metric)
	if err != nil {
		return nil, nil, err
	}
	w, err := in.Window.resolve()
	if err != nil {
		return nil, nil, err
	}
	points := m.points(w, width/2, "avg")
	picture, err := draw(points)
	if err != nil {
		return nil, nil, fmt.Errorf("draw %s: %w", m.name, err)
	}
	content := []mcp.Content{
		&mcp.TextContent{Text: fmt.Sprintf("%s in %s, %s to %s", m.name, m.unit, w.From.Format(time.RFC3339), w.To.Format(time.RFC3339))},
		&mcp.ImageContent{Data: picture, MIMEType: "image/png"},
	}
	for _, part := range []struct {
		name   string
		points []point
	}{
		{"before the canary", where(points, func(p point) bool { return p.At.Before(canarySince()) })},
		{"with the canary", where(points, func(p point) bool { return !p.At.Before(canarySince()) })},
	} {
		if len(part.points) > 0 {
			low, high := extremes(part.points)
			content = append(content, &mcp.TextContent{Text: fmt.Sprintf("%s: %v to %v", part.name, low, high)})
		}
	}
	return &mcp.CallToolResult{Content: content}, nil, nil
}

// The size of a graph, in dots.
const width, height = 160, 48

// draw makes a PNG image with two columns for each point; points has at least
// one.
func draw(points []point) ([]byte, error) {
	paper, ink := color.Gray{Y: 0xff}, color.RGBA{R: 0x1f, G: 0x5f, B: 0xbf, A: 0xff}
	picture := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{paper, ink})
	_, high := extremes(points)
	for x := range width {
		value := points[x*len(points)/width].Value
		for y := range int(math.Round(value / max(high, 1e-9) * (height - 1))) {
			picture.SetColorIndex(x, height-1-y, 1)
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, picture)
	return b.Bytes(), err
}

func extremes(points []point) (low, high float64) {
	low, high = points[0].Value, points[0].Value
	for _, p := range points {
		low, high = min(low, p.Value), max(high, p.Value)
	}
	return low, high
}
