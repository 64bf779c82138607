package repl

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"
)

// runShell is the loop on a terminal. Its error is errNotRaw if there is no raw
// mode.
func runShell(ctx context.Context, c Config) (code int, err error) {
	if c.Size == nil {
		c.Size = func() (cells, rows int) { return terminalSize(c.Out) }
	}
	restore, err := c.MakeRaw()
	if err != nil {
		return 0, errNotRaw
	}
	s := &shell{Config: c, screen: screen{out: c.Out}, out: newOutput(), restore: restore}
	// Whatever happens, a panic too, the terminal is given back as it was.
	defer func() {
		s.write(noBracketedPaste)
		s.restore()
	}()
	entries, cancel := context.WithCancel(ctx)
	defer cancel()
	s.entries = entries
	width, _ := s.size()
	s.write(bracketedPaste)
	s.begin(width, s.faint(noNewline))
	s.prompt = c.Prompt()
	s.refresh()

	// The loop has no renderer and no input of its own: it would ask the
	// terminal what it can do, and leave a copy of the region at each resize.
	program := tea.NewProgram(s, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(io.Discard),
		tea.WithoutRenderer(), tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithFPS(1),
		tea.WithEnvironment([]string{}), tea.WithColorProfile(colorprofile.NoTTY))
	s.send = program.Send
	s.alarm = time.AfterFunc(time.Hour, func() { program.Send(tickMsg{}) })
	defer s.alarm.Stop()
	events := &feeder{in: c.In, interrupts: c.Interrupts, output: s.out.ready, send: program.Send}
	stop, err := events.start()
	if err != nil {
		return 0, err
	}
	defer stop()
	_, err = program.Run()
	cancel()
	s.wind()
	return s.exitCode(err)
}

// wind waits for what still runs after the loop has ended, and shows what it
// prints: the goroutine of the loop owns the terminal now.
func (s *shell) wind() {
	if s.running == nil && !s.leaving { // it was stopped at a prompt
		s.commit("")
	}
	for s.running != nil {
		select {
		case <-s.out.ready:
			s.showOutput()
		case r := <-s.running.done:
			s.leaving = true
			s.finish(r)
		}
	}
	s.out.close()
	s.workers.Wait()
	width, _ := s.size()
	s.print(nil, picture{rows: []string{""}}, width)
}

// terminalSize asks a terminal.
func terminalSize(out io.Writer) (cells, rows int) {
	if f, ok := out.(interface{ Fd() uintptr }); ok {
		if cells, rows, err := term.GetSize(int(f.Fd())); err == nil {
			return cells, rows
		}
	}
	return 0, 0
}

// withStack keeps where a panic came from, which is lost when it goes on
// elsewhere.
func withStack(v any) any { return fmt.Errorf("%v\n\n%s", v, debug.Stack()) }

// suspend hands the terminal to the person's shell and takes it back.
func (s *shell) suspend() {
	width, _ := s.size()
	s.print(nil, picture{rows: []string{""}}, width)
	s.write(noBracketedPaste)
	s.restore()
	suspendJob()
	restore, err := s.MakeRaw()
	if err != nil {
		s.failure = fmt.Errorf("after being suspended: %w", err)
		s.leave()
		return
	}
	s.restore = restore
	s.write(bracketedPaste)
	width, _ = s.size()
	s.begin(width, s.faint(noNewline))
}
