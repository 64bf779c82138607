package repl

import (
	"context"
	"slices"
	"strings"
	"time"

	"agsh.dev/internal/term/text"
)

// A question of a running entry, which waits for its reply.
type question struct {
	text  string
	reply chan bool // has room for one
	// quiet is when it was shown, or a key came after that which cannot have
	// been an answer: whoever types on has not read it.
	quiet time.Time
}

// open reports whether keys answer the question now.
func (q question) open(now time.Time) bool { return now.Sub(q.quiet) >= readTime }

// forgetMsg says that nobody waits for the reply any more.
type forgetMsg struct{ reply chan bool }

// confirm asks from the goroutine of an entry.
func (s *shell) confirm(ctx context.Context, ask string) (bool, error) {
	q := question{text: ask, reply: make(chan bool, 1)}
	s.send(q)
	select {
	case yes := <-q.reply:
		return yes, nil
	case <-ctx.Done():
		s.send(forgetMsg{q.reply})
		return false, ctx.Err()
	}
}

func (s *shell) ask(q question) {
	if s.asked = append(s.asked, q); len(s.asked) == 1 {
		s.showQuestion()
	}
}

// showQuestion starts the time in which the first question is read.
func (s *shell) showQuestion() {
	s.showOutput() // it may be what the question is about
	s.stopCompleting()
	s.menu, s.answer = menu{}, line{}
	s.asked[0].quiet = time.Now()
}

func (s *shell) forget(f forgetMsg) {
	first := len(s.asked) > 0 && s.asked[0].reply == f.reply
	s.asked = slices.DeleteFunc(s.asked, func(q question) bool { return q.reply == f.reply })
	if first && len(s.asked) > 0 {
		s.showQuestion()
	}
}

// answerKey handles a key while a question is open.
func (s *shell) answerKey(k key) {
	if k.do == interrupt || k.do == escape || k.do == endOrDelete {
		s.reply(false)
		return
	}
	if now := time.Now(); !s.asked[0].open(now) {
		s.asked[0].quiet = now
		return
	}
	switch k.do {
	case insert:
		s.answer = s.answer.insert(k.text)
	case deleteLeft:
		s.answer, _ = s.answer.cut(s.answer.left())
	case deleteToStart:
		s.answer = line{}
	case enter:
		word := strings.ToLower(strings.TrimSpace(s.answer.text))
		s.reply(word == "y" || word == "yes")
	default:
	}
}

// reply answers the first question and leaves it on the transcript.
func (s *shell) reply(yes bool) {
	q := s.asked[0]
	q.reply <- yes
	width, _ := s.size()
	p := s.questionRows(width)
	s.asked = s.asked[1:]
	s.print(p.rows, picture{rows: []string{""}}, width)
	if len(s.asked) > 0 {
		s.showQuestion()
	}
}

// questionRows shows the first question. Its end tells when keys count.
func (s *shell) questionRows(width int) picture {
	q := s.asked[0]
	b := breaker{width: width - 1}
	lines := strings.Split(q.text, "\n")
	for _, line := range lines[:len(lines)-1] {
		b.putStyled(text.EscapeLine(line))
		b.newRow()
	}
	prompt := text.EscapeLine(lines[len(lines)-1])
	if q.open(time.Now()) {
		prompt += " [y/N] "
	}
	p := layout(prompt, s.answer, width-1)
	p.rows = append(b.rows, p.rows...)
	p.row += len(b.rows)
	return p
}
