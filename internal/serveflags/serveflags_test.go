package serveflags

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"agsh.dev/internal/term"
)

func parseFlags(env map[string]string, args ...string) (Config, error) {
	var f Flags
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	f.Add(set, "127.0.0.1:39400")
	if err := set.Parse(args); err != nil {
		return Config{}, err
	}
	return f.Config(&term.Term{Out: io.Discard, Err: io.Discard, Getenv: func(name string) string { return env[name] }}, nil, "project")
}

func TestFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	empty := filepath.Join(t.TempDir(), "empty")
	if err := errors.Join(os.WriteFile(file, []byte("from_file\n"), 0o600), os.WriteFile(empty, []byte("\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{EnvBearerToken: "from_env"}
	for name, tt := range map[string]struct {
		env   map[string]string
		args  []string
		token string
		drain time.Duration
	}{
		"defaults":          {nil, nil, "", 30 * time.Second},
		"the environment":   {env, nil, "from_env", 30 * time.Second},
		"the flag is first": {env, []string{"--bearer-token", "flag"}, "flag", 30 * time.Second},
		"a file":            {env, []string{"--bearer-token", "@" + file}, "from_file", 30 * time.Second},
		"no wait":           {nil, []string{"--drain-timeout", "0"}, "", -1},
	} {
		cfg, err := parseFlags(tt.env, tt.args...)
		if err != nil || cfg.BearerToken != tt.token || cfg.DrainTimeout != tt.drain {
			t.Errorf("%s: token %q, drain %s, %v", name, cfg.BearerToken, cfg.DrainTimeout, err)
		}
	}
	for says, args := range map[string][]string{
		"empty":           {"--bearer-token", ""},
		"is empty":        {"--bearer-token", "@" + empty},
		"no such file":    {"--bearer-token", "@/nowhere"},
		"visible ASCII":   {"--bearer-token", "a b"},
		"0s or more":      {"--drain-timeout", "-1s"},
		"want text or":    {"--log", "xml"},
		"want a URL such": {"--public-url", "agents.example.com"},
		"more than":       {"--bearer-token", "@/dev/zero"},
	} {
		if _, err := parseFlags(nil, args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v = %v, want an error that says %q", args, err, says)
		}
	}
}

// A project keeps its sessions wherever the server was started.
func TestStateRoot(t *testing.T) {
	home := map[string]string{"HOME": "/home/ada"}
	for _, tt := range []struct {
		env       map[string]string
		args      []string
		dir, last string // last is "*" for one name made from the project
	}{
		{home, nil, "/home/ada/.local/state/agent-sdk", "*"},
		{map[string]string{"HOME": "/home/ada", "XDG_STATE_HOME": "/state"}, nil, "/state/agent-sdk", "*"},
		{home, []string{"--state-root", "/elsewhere/x"}, "/elsewhere", "x"},
		{nil, nil, "", ""},
	} {
		cfg, err := parseFlags(tt.env, tt.args...)
		dir, last := filepath.Split(cfg.StateRoot)
		if err != nil || filepath.Clean("/"+dir) != filepath.Clean("/"+tt.dir) || tt.last != "*" && last != tt.last || tt.last == "*" && len(last) != 12 {
			t.Errorf("%v %v: state root %q, %v", tt.env, tt.args, cfg.StateRoot, err)
		}
	}
	cfg, err := parseFlags(nil, "--state-root", "near")
	if err != nil || !filepath.IsAbs(cfg.StateRoot) {
		t.Errorf("a relative state root became %q, %v", cfg.StateRoot, err)
	}
}
