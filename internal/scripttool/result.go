package scripttool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"

	"agsh.dev/agent"
	"agsh.dev/event"
)

// shownStderr is how much of standard error an error result quotes.
const shownStderr = 4 << 10

// shape makes a result of what a run left. The first block is standard output
// as it was; notes about it follow in blocks of their own. stopped says why
// the run was ended from outside, if it was.
func shape(out outcome, stopped string) agent.Result {
	text, whole := out.stdout.text()
	var res agent.Result
	if !whole {
		res.Size = out.stdout.size
	}
	if !utf8.ValidString(text) {
		bad := invalidBytes(text)
		text = strings.ToValidUTF8(text, "\uFFFD")
		res.Content = append(res.Content, event.Text(text),
			event.Text(fmt.Sprintf("[the output was not UTF-8: %d bytes were replaced by \uFFFD]", bad)))
	} else {
		res.Content = append(res.Content, event.Text(text))
		if whole {
			res.Structured = structured(text)
		}
	}
	end := ending(out.state, stopped)
	if end == "" {
		return res
	}
	res.IsError = true
	if text == "" {
		res.Content = nil
	}
	if tail := strings.ToValidUTF8(out.stderr.last(shownStderr), "\uFFFD"); tail != "" {
		end += "\nstandard error"
		if out.stderr.size > int64(len(tail)) {
			end += fmt.Sprintf(" (the end of %d bytes)", out.stderr.size)
		}
		end += ":\n" + tail
	}
	res.Content = append(res.Content, event.Text(end))
	return res
}

// structured returns text when it is one JSON object or array, else nil.
func structured(text string) json.RawMessage {
	text = strings.TrimSpace(text)
	if text == "" || (text[0] != '{' && text[0] != '[') || !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}

// ending says how a run failed; "" when it did not.
func ending(state *os.ProcessState, stopped string) string {
	how := ""
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		how = fmt.Sprintf("ended by signal %d (%s)", int(ws.Signal()), ws.Signal())
	} else if code := state.ExitCode(); code != 0 {
		how = fmt.Sprintf("exit status %d", code)
	}
	switch {
	case stopped == "":
		return how
	case how == "":
		return stopped
	default:
		return stopped + "; " + how
	}
}

func invalidBytes(s string) int {
	n := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			n++
		}
		i += size
	}
	return n
}

// explain turns the system's word for a program that cannot start into what
// its author can do.
func explain(l launch, workspace string, err error) error {
	var fix string
	program := l.path
	switch {
	case errors.Is(err, os.ErrPermission):
		fix = "it may not be executed: chmod +x " + program
	case errors.Is(err, syscall.ENOEXEC):
		fix = "its first line must name an interpreter, as #!/bin/sh does"
	case errors.Is(err, os.ErrNotExist):
		switch {
		case !exists(workspace):
			fix = "the workspace is gone: " + workspace
		case !exists(program):
			fix = "the file is gone"
		default:
			fix = "the interpreter in its first line is not installed" + crlf(program)
		}
	case errors.Is(err, syscall.ETXTBSY):
		fix = "the file is being written: replace a tool by renaming a finished file over it"
	case errors.Is(err, syscall.E2BIG) && len(l.args) > 0:
		fix = fmt.Sprintf("its %d arguments have %d bytes, more than the system takes in a command line: send less",
			len(l.args), len(strings.Join(l.args, " ")))
	case errors.Is(err, syscall.E2BIG):
		fix = "its environment is too big"
	default:
		return err
	}
	return fmt.Errorf("%w (%s)", err, fix)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// crlf names the usual reason why an installed interpreter is not found.
func crlf(program string) string {
	f, err := os.Open(program)
	if err != nil {
		return ""
	}
	defer closeAll(f)
	line := make([]byte, 256)
	n, _ := f.Read(line)
	if i := bytes.IndexByte(line[:n], '\n'); i > 0 && line[i-1] == '\r' {
		return ", or not under that name: the line ends with a carriage return"
	}
	return ""
}
