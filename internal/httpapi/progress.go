package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"

	"agsh.dev/agent"
	"agsh.dev/api"
)

// A progressStream answers a call with a line for each report of its tool and
// a last one for the result. Until the first report nothing is sent, so a
// call without any is answered like one whose client does not ask. The nil
// stream is of such a client.
//
// The host reports from one goroutine at a time, and not after the call.
type progressStream struct {
	out  sender
	sent bool
	gone error // why the client cannot be reached any more
}

// maxProgressText bounds what a tool says of its progress.
const maxProgressText = 1 << 10

func (p *progressStream) report(progress agent.Progress) {
	if p.gone != nil {
		return // its context ends the call
	}
	if !p.sent {
		p.sent = true
		header := p.out.w.Header()
		header.Set("Content-Type", lines.contentType)
		header.Set("Cache-Control", "no-store, no-transform")
		header.Set("X-Accel-Buffering", "no")
		p.out.w.WriteHeader(http.StatusOK)
	}
	message := progress.Message
	if len(message) > maxProgressText {
		message = strings.ToValidUTF8(message[:maxProgressText], "") + "…"
	}
	p.gone = p.line(api.Progress{Type: "progress", Progress: finite(progress.Done), Total: finite(progress.Total), Message: message})
}

// finite is f, or 0 for what JSON has no number for.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

func (p *progressStream) begun() bool { return p != nil && p.sent }

func (p *progressStream) line(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode a line of the answer: %w", err)
	}
	return p.out.send(b.Bytes())
}

// end sends the result, or the error that the call ended with. The version
// of the namespace comes with it, since the header has gone.
func (p *progressStream) end(known *api.Error, res *api.CallResult, version string) {
	last := api.CallEnd{Type: "result", ETag: version, Result: res}
	if known != nil {
		last = api.CallEnd{Type: "error", ETag: version, Error: known}
	}
	_ = p.line(last) // nobody is left to tell
	p.out.done()
}
