//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// sh writes a program in sh and returns its path.
func sh(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestServeReadsTheURLAndStops(t *testing.T) {
	s, err := serve(t.Context(), sh(t, "echo bench http://127.0.0.1:4/bench; exec sleep 600"))
	if err != nil {
		t.Fatal(err)
	}
	if s.url != "http://127.0.0.1:4/bench" || s.address() != "127.0.0.1:4" {
		t.Errorf("url = %q, address %q", s.url, s.address())
	}
	if err := s.stop(); err != nil {
		t.Errorf("stop = %v", err)
	}
	if err := syscall.Kill(s.cmd.Process.Pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the server still runs: %v", err)
	}
}

func TestServeSaysWhyThereIsNoServer(t *testing.T) {
	_, err := serve(t.Context(), sh(t, "echo agent.yaml:3: bad >&2; exit 7"))
	if err == nil || !strings.Contains(err.Error(), "exit status 7") || !strings.Contains(err.Error(), "agent.yaml:3: bad") {
		t.Errorf("error = %v", err)
	}
}

func TestProgramsAreOnlyComparedWhenTheyWork(t *testing.T) {
	good, bad := program{path: sh(t, "exit 0")}, program{path: sh(t, "echo broken >&2; exit 1")}
	if _, _, err := batch(t.Context(), 2, good, good); err != nil {
		t.Errorf("good programs: %v", err)
	}
	if _, _, err := batch(t.Context(), 2, good, bad); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("a program that fails: error = %v", err)
	}
}

// TestMain lets this binary be a client, for TestSameRequests.
func TestMain(m *testing.M) {
	if url := os.Getenv("BENCH_TEST_GET"); url != "" {
		_, err := (&server{url: url}).get(context.Background(), "")
		if err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestProgramsAreOnlyComparedWhenTheyAskTheSame(t *testing.T) {
	l := target(t, 0, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	get := func(path string) func(url string) program {
		return func(url string) program {
			return program{path: "/usr/bin/env", args: []string{"BENCH_TEST_GET=" + url + path, os.Args[0]}}
		}
	}
	agent := "http://" + l.addr + "/bench"
	if err := sameRequests(t.Context(), agent, get("/a"), get("/a")); err != nil {
		t.Errorf("same requests: %v", err)
	}
	if err := sameRequests(t.Context(), agent, get("/a"), get("/b")); err == nil || !strings.Contains(err.Error(), "GET /bench/b") {
		t.Errorf("other requests: error = %v", err)
	}
}
