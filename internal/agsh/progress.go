package agsh

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"agsh.dev/api"
	"agsh.dev/internal/term"
	"agsh.dev/internal/term/text"
)

// progressAfter is how long a call runs before its progress is shown: what is
// over sooner needs none.
const progressAfter = time.Second

// watched calls a tool and shows, on a terminal, what a long call is doing.
func (s *session) watched(ctx context.Context, name string, req api.CallRequest) (api.CallResult, error) {
	switch {
	case s.status != nil:
		req.OnProgress = func(p api.Progress) { s.status(progressText(p)) }
		defer s.status("")
	case showsRow(s.term) && !s.inShell:
		row := startRow(s.term.Err, s.term.Width, name)
		defer row.stop()
		req.OnProgress = func(p api.Progress) { row.set(progressText(p)) }
	}
	return s.client.Call(ctx, name, req)
}

// showsRow reports whether there is a terminal on which a row can be painted
// over.
func showsRow(t *term.Term) bool { return t.ErrTTY && t.Getenv("TERM") != "dumb" }

// progressText is a report as people read it: 3/10 and what is being done.
func progressText(p api.Progress) string {
	var words []string
	switch {
	case p.Total > 0:
		words = append(words, number(p.Progress)+"/"+number(p.Total))
	case p.Progress > 0 && p.Message == "":
		words = append(words, number(p.Progress))
	}
	if p.Message != "" {
		words = append(words, text.EscapeLine(p.Message))
	}
	return strings.Join(words, " ")
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// A row is one line on a terminal that is painted over and over, and gone in
// the end.
type row struct {
	out   io.Writer
	width func() int
	name  string
	began time.Time

	mu    sync.Mutex
	text  string
	shown bool

	quit chan struct{}
	done sync.WaitGroup
}

// startRow begins to show a row a second from now. The caller stops it.
func startRow(out io.Writer, width func() int, name string) *row {
	r := &row{out: out, width: width, name: name, began: time.Now(), quit: make(chan struct{})}
	r.done.Go(r.run)
	return r
}

func (r *row) set(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = text
}

func (r *row) run() {
	tick := time.NewTicker(progressAfter / 5)
	defer tick.Stop()
	for {
		select {
		case <-r.quit:
			return
		case now := <-tick.C:
			if elapsed := now.Sub(r.began); elapsed >= progressAfter {
				r.paint(elapsed)
			}
		}
	}
}

func (r *row) paint(elapsed time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line := fmt.Sprintf("%s %ds", text.EscapeLine(r.name), int(elapsed.Seconds()))
	if r.text != "" {
		line += " · " + r.text
	}
	width := r.width()
	if width <= 0 {
		width = 80 // standard output is not the terminal, and what is was not asked
	}
	r.shown = true
	fmt.Fprintf(r.out, "\r\x1b[K%s", text.Truncate(line, max(1, width-1)))
}

// stop takes the row away.
func (r *row) stop() {
	close(r.quit)
	r.done.Wait()
	if r.shown {
		fmt.Fprint(r.out, "\r\x1b[K")
	}
}
