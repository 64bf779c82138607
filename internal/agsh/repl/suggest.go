package repl

import "context"

// complete asks what may stand at the cursor. refresh says that the answer is
// for the open menu; otherwise it completes the line.
func (s *shell) complete(refresh bool) {
	s.stopCompleting()
	if s.Complete == nil {
		return
	}
	ctx, cancel := context.WithCancel(s.entries)
	s.completing.cancel, s.completing.refresh = cancel, refresh
	number, l := s.completing.number, s.editor.line
	s.workers.Go(func() {
		c := s.Complete(ctx, l.text, l.at)
		cancel()
		s.send(foundMsg{number, c})
	})
}

// stopCompleting forgets a completion under way.
func (s *shell) stopCompleting() {
	s.completing.number++
	if s.completing.cancel != nil {
		s.completing.cancel()
		s.completing.cancel = nil
	}
}

// found takes the answer of a completion, if the line is still what it is for.
func (s *shell) found(f foundMsg) {
	if f.number != s.completing.number || s.completing.cancel == nil {
		return
	}
	s.completing.cancel = nil
	if s.completing.refresh {
		marked := ""
		if s.menu.open() {
			marked = s.menu.Candidates[s.menu.marked].Text
		}
		s.menu = menu{Completion: f.Completion}.filtered(s.editor.line)
		for i, c := range s.menu.Candidates {
			if c.Text == marked {
				s.menu.marked = i
			}
		}
		return
	}
	s.editor.line, s.menu = completed(s.editor.line, f.Completion)
}

// menuKey handles a key while the menu is open. Other keys go on to the line.
func (s *shell) menuKey(k key) bool {
	switch k.do {
	case complete, newer:
		s.menu = s.menu.move(1)
	case completeBack, older:
		s.menu = s.menu.move(-1)
	case enter:
		s.editor.line = s.menu.accept(s.editor.line)
		s.stopCompleting()
		s.menu = menu{}
	case escape, cancelSearch:
		s.stopCompleting()
		s.menu = menu{}
	default:
		return false
	}
	return true
}

// changed keeps the menu in step with a line that k changed.
func (s *shell) changed(k key) {
	open := s.menu.open()
	s.stopCompleting()
	s.menu = s.menu.filtered(s.editor.line)
	if open && (k.do == insert || k.do == deleteLeft) {
		s.complete(true)
		return
	}
	s.menu = menu{}
}
