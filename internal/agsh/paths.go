package agsh

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"agsh.dev/api"
	"agsh.dev/internal/agsh/catalog"
	"agsh.dev/internal/agsh/view"
)

// paths completes a path of the agent's tree, by the agent's own ls. Folders
// end in a slash, so that one goes on into them. Without an ls there are none.
func (s *session) paths(ctx context.Context, prefix string) []candidate {
	dir, base := prefix[:strings.LastIndexByte(prefix, '/')+1], prefix[strings.LastIndexByte(prefix, '/')+1:]
	var out []candidate
	for _, name := range s.folder(ctx, dir) {
		if strings.HasPrefix(name, base) && (base != "" || !strings.HasPrefix(name, ".")) {
			word := dir + name
			if strings.HasPrefix(word, "-") { // or else it would be a flag
				word = "./" + word
			}
			out = append(out, candidate{word: word})
		}
	}
	return out
}

// A folderCache keeps the folder that was listed last, since every key asks
// for it again, until a call may have changed the tree. It is safe for
// concurrent use.
type folderCache struct {
	mu    sync.Mutex
	known bool
	dir   string
	names []string
}

func (c *folderCache) get(dir string) ([]string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.names, c.known && c.dir == dir
}

func (c *folderCache) put(dir string, names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known, c.dir, c.names = true, dir, names
}

func (c *folderCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = false
}

// folder lists a folder of the agent's tree; nothing of one that cannot be
// listed.
func (s *session) folder(ctx context.Context, dir string) []string {
	if names, ok := s.folders.get(dir); ok {
		return names
	}
	cmd, err := s.catalog.Lookup(ctx, "ls")
	if err != nil || cmd.Shape != "ls" || cmd.Detail.Effect != "read" || cmd.Detail.Source.Connection != "" {
		return nil // what a key press calls must be the agent's own
	}
	var words []string
	if dir != "" {
		words = []string{dir}
	}
	args, err := cmd.Args.Parse(words, nil)
	if err != nil {
		return nil
	}
	res, err := s.client.Call(ctx, cmd.Detail.Name, s.request(args, false))
	if err != nil || res.IsError {
		return nil
	}
	names, ok := view.Names(result(res))
	if !ok {
		return nil
	}
	s.folders.put(dir, names)
	return names
}

// request is a call in the session of this run.
func (s *session) request(args json.RawMessage, approve bool) api.CallRequest {
	req := api.CallRequest{Args: args, Approve: approve}
	switch {
	case s.bound != "":
		req.Session = s.bound
	case s.globals.ContinuationToken != "":
		req.ContinuationToken = s.globals.ContinuationToken
	case s.globals.Session != "":
		req.Session = s.globals.Session
	default:
		req.Session = api.Latest
	}
	return req
}

// wantsPath reports whether the next word behind words, of which the first is
// the command, is a path: the value of the flag before it, or an operand.
func wantsPath(cmd *catalog.Command, words []string) bool {
	flags := cmd.Args.Flags()
	if f, ok := flagNamed(flags, words[len(words)-1]); ok && f.Placeholder != "" && len(words) > 1 {
		return isPath(f.Property)
	}
	operands := 0
	for i := 1; i < len(words); i++ {
		f, ok := flagNamed(flags, words[i])
		switch {
		case ok && f.Placeholder != "":
			i++ // its value
		case ok, strings.HasPrefix(words[i], "--") && words[i] != "--":
		case words[i] != "--":
			operands++
		}
	}
	docs := cmd.Args.Operands()
	return operands < len(docs) && isPath(docs[operands].Name)
}

// isPath tells by its name whether a property is a path in the agent's tree.
func isPath(property string) bool {
	name := strings.ToLower(property[strings.LastIndexByte(property, '.')+1:])
	for _, end := range []string{"path", "paths", "dir", "dirs", "directory", "directories", "file", "files"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}
