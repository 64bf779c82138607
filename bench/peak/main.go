//go:build unix

// Peak runs its arguments as a program and writes the most memory that program
// had resident, in KiB, to standard output; what the program itself prints is
// dropped.
//
// The kernel counts what the parent had at the moment of the exec as the
// child's own. So the parent has to be small, and the bench is not.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

func main() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...) //nolint:noctx // whoever started this ends it
	err := cmd.Run()
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if err != nil || !ok {
		fmt.Fprintf(os.Stderr, "peak: run %s: %v\n", os.Args[1], err) //nolint:forbidigo // a main program
		os.Exit(1)                                                    //nolint:forbidigo // a main program
	}
	fmt.Fprintln(os.Stdout, usage.Maxrss) //nolint:forbidigo // a main program
}
