// Command agent-sdk validates and serves agents defined as folders;
// agent-sdk --help explains it.
package main

import (
	"context"
	"os"

	"agsh.dev/internal/sdkcli"
	"agsh.dev/internal/term"
)

func main() { os.Exit(sdkcli.Run(context.Background(), term.OS(), os.Args)) }
