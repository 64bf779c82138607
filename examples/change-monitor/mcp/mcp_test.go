package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connect runs a set of tools and returns a client of it.
func connect(t *testing.T, set string, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	there, here := mcp.NewInMemoryTransports()
	var served sync.WaitGroup
	var stderr bytes.Buffer
	served.Go(func() {
		p := program{stdout: io.Discard, stderr: &stderr, getenv: func(string) string { return "" }, stdio: there}
		if code := p.main(context.WithoutCancel(t.Context()), []string{"--set", set}); code != 0 {
			t.Errorf("exit code %d: %s", code, stderr.String())
		}
	})
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); served.Wait() })
	return client
}

// call returns the text and the structured content of an answer.
func call(t *testing.T, client *mcp.ClientSession, name, args string) (text string, structured map[string]any, isError bool) {
	t.Helper()
	res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	for _, c := range res.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			text += c.Text + "\n"
		}
	}
	structured, _ = res.StructuredContent.(map[string]any)
	return text, structured, res.IsError
}

func TestEveryToolSaysWhatItIs(t *testing.T) {
	for set, want := range map[string][]string{
		"monitors": {"datadog datadog_create_monitor writes", "datadog datadog_graph_metric", "datadog datadog_list_monitors", "datadog datadog_query_metric", "datadog datadog_watch_monitors", "pagerduty pagerduty_list_incidents", "pagerduty pagerduty_list_on_call"},
		"tracker":  {"<nil> comment_on_issue writes", "<nil> get_issue", "<nil> list_issues", "<nil> list_releases"},
	} {
		res, err := connect(t, set, nil).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, tool := range res.Tools {
			line := fmt.Sprintf("%v %s", tool.Meta[connectorKey], tool.Name)
			if !tool.Annotations.ReadOnlyHint {
				line += " writes"
			}
			got = append(got, line)
			if tool.Title == "" || tool.Description == "" {
				t.Errorf("%s has no title or no description", tool.Name)
			}
			if schema, _ := json.Marshal(tool.InputSchema); strings.Contains(string(schema), `"null","array"`) {
				t.Errorf("%s takes null for a list: %s", tool.Name, schema)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("tools of %s (-want +got):\n%s", set, diff)
		}
	}
}

func TestPropertiesAreInTheOrderOfTheFields(t *testing.T) {
	schema, err := schemaOf[newMonitor]()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`"name":.*"metric":.*"options":.*"thresholds":.*"critical":.*"warning":.*"priority":.*"tags":`).Match(text) {
		t.Errorf("schema %s", text)
	}
}

func TestAnswers(t *testing.T) {
	clients := map[string]*mcp.ClientSession{"monitors": connect(t, "monitors", nil), "tracker": connect(t, "tracker", nil)}
	for _, tt := range []struct {
		set, tool, args string
		want            []string
		not             string
		refuse          bool
	}{
		{set: "monitors", tool: "datadog_list_monitors", args: `{}`, want: []string{"confwatch is down", `"total":7`}},
		{set: "monitors", tool: "datadog_list_monitors", args: `{"query":"SERVICE:confwatch webhook"}`, want: []string{`"total":1`}, not: "gateway"},
		{set: "monitors", tool: "datadog_list_monitors", args: `{"states":["Warn","Alert"]}`, want: []string{`"total":2`}, not: `"OK"`},
		{set: "monitors", tool: "datadog_list_monitors", args: `{"limit":1}`, want: []string{`"total":7`}, not: "webhook"},
		{set: "monitors", tool: "datadog_list_monitors", args: `{"query":"nothing"}`, want: []string{`{"monitors":[],"total":0}`}},
		{set: "monitors", tool: "datadog_list_monitors", args: `{"states":["Broken"]}`, want: []string{"states"}, refuse: true},
		{set: "monitors", tool: "datadog_list_monitors", args: `{"limit":0}`, want: []string{"limit"}, refuse: true},
		{set: "monitors", tool: "datadog_list_monitors", args: `{"limits":1}`, want: []string{"limits"}, refuse: true},
		{set: "monitors", tool: "datadog_query_metric", args: `{"metric":"confwatch.reads","rollup":"max","limit":2}`, want: []string{`"unit":"reads/min"`, `"value":80.`, `"value":484.`}},
		{set: "monitors", tool: "datadog_query_metric", args: `{"metric":"confwatch.reads","window":{"from":"2026-03-02T10:00:00Z"},"limit":1}`, want: []string{`"at":"2026-03-02T10:00:00Z","value":79.993`}},
		{set: "monitors", tool: "datadog_query_metric", args: `{"metric":"confwatch.cpu","window":{"from":"2026-03-02T00:00:00Z","to":"2026-03-01T00:00:00Z"}}`, want: []string{"from be before to"}, refuse: true},
		{set: "monitors", tool: "datadog_query_metric", args: `{"metric":"confwatch.cpu","window":{"from":"yesterday"}}`, want: []string{"yesterday"}, refuse: true},
		{set: "monitors", tool: "datadog_query_metric", args: `{"metric":"gateway.cpu"}`, want: []string{"metric"}, refuse: true},
		{set: "monitors", tool: "datadog_create_monitor", args: `{"name":"canary reads","metric":"confwatch.reads","options":{"thresholds":{"critical":900,"warning":400}},"tags":["release:1.4.0"]}`, want: []string{`"id":80007`, `"state":"Warn"`, `"priority":"P3"`, "avg(confwatch.reads) > 900 for 5m", `"service:confwatch","release:1.4.0"`}},
		{set: "monitors", tool: "datadog_list_monitors", args: `{"query":"release:1.4.0"}`, want: []string{`"total":1`, "canary reads"}},
		{set: "monitors", tool: "datadog_create_monitor", args: `{"name":"x","metric":"confwatch.reads","options":{"thresholds":{"critical":1,"warning":2}}}`, want: []string{"the warning at 2 is not below the critical value 1"}, refuse: true},
		{set: "monitors", tool: "datadog_create_monitor", args: `{"name":" ","metric":"confwatch.reads","options":{"thresholds":{"critical":1}}}`, want: []string{"name: it is blank"}, refuse: true},
		{set: "monitors", tool: "datadog_create_monitor", args: `{"name":"x","metric":"confwatch.reads","options":{}}`, want: []string{"thresholds"}, refuse: true},
		{set: "monitors", tool: "pagerduty_list_incidents", args: `{"statuses":["triggered","acknowledged"]}`, want: []string{`"total":2`, "4 KiB"}, not: "resolved"},
		{set: "monitors", tool: "pagerduty_list_incidents", args: `{"urgency":"high","since":"2026-03-01T00:00:00Z"}`, want: []string{`"total":1`, "does not start"}},
		{set: "monitors", tool: "pagerduty_list_on_call", args: `{}`, want: []string{`{"level":1,"who":"Mara Lindqvist","until":"2026-03-30"}`}},
		{set: "monitors", tool: "pagerduty_list_on_call", args: `{"at":"2026-03-16T00:00:00Z"}`, want: []string{`{"level":1,"who":"Tomás Ferreira","until":"2026-03-23"}`}},
		{set: "monitors", tool: "pagerduty_list_on_call", args: `{"at":"2026-03-22T23:59:59Z"}`, want: []string{`{"level":1,"who":"Tomás Ferreira","until":"2026-03-23"}`}},

		{set: "tracker", tool: "list_issues", args: `{"filter":{"states":["open"],"labels":["load","monitoring"]}}`, want: []string{`"total":1`, "CONF-38"}},
		{set: "tracker", tool: "list_issues", args: `{"filter":{"assignee":"tomás"},"sort":"updated","limit":1}`, want: []string{`"total":5`, "CONF-40"}, not: "CONF-22"},
		{set: "tracker", tool: "get_issue", args: `{"id":"conf-38"}`, want: []string{"CONF-38", "deploy/alerts.yaml"}},
		{set: "tracker", tool: "get_issue", args: `{"id":"CONF-1"}`, want: []string{`there is no issue "CONF-1"`}, refuse: true},
		{set: "tracker", tool: "comment_on_issue", args: `{"id":"CONF-11","text":"Planned."}`, want: []string{`"comments":[{"by":"planner","at":"2026-02-23T16:31:00Z","text":"Planned."}]`}},
		{set: "tracker", tool: "comment_on_issue", args: `{"id":"CONF-11","text":"\n"}`, want: []string{"text: it is blank"}, refuse: true},
		{set: "tracker", tool: "list_releases", args: `{"running":true}`, want: []string{"1.4.0", "1.3.0"}, not: "1.0.0"},
	} {
		t.Run(tt.tool+tt.args, func(t *testing.T) {
			text, structured, isError := call(t, clients[tt.set], tt.tool, tt.args)
			if isError != tt.refuse || (structured == nil) != tt.refuse {
				t.Fatalf("error: %v, structured: %v, want error: %v\n%s", isError, structured, tt.refuse, text)
			}
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("answer lacks %q:\n%s", want, text)
				}
			}
			if tt.not != "" && strings.Contains(text, tt.not) {
				t.Errorf("answer has %q:\n%s", tt.not, text)
			}
		})
	}
}

func TestAGraphIsAnImageBetweenTexts(t *testing.T) {
	res, err := connect(t, "monitors", nil).CallTool(t.Context(), &mcp.CallToolParams{Name: "datadog_graph_metric", Arguments: json.RawMessage(`{"metric":"confwatch.reads"}`)})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, c := range res.Content {
		kinds = append(kinds, fmt.Sprintf("%T", c))
		if c, ok := c.(*mcp.ImageContent); ok {
			picture, err := png.Decode(bytes.NewReader(c.Data))
			if err != nil || picture.Bounds().Dx() != width || len(c.Data) > 2000 {
				t.Errorf("image of %d bytes: %v", len(c.Data), err)
			}
		}
	}
	if want := []string{"*mcp.TextContent", "*mcp.ImageContent", "*mcp.TextContent", "*mcp.TextContent"}; !slices.Equal(kinds, want) {
		t.Errorf("content is %v, want %v", kinds, want)
	}
	if text := fmt.Sprint(res.Content[3].(*mcp.TextContent).Text); !strings.HasPrefix(text, "with the canary: 475.") {
		t.Errorf("last text is %q", text)
	}
}

func TestWatchReportsEveryLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &board{monitors: builtInMonitors()}
		reports := make(chan *mcp.ProgressNotificationParams, looks)
		server, err := newServer("monitors", []offer{tool(definition{name: "watch"}, b.watch)})
		if err != nil {
			t.Fatal(err)
		}
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { reports <- req.Params },
		})
		there, here := mcp.NewInMemoryTransports()
		serving, err := server.Connect(t.Context(), there, nil)
		if err != nil {
			t.Fatal(err)
		}
		session, err := client.Connect(t.Context(), here, nil)
		if err != nil {
			t.Fatal(err)
		}
		params := &mcp.CallToolParams{Name: "watch", Arguments: json.RawMessage(`{"query":"confwatch","seconds":100}`)}
		params.SetProgressToken("p")
		res, err := session.CallTool(t.Context(), params)
		if err != nil || res.IsError {
			t.Fatalf("watch = %+v, %v", res, err)
		}
		for i := range looks {
			if p := <-reports; p.Progress != float64(i+1) || p.Total != looks || p.Message != "3 of 4 monitors are OK" {
				t.Errorf("report %d is %+v", i+1, p)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := b.watch(ctx, &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{}}, watchOrder{Seconds: 300}); err == nil || !strings.Contains(err.Error(), "after 0 of 5 looks") {
			t.Errorf("cancelled: %v", err)
		}
		session.Close()
		_ = serving.Wait()
	})
}

// serving is the tracker over HTTP, with a token.
func serving(t *testing.T) (url string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ready, stdout := io.Pipe()
	var stderr bytes.Buffer
	var served sync.WaitGroup
	served.Go(func() {
		defer stdout.Close()
		p := program{stdout: stdout, stderr: &stderr, getenv: func(name string) string { return map[string]string{"TRACKER_TOKEN": "sesame"}[name] }}
		if code := p.main(ctx, []string{"--set", "tracker", "--http", "127.0.0.1:0"}); code != 0 {
			t.Errorf("exit code %d: %s", code, stderr.String())
		}
	})
	t.Cleanup(func() { cancel(); served.Wait() })
	var name string
	if _, err := fmt.Fscanln(ready, &name, &url); err != nil || name != "tracker" || !strings.HasSuffix(url, "/mcp") {
		t.Fatalf("ready line: %q %q, %v", name, url, err)
	}
	return url
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestHTTP(t *testing.T) {
	url := serving(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	if _, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer("guess")}}, nil); err == nil {
		t.Error("a wrong token is taken")
	}
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer("sesame")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if text, _, isError := call(t, session, "get_issue", `{"id":"CONF-39"}`); isError || !strings.Contains(text, "Release 1.4.0") {
		t.Errorf("get_issue = %s", text)
	}
	for query, want := range map[string]string{"?service=confwatch": `200 {"service":"confwatch","released":"1.3.0","candidate":"1.4.0"`, "?service=x": `404 {"error":"there is no service \"x\"`} {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(url, "mcp")+"status"+query, nil)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if got := fmt.Sprintf("%d %s", res.StatusCode, body); !strings.HasPrefix(got, want) {
			t.Errorf("status%s = %s, want %s", query, got, want)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"--set", "all"}, {"--set", "tracker", "x"}, {"--port"}} {
		var said bytes.Buffer
		p := program{stdout: io.Discard, stderr: &said}
		if code := p.main(t.Context(), args); code != 2 || said.Len() == 0 {
			t.Errorf("%q: exit code %d, stderr %q", args, code, said.String())
		}
	}
	if code := (program{stdout: io.Discard, stderr: io.Discard}).main(t.Context(), []string{"--help"}); code != 0 {
		t.Errorf("--help: exit code %d", code)
	}
}

// What the servers tell of commits is in the repository of the example.
func TestTheCommitsExist(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repo.git")
	if out, err := exec.Command("git", "clone", "--quiet", "--bare", "../repo.bundle", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var named []string
	for _, i := range builtInIssues() {
		if i.Commit != "" {
			named = append(named, i.Commit)
		}
	}
	for _, r := range releases() {
		named = append(named, r.Commit)
	}
	for _, i := range incidents() {
		named = append(named, regexp.MustCompile(`\b[0-9a-f]{7}\b`).FindAllString(i.Note, -1)...)
	}
	if len(named) < 12 {
		t.Errorf("only %d commits are named", len(named))
	}
	for _, id := range named {
		if out, err := exec.Command("git", "--git-dir", dir, "cat-file", "-e", id+"^{commit}").CombinedOutput(); err != nil {
			t.Errorf("commit %s: %v %s", id, err, out)
		}
	}
}
