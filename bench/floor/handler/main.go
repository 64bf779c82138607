// Handler is the floor of a server: a bare net/http handler that answers a
// call after two events are durable in SQLite, with one commit for all calls
// that wait. The events are the ones given with -events, byte for byte. With
// -exec it also runs that program for every call.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	dir := flag.String("dir", ".", "`directory` of the database")
	events := flag.String("events", "", "`file` with the events of a call, one a line")
	program := flag.String("exec", "", "`program` to run for every call")
	flag.Parse()
	if err := serve(os.Stdout, *dir, *events, *program); err != nil { //nolint:forbidigo // a main program
		fmt.Fprintln(os.Stderr, "handler:", err) //nolint:forbidigo // a main program
		os.Exit(1)                               //nolint:forbidigo // a main program
	}
}

func serve(out io.Writer, dir, events, program string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var lines [][]byte
	if events != "" {
		b, err := os.ReadFile(events)
		if err != nil {
			return err
		}
		lines = bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	}
	log, err := openLog(filepath.Join(dir, "floor.db"), lines)
	if err != nil {
		return err
	}
	go log.run()
	ln, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // takes no time
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/tools", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"tools":[{"name":"echo","source":{"kind":"authored"}}]}`)
	})
	mux.HandleFunc("POST /v1/tools/{name}", func(w http.ResponseWriter, r *http.Request) {
		answer, err := call(r, log, program)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	})
	srv := &http.Server{Handler: mux} //nolint:gosec // on loopback, for a moment
	context.AfterFunc(ctx, func() { _ = srv.Close() })
	fmt.Fprintf(out, "floor http://%s\n", ln.Addr())
	if err := srv.Serve(ln); err != http.ErrServerClosed {
		return err
	}
	return nil
}

type request struct {
	Args struct {
		Message string `json:"message"`
	} `json:"args"`
	Session string `json:"session"`
}

type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type answer struct {
	Session string  `json:"session"`
	CallID  string  `json:"callId"`
	Content []block `json:"content"`
	IsError bool    `json:"isError"`
}

func call(r *http.Request, log *log, program string) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var req request
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, err
	}
	text := req.Args.Message
	if program != "" {
		cmd := exec.CommandContext(r.Context(), program)
		cmd.Stdin = bytes.NewReader([]byte(`{}`))
		printed, err := cmd.Output()
		if err != nil {
			return nil, err
		}
		text = string(printed)
	}
	if err := log.append(); err != nil {
		return nil, err
	}
	return json.Marshal(answer{Session: req.Session, CallID: "call_1", Content: []block{{"text", text}}})
}
