package mcpclient

import (
	"errors"
	"log/slog"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agsh.dev/agent"
	"agsh.dev/internal/mcpclient/stdio"
)

// legacy is the newest version of the protocol that begins with initialize.
const legacy = "2025-11-25"

// A carrier is a way to a server that was not gone yet. It is good for one
// connection.
type carrier struct {
	transport mcp.Transport
	// explain adds to the error of a request what the way knows of it.
	explain func(err error, cap *capture) error
	// close is called after the connection over it is closed.
	close func()
}

// A dialer knows how to reach a server.
type dialer struct {
	// versions are those of the protocol to try in order, each over a new
	// carrier, as long as the server refuses with an error of the protocol. ""
	// lets the SDK find out.
	versions []string
	new      func() carrier
}

// dial is how the server of a connection is reached.
func dial(c agent.Connection, cfg Config, log *slog.Logger, hide redactor) dialer {
	if c.URL != "" {
		return dialer{[]string{""}, func() carrier { return dialHTTP(c) }}
	}
	// Finding out the version means to send something before initialize, and
	// some programs end at that.
	return dialer{[]string{legacy, ""}, func() carrier { return dialProgram(c, cfg, log, hide, maxMessage) }}
}

func dialHTTP(c agent.Connection) carrier {
	w := newWire(c)
	return carrier{
		transport: w.transport(c.URL),
		close:     w.close,
		explain: func(err error, cap *capture) error {
			var answer *jsonrpc.Error
			r := cap.refused()
			switch failure := cap.failed(); {
			case err == nil:
				return nil
			case failure != nil: // the SDK makes an error of the protocol of it
				return failure
			case r.status == 0, errors.As(err, &answer):
				return plain(err)
			}
			return r.explain(c.URL, plain(err))
		},
	}
}

func dialProgram(c agent.Connection, cfg Config, log *slog.Logger, hide redactor, limit int) carrier {
	t := stdio.New(stdio.Config{
		Path: c.Command, Args: c.Args, Dir: c.Cwd, Env: environment(c.Env, cfg.Getenv),
		Grace: cfg.Grace, MaxMessage: limit,
		Stderr: func(line string) { log.Info("an MCP server writes to standard error", "text", hide.text(line)) },
		Junk:   func(line string) { log.Debug("an MCP server writes what is no message", "text", hide.text(line)) },
	})
	return carrier{
		transport: tee{t},
		close:     func() {},
		explain: func(err error, _ *capture) error {
			var exit *stdio.ExitError
			if err == nil {
				return nil
			}
			if exit = t.Exit(); exit != nil || errors.As(err, &exit) {
				return exit
			}
			return plain(err)
		},
	}
}

// environment is what a program gets: a few variables that programs need to
// find their way, as the runtime has them, and those of its connection.
func environment(own map[string]string, getenv func(string) string) []string {
	env := map[string]string{}
	for _, name := range []string{"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"} {
		if v := getenv(name); v != "" {
			env[name] = v
		}
	}
	maps.Copy(env, own)
	var list []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}
