package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"agsh.dev/internal/term/text"
)

const (
	// statusAfter is how long an entry runs before a row tells that it does.
	statusAfter = time.Second
	frameTime   = 100 * time.Millisecond
	// readTime is how long a question is shown, and nothing typed, before keys
	// answer it.
	readTime = 500 * time.Millisecond
	// maxQueued is how many waiting entries are shown.
	maxQueued = 3
)

// A shell is the loop on a terminal. It is the model of an event loop: only
// Update touches it, and only Update writes to the terminal.
type shell struct {
	Config
	screen
	editor     editor
	menu       menu
	transcript transcript
	out        *output
	prompt     string   // of the entry that is typed
	queue      []string // entries that wait for the running one
	running    *running
	asked      []question // the first one is shown
	answer     line       // what was typed so far
	completing completing
	code       int
	leaving    bool
	failure    error
	restore    func() // puts the terminal into the mode of other programs
	status     atomic.Pointer[string]
	alarm      *time.Timer // sends tickMsg
	alarmAt    time.Time
	send       func(tea.Msg)
	entries    context.Context //nolint:containedctx // the loop's own: entries and completions end with it
	workers    sync.WaitGroup
}

// A running entry.
type running struct {
	cancel context.CancelFunc
	since  time.Time
	done   chan result // gets the result once
}

type result struct {
	code     int
	leave    bool
	panicked any // what Run panicked with
}

// completing is a completion under way. Its number tells its answer from those
// that are too late.
type completing struct {
	number int
	cancel context.CancelFunc // nil: none
	// refresh says that a menu is open, and the answer is for it.
	refresh bool
}

// Messages of the event loop, beside keys.
type (
	outputMsg struct{}
	resizeMsg struct{}
	tickMsg   struct{}
	cancelMsg struct{} // an interrupt from outside
	endMsg    struct{ err error }
	doneMsg   struct{}
	foundMsg  struct {
		number int
		Completion
	}
)

var _ tea.Model = (*shell)(nil)

// Init asks for nothing: the first prompt is painted before the loop starts.
func (s *shell) Init() tea.Cmd { return nil }

// View is empty: the shell paints for itself.
func (s *shell) View() tea.View { return tea.View{} }

// Update handles one event.
func (s *shell) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case key:
		s.press(msg)
	case cancelMsg:
		s.press(key{do: interrupt})
	case outputMsg:
		s.showOutput()
	case foundMsg:
		s.found(msg)
	case question:
		s.ask(msg)
	case forgetMsg:
		s.forget(msg)
	case doneMsg:
		s.finish(<-s.running.done)
	case endMsg:
		s.failure = msg.err
		s.leave()
	case resizeMsg, tickMsg:
	default:
		return s, nil // of the event loop itself
	}
	if s.err != nil && !s.leaving {
		s.leave()
	}
	if s.leaving && s.running == nil {
		return s, tea.Quit
	}
	s.refresh()
	s.rearm(time.Now())
	return s, nil
}

// rearm sets the alarm to when the region changes by itself.
func (s *shell) rearm(now time.Time) {
	var at time.Time
	switch {
	case len(s.asked) > 0:
		at = s.asked[0].quiet.Add(readTime)
	case s.running != nil:
		frame := now.Sub(s.running.since).Truncate(frameTime) + frameTime
		at = s.running.since.Add(max(statusAfter, frame))
	}
	if at.After(now) && !at.Equal(s.alarmAt) {
		s.alarmAt = at
		s.alarm.Reset(at.Sub(now))
	}
}

// leave ends the loop as soon as nothing runs.
func (s *shell) leave() {
	s.leaving, s.queue = true, nil
	if s.running != nil {
		s.running.cancel()
	}
}

// press handles a key.
func (s *shell) press(k key) {
	switch {
	case k.do == suspend:
		s.suspend()
		return
	case k.do == clearScreen:
		s.write(clearAll)
		s.painted = picture{}
		return
	case len(s.asked) > 0:
		s.answerKey(k)
		return
	case k.do == tooLong:
		s.say(fmt.Sprintf("warning: what was pasted is larger than %d MiB, and was dropped", maxPaste>>20))
		return
	case s.menu.open() && s.menuKey(k):
		return
	}
	before := s.editor.line
	if !s.control(k) {
		s.editor, _ = s.editor.press(k, s.History)
	}
	if s.editor.line != before {
		s.changed(k)
	}
}

// control handles the keys that are about more than the line.
func (s *shell) control(k key) bool {
	idle := s.running == nil
	switch {
	case k.do == interrupt:
		s.interrupt()
	case k.do == endOrDelete && s.editor.line.text == "":
		if idle {
			s.commit("")
			s.leave()
		}
	case k.do == enter && !s.Incomplete(s.editor.line.text):
		s.enter()
	case k.do == enter:
		s.editor.line = lineOf(s.editor.line.text).insert("\n")
	case k.do == older && !idle && len(s.queue) > 0 && s.editor.line.text == "":
		last := len(s.queue) - 1
		s.editor.line = lineOf(s.queue[last])
		s.queue = s.queue[:last]
	case k.do == complete:
		s.complete(false)
	default:
		return false
	}
	return true
}

// interrupt is Ctrl-C: it cancels what runs, or drops the line. Entries that
// waited come back to be edited: what was to follow may make no sense now.
func (s *shell) interrupt() {
	s.stopCompleting()
	s.menu = menu{}
	if s.running == nil {
		s.commit("^C")
		s.editor = s.editor.cleared()
		s.code = CodeInterrupted
		s.prompt = s.Prompt()
		return
	}
	s.running.cancel()
	s.say("^C")
	if len(s.queue) > 0 {
		draft := append(s.queue, s.editor.line.text)
		s.editor = s.editor.cleared()
		s.editor.line = lineOf(strings.TrimSuffix(strings.Join(draft, "\n"), "\n"))
		s.queue = nil
	}
}

// enter takes the line as an entry, which runs now or after those before it.
func (s *shell) enter() {
	s.stopCompleting()
	src := s.editor.line.text
	if s.running != nil {
		if strings.TrimSpace(src) != "" {
			s.queue = append(s.queue, src)
		}
		s.editor = s.editor.cleared()
		return
	}
	s.commit("")
	s.editor = s.editor.cleared()
	s.start(src)
}

// commit puts the entry that is typed onto the transcript.
func (s *shell) commit(note string) {
	s.menu = menu{}
	s.editor.found = searching{}
	width, _ := s.size()
	p := layout(s.prompt, lineOf(s.editor.line.text), width-1)
	p.rows[len(p.rows)-1] += note
	s.print(p.rows, picture{rows: []string{""}}, width)
}

// start runs an entry that the transcript has already.
func (s *shell) start(src string) {
	if strings.TrimSpace(src) == "" {
		s.prompt = s.Prompt()
		return
	}
	if err := s.History.Add(src); err != nil {
		s.say("warning: " + err.Error())
	}
	ctx, cancel := context.WithCancel(s.entries)
	s.running = &running{cancel: cancel, since: time.Now(), done: make(chan result, 1)}
	s.status.Store(nil)
	done := s.running.done
	s.workers.Go(func() {
		done <- s.run(ctx, src)
		s.send(doneMsg{})
	})
}

func (s *shell) run(ctx context.Context, src string) (r result) {
	defer func() {
		// It goes on in the loop, which restores the terminal first.
		if v := recover(); v != nil {
			r.panicked = withStack(v)
		}
	}()
	r.code, r.leave = s.Run(ctx, src, IO{
		Out: s.out, Err: s.out, Confirm: s.confirm,
		Status: func(text string) { s.status.Store(&text) },
	})
	return r
}

// finish takes the result of the running entry and starts the next.
func (s *shell) finish(r result) {
	s.running.cancel()
	s.showOutput()
	width, _ := s.size()
	if rest := s.transcript.end(width-1, s.faint(noNewline)); rest != nil {
		s.print(rest, picture{rows: []string{""}}, width)
	}
	s.running, s.asked = nil, nil
	s.code = r.code
	if r.panicked != nil {
		panic(r.panicked)
	}
	if r.leave {
		s.leave()
	}
	if s.leaving {
		return
	}
	s.prompt = s.Prompt()
	if len(s.queue) == 0 {
		return
	}
	next := s.queue[0]
	s.queue = s.queue[1:]
	draft := s.editor
	s.editor = editor{line: lineOf(next)}
	s.commit("")
	s.editor = draft
	s.start(next)
}

// showOutput puts what was written onto the transcript.
func (s *shell) showOutput() {
	width, height := s.size()
	if rows := s.transcript.add(string(s.out.take()), width-1); len(rows) > 0 {
		s.print(rows, s.region(width, height), width)
	}
}

// say puts a message onto the transcript.
func (s *shell) say(message string) {
	width, height := s.size()
	b := breaker{width: width - 1}
	b.put(text.EscapeLine(message))
	s.print(b.finish(), s.region(width, height), width)
}

// refresh paints the live region.
func (s *shell) refresh() {
	width, height := s.size()
	s.paint(s.region(width, height), width)
}

func (s *shell) size() (width, height int) {
	width, height = s.Size()
	if width < 2 {
		width = defaultWidth
	}
	if height < 1 {
		height = defaultHeight
	}
	return width, height
}

// exitCode is that of the loop, once it has ended with err.
func (s *shell) exitCode(err error) (int, error) {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return CodeInterrupted, nil // being stopped is no failure
	case s.err != nil:
		return s.code, s.err
	case errors.Is(s.failure, io.EOF):
		return s.code, nil
	case s.failure != nil:
		return s.code, s.failure
	}
	return s.code, err
}
