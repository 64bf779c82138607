// Command agsh is a shell for deployed agents; agsh --help explains it.
package main

import (
	"context"
	"os"

	"agsh.dev/internal/agsh"
	"agsh.dev/internal/term"
)

func main() { os.Exit(agsh.Run(context.Background(), term.OS(), os.Args[1:])) }
