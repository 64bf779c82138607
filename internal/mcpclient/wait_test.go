package mcpclient

import (
	"context"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agsh.dev/agent"
	"agsh.dev/internal/mcpclient/mcptest"
)

// mute is a way to a server that never answers.
func mute() carrier {
	c := inMemory(nil)
	c.transport = transportFunc(func(ctx context.Context) (mcp.Connection, error) {
		r, w := io.Pipe()
		return (&mcp.IOTransport{Reader: r, Writer: struct {
			io.Writer
			io.Closer
		}{io.Discard, w}}).Connect(ctx)
	})
	return c
}

func listed(t *testing.T, p *Pool) ([]string, time.Duration) {
	t.Helper()
	start := time.Now()
	names := namesOf(p.Tools(t.Context()).Connections[0])
	return names, time.Since(start)
}

func TestOnlyTheFirstListingWaitsForAServerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := over(t, Config{}, []agent.Connection{{Name: "box", ConnectTimeout: 20 * time.Second}}, nil)
		defer p.Close()
		p.links[0].dialer.new = mute
		if _, took := listed(t, p); took != 20*time.Second {
			t.Errorf("the first listing took %v", took)
		}
		for range 20 {
			time.Sleep(lastPause)
			if _, took := listed(t, p); took > retryWait {
				t.Errorf("a later listing took %v", took)
			}
		}
	})
}

func TestAListingWaitsForAServerThatBroke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := over(t, Config{}, one(), serverOf(mcptest.Tool{Name: "echo"}))
		defer p.Close()
		var made atomic.Int32
		dial, cut := breakable(serverOf(mcptest.Tool{Name: "echo"}), &made)
		p.links[0].dialer.new = func() carrier {
			time.Sleep(5 * time.Second)
			return dial()
		}
		for want := range int32(3) {
			if names, _ := listed(t, p); !cmp.Equal(names, []string{"echo"}) || made.Load() != want+1 {
				t.Errorf("tools %q after %d connections, want %d", names, made.Load(), want+1)
			}
			cut()
			synctest.Wait()
		}
		p.links[0].dialer.new = mute
		if names, took := listed(t, p); names != nil || took != agent.DefaultConnectTimeout {
			t.Errorf("tools %q after %v", names, took)
		}
	})
}

func TestR35_TheNextListingIsAsNewAsTheNotices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serverOf(mcptest.Tool{Name: "t1"})
		p := over(t, Config{}, one(), s)
		defer p.Close()
		listed(t, p)
		for _, name := range []string{"t2", "t3", "t4"} {
			s.Offer(20, mcptest.Tool{Name: name})
			synctest.Wait()
			if names, _ := listed(t, p); !cmp.Equal(names, []string{name}) {
				t.Errorf("the listing has %q, want %s", names, name)
			}
			if _, took := listed(t, p); took != 0 {
				t.Errorf("one with no news took %v", took)
			}
		}
	})
}

func TestNobodyWaitsForTheListOfAServerThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serverOf(mcptest.Tool{Name: "t1"})
		p := over(t, Config{}, one(), s)
		var made atomic.Int32
		dial, cut := breakable(s, &made)
		p.links[0].dialer.new = dial
		listed(t, p)
		s.Offer(1, mcptest.Tool{Name: "t2"})
		synctest.Wait()
		time.AfterFunc(relistPause/2, cut)
		if names, took := listed(t, p); took > time.Second {
			t.Errorf("tools %q after %v", names, took)
		}
		s.Offer(1, mcptest.Tool{Name: "t3"})
		synctest.Wait()
		time.AfterFunc(relistPause/2, p.Close)
		if _, took := listed(t, p); took > time.Second {
			t.Errorf("the end took %v", took)
		}
	})
}

func TestARenewalThatBeganDoesNotAnswerWhatCameAfter(t *testing.T) {
	var r renewals
	r.expect()
	first := r.due()
	done := r.begin()
	if r.due() != first {
		t.Error("who comes while a renewal is under way does not wait for it")
	}
	r.expect()
	second := r.due()
	done()
	<-first
	select {
	case <-second:
		t.Error("a renewal answered a notice that came after it had begun")
	default:
	}
	r.end()
	<-second
	r.expect()
	<-r.due() // of what is over nothing is due
}
