package api_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"agsh.dev/api"
)

// silent is a peer that reads a request, writes text and then nothing until
// the other side leaves.
func silent(text string) func(net.Conn) {
	return func(conn net.Conn) {
		r := bufio.NewReader(conn)
		if readRequest(r) == nil {
			return
		}
		_, _ = io.WriteString(conn, text)
		_, _ = r.ReadByte()
	}
}

const halfAnswer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"

func TestAClientWaitsOnlySoLongForAnythingButACall(t *testing.T) {
	for name, text := range map[string]string{"no answer": "", "half an answer": halfAnswer} {
		t.Run(name, func(t *testing.T) {
			wire(t, silent(text), func(t *testing.T, c *api.Client) {
				start := time.Now()
				_, err := c.Info(t.Context())
				unreachable(t, err, "no whole answer within 1m0s")
				if waited := time.Since(start); waited != api.Patience {
					t.Errorf("waited %v, want %v", waited, api.Patience)
				}
			})
		})
	}
}

func TestACallMayTakeAsLongAsItsTool(t *testing.T) {
	peer := func(conn net.Conn) {
		if readRequest(bufio.NewReader(conn)) == nil {
			return
		}
		time.Sleep(24 * time.Hour) // of the bubble
		_, _ = io.WriteString(conn, message("200 OK", "application/json", `{"session":"s","content":[]}`))
	}
	wire(t, peer, func(t *testing.T, c *api.Client) {
		if _, err := c.Call(t.Context(), "t", api.CallRequest{}); err != nil {
			t.Error(err)
		}
	})
}

func TestCancellingEndsAnExchangeAtEveryStage(t *testing.T) {
	stages := map[string]func(net.Conn){
		"before an answer":   silent(""),
		"amid the headers":   silent("HTTP/1.1 200 OK\r\nContent"),
		"amid the body":      silent(halfAnswer),
		"between two chunks": silent("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"),
	}
	for name, peer := range stages {
		t.Run(name, func(t *testing.T) {
			wire(t, peer, func(t *testing.T, c *api.Client) {
				ctx, cancel := context.WithCancel(t.Context())
				failed := make(chan error)
				go func() {
					_, err := c.Call(ctx, "t", api.CallRequest{})
					failed <- err
				}()
				synctest.Wait()
				cancel()
				if err := <-failed; !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want context.Canceled", err)
				}
			})
			wire(t, peer, func(t *testing.T, c *api.Client) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if _, err := c.Info(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v, want context.DeadlineExceeded", err)
				}
			})
		})
	}
	t.Run("before it begins", func(t *testing.T) {
		wire(t, func(net.Conn) { t.Error("a connection was made") }, func(t *testing.T, c *api.Client) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := c.Info(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	})
}

// A call that may have run must not run twice: not when the connection of an
// earlier request turns out to be gone, and not when the answer is cut.
func TestACallIsSentOnce(t *testing.T) {
	var calls atomic.Int64
	peer := func(conn net.Conn) {
		r := bufio.NewReader(conn)
		for {
			switch req := readRequest(r); {
			case req == nil:
				return
			case req.Method == "POST":
				calls.Add(1)
				return
			}
			_, _ = io.WriteString(conn, message("200 OK", "application/json", `{"name":"a"}`))
		}
	}
	wire(t, peer, func(t *testing.T, c *api.Client) {
		if _, err := c.Info(t.Context()); err != nil { // leaves a connection to use again
			t.Fatal(err)
		}
		_, err := c.Call(t.Context(), "t", api.CallRequest{})
		unreachable(t, err, "the connection was closed before the answer was whole")
		if n := calls.Load(); n != 1 {
			t.Errorf("the call was sent %d times", n)
		}
	})
}

func TestADeadServerIsNamed(t *testing.T) {
	var cfg net.ListenConfig
	ln, err := cfg.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := api.NewClient("http://"+addr+"/a", api.Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Info(t.Context())
	unreachable(t, err, "cannot reach "+addr, "connection refused")
}

func TestAResetAmidTheBodyIsNamed(t *testing.T) {
	addr := listen(t, func(conn net.Conn) {
		answers(halfAnswer)(conn)
		_ = conn.(*net.TCPConn).SetLinger(0)
	})
	c, err := api.NewClient("http://"+addr+"/a", api.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Info(t.Context())
	unreachable(t, err, syscall.ECONNRESET.Error())
}
