package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"agsh.dev/internal/mcpclient/mcptest"
)

// mcpServer is the name under which the test's program is an MCP server over
// its standard streams; it stands beside the programs, so it is on the PATH of
// scripts.
const mcpServer = "mcpserver"

// An mcpFlags says how the server of a script behaves.
type mcpFlags struct {
	offer  string // tools, of those below
	count  int    // and that many more, t001 …
	page   int    // how many a page of the list has
	banner bool
	mute   bool   // never answers anything
	stay   bool   // does not end for an interrupt, TERM or the end of its input
	tell   string // a file that gets a line for each message
	refuse string // over HTTP: 404 to what has a session: once, always; to all: all
}

func (f *mcpFlags) parse(args []string) error {
	fs := flag.NewFlagSet(mcpServer, flag.ContinueOnError)
	fs.StringVar(&f.offer, "offer", "", "")
	fs.IntVar(&f.count, "count", 0, "")
	fs.IntVar(&f.page, "page", 0, "")
	fs.BoolVar(&f.banner, "banner", false, "")
	fs.BoolVar(&f.mute, "mute", false, "")
	fs.BoolVar(&f.stay, "stay", false, "")
	fs.StringVar(&f.tell, "tell", "", "")
	fs.StringVar(&f.refuse, "refuse", "", "")
	return fs.Parse(args)
}

// serveMCP is the program mcpserver.
func serveMCP(args []string) int {
	var f mcpFlags
	if err := f.parse(args); err != nil {
		return 2
	}
	if f.stay {
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
	}
	if f.mute {
		select {}
	}
	s := f.server()
	if f.tell != "" {
		s.Heard = func(method string) { f.note(method) }
		f.note("started " + strconv.Itoa(os.Getpid()))
	}
	s.Serve(context.Background(), os.Stdin, os.Stdout)
	if f.stay {
		select {}
	}
	return 0
}

func (f *mcpFlags) note(line string) {
	file, err := os.OpenFile(f.tell, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer file.Close()
	fmt.Fprintln(file, line)
}

func (f *mcpFlags) server() *mcptest.Server {
	s := &mcptest.Server{PageSize: f.page}
	if f.banner {
		s.Banner = "ready\n\n{\"jsonrpc\":\n"
	}
	s.Offer(0, f.tools(s)...)
	return s
}

func (f *mcpFlags) tools(s *mcptest.Server) []mcptest.Tool {
	var tools []mcptest.Tool
	for _, name := range strings.FieldsFunc(f.offer, func(r rune) bool { return r == ',' }) {
		t := mcptest.Tool{Name: name, Call: behaviours(s)[name]}
		if def := definitions[name]; def != "" {
			t.Raw = json.RawMessage(strings.Replace(def, "{", `{"name":"`+name+`",`, 1))
		}
		tools = append(tools, t)
	}
	for i := range f.count {
		tools = append(tools, mcptest.Tool{Name: fmt.Sprintf("t%03d", i+1)})
	}
	return tools
}

// definitions are those of tools that have more than a name.
var definitions = map[string]string{
	"look": `{"description":"Looks.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`,
	"ls":   `{"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}`,
	"exact": `{"description":"Keeps what it is given.","inputSchema":{"type":"object","properties":` +
		`{"zeta":{"type":"integer","default":9007199254740993},"alpha":{"type":"number","default":1.10},"mid":{"type":"string"}},"required":["mid"]}}`,
	"show":  `{"inputSchema":{"type":"object","properties":{"file_path":{"type":"string"}}}}`,
	"size":  `{"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}`,
	"steps": `{"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"ms":{"type":"integer"}}}}`,
}

// behaviours are the tools that do more than to give their arguments back.
func behaviours(s *mcptest.Server) map[string]func(context.Context, *mcptest.Call) json.RawMessage {
	return map[string]func(context.Context, *mcptest.Call) json.RawMessage{
		// size answers with a text of n bytes.
		"size": func(_ context.Context, c *mcptest.Call) json.RawMessage {
			var in struct{ N int }
			_ = json.Unmarshal(c.Arguments, &in)
			return mcptest.Text(strings.Repeat("x", in.N))
		},
		// steps reports progress n times, each after ms milliseconds; n 0 is
		// for ever.
		"steps": func(ctx context.Context, c *mcptest.Call) json.RawMessage {
			var in struct{ N, Ms int }
			_ = json.Unmarshal(c.Arguments, &in)
			tick := time.NewTicker(time.Duration(max(1, in.Ms)) * time.Millisecond)
			defer tick.Stop()
			for i := 1; in.N == 0 || i <= in.N; i++ {
				select {
				case <-tick.C:
					c.Progress(i)
				case <-ctx.Done():
					return nil
				}
			}
			return mcptest.Text("all steps are done")
		},
		"silent": func(ctx context.Context, _ *mcptest.Call) json.RawMessage {
			<-ctx.Done()
			return nil
		},
		"die": func(context.Context, *mcptest.Call) json.RawMessage {
			os.Exit(3)
			return nil
		},
		"pid": func(context.Context, *mcptest.Call) json.RawMessage { return mcptest.Text(strconv.Itoa(os.Getpid())) },
		// swap takes t1 away and offers t2, which it tells 20 times.
		"swap": func(context.Context, *mcptest.Call) json.RawMessage {
			swapped := (&mcpFlags{offer: "swap,t2"}).tools(s)
			s.Offer(20, swapped...)
			return mcptest.Text("swapped")
		},
		"exact": func(context.Context, *mcptest.Call) json.RawMessage {
			data := `{"zeta":9007199254740993,"alpha":1.10,"big":1e400,"mid":"m"}`
			text, _ := json.Marshal(data)
			return json.RawMessage(`{"content":[{"type":"text","text":` + string(text) + `}],"structuredContent":` + data + `}`)
		},
		"blocks": func(context.Context, *mcptest.Call) json.RawMessage {
			return json.RawMessage(`{"content":[{"type":"text","text":"first"},{"type":"text","text":"second"},` +
				`{"type":"image","data":"aGVsbG8=","mimeType":"image/png"},` +
				`{"type":"resource","resource":{"uri":"file:///a.txt","mimeType":"text/plain","text":"inside"}},` +
				`{"type":"resource_link","uri":"file:///b.txt","name":"b"}]}`)
		},
		"fails": func(context.Context, *mcptest.Call) json.RawMessage {
			return json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"no such monitor \u001b[2J"}]}`)
		},
	}
}

// startMCP NAME [flags] starts an MCP server over HTTP until the script ends,
// and sets $NAME to its endpoint.
func startMCP(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: mcp NAME [flags]")
	}
	var f mcpFlags
	ts.Check(f.parse(args[1:]))
	s := f.server()
	if f.tell != "" {
		f.tell = ts.MkAbs(f.tell)
		s.Heard = f.note
	}
	refused := 0
	s.Refuse = func(w http.ResponseWriter, r *http.Request, method string) bool {
		if auth := r.Header.Get("Authorization"); strings.HasSuffix(auth, "_denied") {
			http.Error(w, "the credential "+auth+" is not accepted", http.StatusUnauthorized)
			return true
		}
		hit := f.refuse == "all" || method == "tools/call" && r.Header.Get(mcptest.Header) != "" && (f.refuse == "always" || f.refuse == "once" && refused == 0)
		if !hit {
			return false
		}
		refused++
		if f.tell != "" {
			f.note("refused " + method)
		}
		http.Error(w, "no such session", http.StatusNotFound)
		return true
	}
	srv := httptest.NewServer(s)
	ts.Defer(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	ts.Setenv(args[0], srv.URL+"/mcp")
}

// link makes the test's program an MCP server under its name.
func linkMCPServer(dir string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return os.Symlink(exe, filepath.Join(dir, mcpServer))
}

// lines FILE N PATTERN waits until a file has N lines that match, and fails when
// it has more.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: lines FILE N PATTERN")
	}
	awaitLines(ts, args[0], args[1], args[2], func() string {
		b, _ := os.ReadFile(ts.MkAbs(args[0])) // it may not be there yet
		return string(b)
	})
}

// awaitLines waits until n lines of a text match a pattern. After 10 s, or
// when there are more, the script fails.
func awaitLines(ts *testscript.TestScript, name, n, pattern string, read func() string) {
	want, err := strconv.Atoi(n)
	ts.Check(err)
	re, err := regexp.Compile(pattern)
	ts.Check(err)
	deadline := time.Now().Add(10 * time.Second)
	for {
		text := read()
		found := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return l == "" || !re.MatchString(l) })
		switch {
		case len(found) == want:
			return
		case len(found) > want || time.Now().After(deadline):
			ts.Fatalf("%s has %d lines that match %q, want %d:\n%s", name, len(found), pattern, want, cmp.Or(text, "(empty)"))
		}
		time.Sleep(10 * time.Millisecond)
	}
}
