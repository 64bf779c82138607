package repl

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"testing"

	"golang.org/x/term"
)

// TestMain lets the test binary be a program on the terminal of a test.
func TestMain(m *testing.M) {
	// The runtime makes its signal goroutine at the first Notify, which must
	// not be inside a synctest bubble.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	if os.Getenv("REPL_TEST_SHELL") == "" {
		os.Exit(m.Run())
	}
	code, err := Run(context.Background(), Config{
		In: os.Stdin, Out: os.Stdout,
		MakeRaw: func() (func(), error) {
			state, err := term.MakeRaw(int(os.Stdin.Fd()))
			return func() { term.Restore(int(os.Stdin.Fd()), state) }, err
		},
		Prompt: func() string { return "agent❯ " },
		Run: func(_ context.Context, src string, out IO) (int, bool) {
			fmt.Fprintf(out.Out, "ran: %q\n", src)
			return 0, false
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
