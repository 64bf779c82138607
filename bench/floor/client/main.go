// Client makes the requests of one agsh run with plain net/http, and nothing
// else: it asks for the tool echo once, calls it -n times one after another
// and prints what comes back. It is the floor of a client.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	base := flag.String("url", "", "`URL` of the agent")
	session := flag.String("session", "latest", "session to call in")
	n := flag.Int("n", 1, "how many calls")
	flag.Parse()
	if err := run(os.Stdout, *base, *session, *n); err != nil { //nolint:forbidigo // a main program
		fmt.Fprintln(os.Stderr, "client:", err) //nolint:forbidigo // a main program
		os.Exit(1)                              //nolint:forbidigo // a main program
	}
}

func run(w io.Writer, base, session string, n int) error {
	client := &http.Client{Transport: &http.Transport{}}
	res, err := client.Get(base + "/v1/tools/echo?fold=1") //nolint:noctx // whoever started this ends it
	if err != nil {
		return err
	}
	var detail struct{ Name, InputSchema any }
	if err := decode(res, &detail); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for range n {
		body, err := json.Marshal(map[string]any{"args": map[string]string{"message": "hi"}, "session": session})
		if err != nil {
			return err
		}
		res, err := client.Post(base+"/v1/tools/echo", "application/json", bytes.NewReader(body)) //nolint:noctx // as above
		if err != nil {
			return err
		}
		var result struct{ Content []struct{ Text string } }
		if err := decode(res, &result); err != nil {
			return err
		}
		for _, block := range result.Content {
			fmt.Fprintln(out, block.Text)
		}
	}
	return out.Flush()
}

func decode(res *http.Response, v any) error {
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", res.Status, b)
	}
	return json.Unmarshal(b, v)
}
