package toolset_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/agent"
	"agsh.dev/event"
	"agsh.dev/internal/toolset"
)

// batches records each Append as one line of event types.
type batches struct {
	mu    sync.Mutex
	lines []string
	all   []event.Event
	fail  error
}

func (b *batches) Append(_ context.Context, events ...event.Event) ([]event.Event, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail != nil {
		return nil, b.fail
	}
	var types []string
	for _, e := range events {
		types = append(types, e.Type())
	}
	b.lines = append(b.lines, strings.Join(types, "+"))
	b.all = append(b.all, events...)
	return events, nil
}

func (b *batches) log() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.lines...)
}

func tool(t *testing.T, def agent.Definition, run func(context.Context, json.RawMessage) (agent.Result, error)) *toolset.Tool {
	t.Helper()
	if def.Name == "" {
		def.Name = "probe"
	}
	set, err := toolset.Assemble(toolset.Tool{Func: agent.Func{Definition: def, Run: run}, Source: toolset.Authored})
	if err != nil {
		t.Fatal(err)
	}
	found, ok := set.Lookup(def.Name)
	if !ok {
		t.Fatalf("Lookup(%q) found nothing", def.Name)
	}
	return found
}

func answer(s string) func(context.Context, json.RawMessage) (agent.Result, error) {
	return func(context.Context, json.RawMessage) (agent.Result, error) {
		return agent.Result{Content: []event.Block{event.Text(s)}}, nil
	}
}

var wantsN = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)

func TestGateRecords(t *testing.T) {
	for _, tt := range []struct {
		name   string
		def    agent.Definition
		call   toolset.Call
		run    func(context.Context, json.RawMessage) (agent.Result, error)
		status event.Status
		code   string
		log    []string
	}{
		{
			name: "a quick read is one commit", def: agent.Definition{Effect: agent.Read}, run: answer("x"),
			status: event.StatusOK, log: []string{"tool.requested+tool.completed"},
		},
		{
			name: "a slow read is durable while it runs", def: agent.Definition{Effect: agent.Read},
			run: func(context.Context, json.RawMessage) (agent.Result, error) {
				time.Sleep(time.Second)
				return agent.Result{}, nil
			},
			status: event.StatusOK, log: []string{"tool.requested+tool.started", "tool.completed"},
		},
		{
			name: "a write is durable before it runs", run: answer("x"),
			status: event.StatusOK, log: []string{"tool.requested+tool.started", "tool.completed"},
		},
		{
			name: "refused arguments are recorded and nothing runs", def: agent.Definition{Input: wantsN}, call: toolset.Call{Args: json.RawMessage(`{"n":"x"}`)},
			status: event.StatusInvalid, code: "invalid_arguments", log: []string{"tool.requested+tool.completed"},
		},
		{
			name: "a call that is not approved is recorded and does not run", def: agent.Definition{NeedsApproval: agent.Approval{Mode: agent.Always}},
			status: event.StatusDenied, code: "approval_required", log: []string{"tool.requested+tool.completed"},
		},
		{
			name: "an approved call runs", def: agent.Definition{NeedsApproval: agent.Approval{Mode: agent.Always}}, call: toolset.Call{Approved: true}, run: answer("x"),
			status: event.StatusOK, log: []string{"tool.requested+tool.started", "tool.completed"},
		},
		{
			name: "once is asked once", def: agent.Definition{NeedsApproval: agent.Approval{Mode: agent.Once}}, call: toolset.Call{ApprovedBefore: true}, run: answer("x"),
			status: event.StatusOK, log: []string{"tool.requested+tool.started", "tool.completed"},
		},
		{
			name: "when asks for matching calls only", def: agent.Definition{NeedsApproval: agent.Approval{When: map[string]string{"env": "prod*"}}},
			call: toolset.Call{Args: json.RawMessage(`{"env":"staging"}`)}, run: answer("x"),
			status: event.StatusOK, log: []string{"tool.requested+tool.started", "tool.completed"},
		},
		{
			name: "when asks", def: agent.Definition{NeedsApproval: agent.Approval{When: map[string]string{"env": "prod*"}}},
			call:   toolset.Call{Args: json.RawMessage(`{"env":"production"}`)},
			status: event.StatusDenied, code: "approval_required", log: []string{"tool.requested+tool.completed"},
		},
		{
			name: "a tool's error is its result", run: func(context.Context, json.RawMessage) (agent.Result, error) {
				return agent.Result{}, errors.New("no such change")
			},
			status: event.StatusError, code: "tool_failed", log: []string{"tool.requested+tool.started", "tool.completed"},
		},
		{
			name: "a panic is an error of that call", run: func(context.Context, json.RawMessage) (agent.Result, error) { panic("boom") },
			status: event.StatusError, code: "tool_failed", log: []string{"tool.requested+tool.started", "tool.completed"},
		},
		{
			name: "a tool that hangs is answered for", def: agent.Definition{Timeout: time.Minute},
			run: func(ctx context.Context, _ json.RawMessage) (agent.Result, error) {
				time.Sleep(2 * time.Minute) // deaf to ctx
				return agent.Result{}, ctx.Err()
			},
			status: event.StatusError, code: "timeout", log: []string{"tool.requested+tool.started", "tool.completed"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if tt.run == nil {
					tt.run = func(context.Context, json.RawMessage) (agent.Result, error) {
						t.Error("the tool ran")
						return agent.Result{}, nil
					}
				}
				var rec batches
				tt.call.ID = "call_1"
				done, err := toolset.Gate{}.Call(t.Context(), &rec, tool(t, tt.def, tt.run), tt.call)
				if err != nil {
					t.Fatal(err)
				}
				code := ""
				if done.Error != nil {
					code = done.Error.Code
				}
				if done.Status != tt.status || code != tt.code {
					t.Errorf("Call = %s %q, want %s %q", done.Status, code, tt.status, tt.code)
				}
				if diff := cmp.Diff(tt.log, rec.log()); diff != "" {
					t.Errorf("log (-want +got):\n%s", diff)
				}
				if last := rec.all[len(rec.all)-1].Data; !cmp.Equal(last, event.Data(done)) {
					t.Errorf("the log holds %+v, the caller got %+v", last, done)
				}
				time.Sleep(time.Hour) // virtual: lets a deaf tool end
			})
		})
	}
}

func TestGateCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var rec batches
	probe := tool(t, agent.Definition{}, func(ctx context.Context, _ json.RawMessage) (agent.Result, error) {
		cancel()
		<-ctx.Done()
		return agent.Result{Content: []event.Block{event.Text("half")}, IsError: true}, nil
	})
	done, err := toolset.Gate{}.Call(ctx, &rec, probe, toolset.Call{ID: "call_1"})
	if err != nil || done.Status != event.StatusCancelled {
		t.Fatalf("Call = %s, %v; want cancelled", done.Status, err)
	}
	if got := done.Content[0].Text; got != "half" {
		t.Errorf("what the tool gave until then is %q, want half", got)
	}
	if got := rec.log(); got[len(got)-1] != "tool.completed" {
		t.Errorf("log = %v; a cancelled call needs its result too", got)
	}
}

// A tool that got done what it was asked has succeeded, whoever did not wait
// for it; and a deadline of the caller's is not the tool's.
func TestTheEndOfAContextIsNotTheEndOfTheTool(t *testing.T) {
	works := func(ctx context.Context, _ json.RawMessage) (agent.Result, error) {
		<-ctx.Done()
		return agent.Result{Content: []event.Block{event.Text("written")}}, nil
	}
	gives := func(ctx context.Context, _ json.RawMessage) (agent.Result, error) {
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	}
	for name, tt := range map[string]struct {
		run     func(context.Context, json.RawMessage) (agent.Result, error)
		timeout time.Duration // of the tool; the caller's is a minute
		want    event.Status
		code    string
	}{
		"a write that succeeded": {works, time.Hour, event.StatusOK, ""},
		"one that was too late":  {works, time.Second, event.StatusOK, ""},
		"the caller's deadline":  {gives, time.Hour, event.StatusCancelled, "cancelled"},
		"the tool's timeout":     {gives, time.Second, event.StatusError, "timeout"},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			done, err := toolset.Gate{}.Call(ctx, &batches{}, tool(t, agent.Definition{Timeout: tt.timeout}, tt.run), toolset.Call{ID: "c"})
			code := ""
			if done.Error != nil {
				code = done.Error.Code
			}
			if err != nil || done.Status != tt.want || code != tt.code {
				t.Errorf("%s: Call = %s %q, %v; want %s %q", name, done.Status, code, err, tt.want, tt.code)
			}
		})
	}
}

// storedAnyway is a log whose first append fails after it was stored.
type storedAnyway struct {
	batches
	failed bool
}

func (s *storedAnyway) Append(ctx context.Context, events ...event.Event) ([]event.Event, error) {
	got, err := s.batches.Append(ctx, events...)
	if !s.failed {
		s.failed = true
		return nil, errors.New("the connection broke")
	}
	return got, err
}

func TestNoRequestIsRecordedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rec storedAnyway
		slow := tool(t, agent.Definition{Effect: agent.Read}, func(context.Context, json.RawMessage) (agent.Result, error) {
			time.Sleep(time.Second)
			return agent.Result{}, nil
		})
		if _, err := (toolset.Gate{}).Call(t.Context(), &rec, slow, toolset.Call{ID: "c"}); err == nil {
			t.Error("the failure of the log is not told")
		}
		if diff := cmp.Diff([]string{"tool.requested+tool.started"}, rec.log()); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

func TestGateDoesNotRunWhatItCannotRecord(t *testing.T) {
	rec := batches{fail: errors.New("disk full")}
	probe := tool(t, agent.Definition{}, func(context.Context, json.RawMessage) (agent.Result, error) {
		t.Error("the tool ran without a record")
		return agent.Result{}, nil
	})
	if _, err := (toolset.Gate{}).Call(t.Context(), &rec, probe, toolset.Call{ID: "call_1"}); !errors.Is(err, rec.fail) {
		t.Errorf("Call = %v, want the log's error", err)
	}
}

func TestR49_CutKeepsCharactersWhole(t *testing.T) {
	s := strings.Repeat("界", 40)
	for _, limit := range []int{80, 78} {
		got := toolset.Cut(s, limit)
		kept := strings.Count(got, "界")
		if kept != 26 || !strings.Contains(got, "42 bytes left out") {
			t.Errorf("Cut(40 × 界, %d) keeps %d characters: %q; want 26 and a marker", limit, kept, got)
		}
	}
	if got := toolset.Cut(s, 120); got != s {
		t.Errorf("Cut at the exact size = %q, want it whole", got)
	}
}

func TestGateCapsOutput(t *testing.T) {
	for _, tt := range []struct {
		name string
		text string
	}{
		{"plain", strings.Repeat("a", 5000)},
		{"escapes cost more than they look", strings.Repeat("\x01", 5000)},
		{"wide", strings.Repeat("界", 2000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var rec batches
			probe := tool(t, agent.Definition{Effect: agent.Read}, func(context.Context, json.RawMessage) (agent.Result, error) {
				return agent.Result{Content: []event.Block{event.Text(tt.text)}, Structured: json.RawMessage(`{"a":1}`)}, nil
			})
			done, err := toolset.Gate{MaxOutput: 1000}.Call(t.Context(), &rec, probe, toolset.Call{ID: "c"})
			if err != nil {
				t.Fatal(err)
			}
			if done.Truncated == nil || done.Truncated.Bytes != int64(len(tt.text)+7) {
				t.Errorf("Truncated = %+v, want %d bytes said", done.Truncated, len(tt.text)+7)
			}
			enc, err := json.Marshal(done.Content)
			if err != nil || len(enc) > 1200 {
				t.Errorf("the content takes %d bytes as JSON (%v), want about 1000 at most", len(enc), err)
			}
			if kept := len(done.Content[0].Text); kept < 150 {
				t.Errorf("only %d bytes are kept", kept)
			}
		})
	}
}

func TestAssemble(t *testing.T) {
	named := func(name string) toolset.Tool {
		return toolset.Tool{Func: agent.Func{Definition: agent.Definition{Name: name}, Run: answer("")}, Source: toolset.Authored}
	}
	asking := func(a agent.Approval) toolset.Tool {
		t := named("x")
		t.NeedsApproval = a
		return t
	}
	set, err := toolset.Assemble(named("LS"), named("echo"), named("Echo"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ typed, want string }{
		{"LS", "LS"}, {"ls", "LS"}, {"echo", "echo"}, {"Echo", "Echo"}, {"ECHO", ""}, {"nope", ""},
	} {
		got := ""
		if found, ok := set.Fold(tt.typed); ok {
			got = found.Name
		}
		if got != tt.want {
			t.Errorf("Fold(%q) = %q, want %q", tt.typed, got, tt.want)
		}
	}
	if title := set.Tools()[0].Title; title != "List a directory" {
		t.Errorf("title of LS = %q, want the well-known one", title)
	}
	for _, bad := range [][]toolset.Tool{
		{named("a b")},
		{named("")},
		{named("../x")},
		{named("x"), named("x")},
		{{Func: agent.Func{Definition: agent.Definition{Name: "x", Input: json.RawMessage(`[]`)}, Run: answer("")}}},
		{{Func: agent.Func{Definition: agent.Definition{Name: "x"}}}},
		{asking(agent.Approval{Mode: "sometimes"})},
		{asking(agent.Approval{Mode: agent.Never, When: map[string]string{"a": "*"}})},
		{asking(agent.Approval{When: map[string]string{"a": "["}})},
	} {
		if _, err := toolset.Assemble(bad...); err == nil {
			t.Errorf("Assemble(%q) = nil, want an error", bad[0].Name)
		}
	}
	other, err := toolset.Assemble(named("LS"), named("echo"))
	if err != nil || other.ETag() == set.ETag() {
		t.Errorf("another namespace has the same ETag %s (%v)", set.ETag(), err)
	}
}
