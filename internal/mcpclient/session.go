package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agsh.dev/agent"
)

// maxTools is how many tools one server may offer.
const maxTools = 10_000

// A session is one connection that was made, until it breaks.
type session struct {
	conn    *mcp.ClientSession
	carrier carrier
	calls   *reporters
	// changed has an element while the server's list is newer than ours.
	changed  chan struct{}
	renewals renewals
	// over is closed once the connection is; nothing is received after that.
	over chan struct{}
	err  error // why it is over, after that
}

// open makes a connection and shakes hands. The session must be closed.
func open(ctx context.Context, d dialer, cfg Config, roots string, log *slog.Logger, hide redactor) (*session, error) {
	var err error
	for _, version := range d.versions {
		var s *session
		if s, err = d.shakeHands(ctx, version, cfg, roots, log, hide); err == nil {
			return s, nil
		}
		if _, refused := errors.AsType[*jsonrpc.Error](err); !refused {
			break
		}
	}
	return nil, err
}

func (d dialer) shakeHands(ctx context.Context, version string, cfg Config, roots string, log *slog.Logger, hide redactor) (*session, error) {
	s := &session{carrier: d.new(), calls: &reporters{}, changed: make(chan struct{}, 1), over: make(chan struct{})}
	client := mcp.NewClient(&mcp.Implementation{Name: "agsh", Version: cfg.Version}, &mcp.ClientOptions{
		// Neither sampling nor elicitation: the SDK refuses what is not here.
		Capabilities:                capabilities(roots),
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { s.notice() },
		ProgressNotificationHandler: s.progress,
		//nolint:staticcheck // deprecated only in the newest version; servers of all others log so
		LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) {
			data, err := json.Marshal(req.Params.Data)
			if err != nil {
				data = nil
			}
			log.Debug("an MCP server logs", "level", bound(string(req.Params.Level), minSecret*4),
				"logger", hide.text(req.Params.Logger), "data", hide.text(string(data)))
		},
	})
	if roots != "" {
		//nolint:staticcheck // deprecated only in the newest version; servers of all others ask for roots
		client.AddRoots(&mcp.Root{Name: "workspaces", URI: fileURI(roots)})
	}
	client.AddSendingMiddleware(uncached)
	cap := &capture{}
	conn, err := client.Connect(cap.in(ctx), s.carrier.transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		s.carrier.close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, s.carrier.explain(err, cap)
	}
	s.conn = conn
	go s.wait() // close waits for it
	return s, nil
}

func capabilities(roots string) *mcp.ClientCapabilities {
	if roots == "" {
		return &mcp.ClientCapabilities{}
	}
	//nolint:staticcheck // deprecated only in the newest version; servers of all others ask for roots
	return &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{}}
}

func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// makeRoots makes the directory that servers are told of, since some refuse
// one that is not there.
func makeRoots(path string) error {
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("make the directory of workspaces: %w", err)
	}
	return nil
}

// uncached keeps the SDK from answering for the server: it is asked only when
// its list has changed, and an answer that was under way at that time is old.
func uncached(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok && list != nil {
			list.TTLMs = 0
		}
		return res, err
	}
}

// wait returns when the connection is over, however that came.
func (s *session) wait() {
	err := s.conn.Wait()
	s.err = s.carrier.explain(err, &capture{})
	if s.err == nil {
		s.err = errors.New("the server closed the connection")
	}
	close(s.over)
}

// isOver says whether the connection is known to be over.
func (s *session) isOver() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

// close ends the connection and what is behind it. What it waits for is
// bounded by the transports.
func (s *session) close() {
	_ = s.conn.Close() // it is given up: there is nobody whom an error would help
	<-s.over
	s.carrier.close()
}

func (s *session) notice() {
	s.renewals.expect()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *session) progress(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
	p := req.Params
	s.calls.tell(p.ProgressToken, agent.Progress{Done: p.Progress, Total: p.Total, Message: bound(p.Message, maxError)})
}

// list reads the server's whole list of tools, page by page. An empty cursor
// ends it, as none does. Tools that cannot be read are left out and logged.
func (s *session) list(ctx context.Context, log *slog.Logger) ([]offer, error) {
	if c := s.conn.InitializeResult().Capabilities; c == nil || c.Tools == nil {
		return nil, nil
	}
	var offers []offer
	cursors := map[string]bool{}
	for cursor := ""; ; {
		cap := &capture{}
		_, err := s.conn.ListTools(cap.in(ctx), &mcp.ListToolsParams{Cursor: cursor})
		cap.close()
		raw := cap.result()
		if raw == nil {
			if err == nil {
				err = errors.New("the server does not answer with a list")
			}
			return nil, fmt.Errorf("list its tools: %w", s.carrier.explain(err, cap))
		}
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, fmt.Errorf("list its tools: %w", err)
		}
		for _, raw := range page.Tools {
			o, err := readOffer(raw)
			if err != nil {
				log.Warn("a tool of an MCP server is left out", "error", bound(err.Error(), maxError))
				continue
			}
			offers = append(offers, o)
		}
		cursor = page.NextCursor
		switch {
		case len(offers) > maxTools:
			return nil, fmt.Errorf("list its tools: the server offers more than %d", maxTools)
		case cursor == "":
			return offers, nil
		case cursors[cursor]:
			return nil, fmt.Errorf("list its tools: the server repeats itself: page %q comes again", bound(cursor, 128))
		}
		cursors[cursor] = true
	}
}
