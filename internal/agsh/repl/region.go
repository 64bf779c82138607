package repl

import (
	"fmt"
	"strings"
	"time"

	"agsh.dev/internal/term/text"
)

const defaultWidth, defaultHeight = 80, 24

// region is the live region: output that is not a whole row yet, what waits,
// how the running entry does, the line and its menu. It is never taller than
// the window.
func (s *shell) region(width, height int) picture {
	inner := width - 1 // the last column stays free: terminals differ in how they leave it
	var above []string
	if row := s.transcript.pending(); row != "" {
		above = append(above, row)
	}
	if s.running != nil {
		above = append(above, s.queued(inner)...)
		if row := s.progress(time.Now()); row != "" {
			above = append(above, s.faint(text.Truncate(row, inner)))
		}
	}
	above = above[max(0, len(above)-height+1):]
	height -= len(above)
	p := s.typing(width)
	var below []string
	if s.menu.open() && len(s.asked) == 0 {
		room := height - min(len(p.rows), max(1, height-maxListed))
		below = s.menu.rows(inner, room, s.marked, s.faint)
	}
	p = p.clipped(height - len(below))
	p.row += len(above)
	p.rows = append(append(above, p.rows...), below...)
	return p
}

// typing is the row, or rows, with the cursor.
func (s *shell) typing(width int) picture {
	e := s.editor
	switch {
	case len(s.asked) > 0:
		return s.questionRows(width)
	case e.found.on:
		return layout(text.EscapeLine(e.found.prompt()), e.line, width-1)
	case s.running == nil:
		return layout(s.prompt, e.line, width-1)
	case e.line.text == "":
		return picture{rows: []string{""}}
	}
	return layout(waitingPrompt, e.line, width-1)
}

// waitingPrompt stands before what runs later.
const waitingPrompt = "» "

func (s *shell) queued(width int) []string {
	var rows []string
	for i, entry := range s.queue {
		if i == maxQueued {
			rows = append(rows, s.faint(text.Truncate(fmt.Sprintf("  … and %d more", len(s.queue)-i), width)))
			break
		}
		rows = append(rows, s.faint(text.Truncate(waitingPrompt+text.EscapeLine(entry), width)))
	}
	return rows
}

const spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

// progress tells how long the entry runs already. At first it says nothing.
func (s *shell) progress(now time.Time) string {
	ran := now.Sub(s.running.since)
	if ran < statusAfter || len(s.asked) > 0 {
		return ""
	}
	frames := []rune(spinner)
	row := fmt.Sprintf("%c %d s", frames[int(ran/frameTime)%len(frames)], int(ran/time.Second))
	if status := s.status.Load(); status != nil && *status != "" {
		row += " · " + text.EscapeLine(strings.TrimSpace(*status))
	}
	return row + " · Ctrl-C cancels"
}

func (s *shell) faint(row string) string { return s.styled("\x1b[2m", row) }

func (s *shell) marked(row string) string { return s.styled("\x1b[7m", row) }

func (s *shell) styled(style, row string) string {
	if !s.Color {
		return row
	}
	return style + row + reset
}
