//go:build !unix

package term

import "context"

// waitInput cannot wait here: the read that follows blocks, whatever ctx does.
func waitInput(ctx context.Context, _ uintptr) error { return ctx.Err() }
