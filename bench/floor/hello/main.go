// Hello is the least a Go program can be: the floor of starting one.
package main

import "os"

func main() {
	_, _ = os.Stdout.WriteString("hello\n") //nolint:forbidigo // a main program
}
