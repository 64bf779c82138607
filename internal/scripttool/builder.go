package scripttool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// buildLimit bounds one build.
const buildLimit = 2 * time.Minute

// maxBuildOutput bounds what is shown of the compiler's words.
const maxBuildOutput = 16 << 10

// A builder turns one Go file into a program, again whenever its content
// changes. Packages the file imports are not looked at.
type builder struct {
	cfg  Config
	turn chan struct{} // held while building: a second caller waits and finds the program
}

func newBuilder(cfg Config) *builder {
	return &builder{cfg: cfg, turn: make(chan struct{}, 1)}
}

// build returns the path of the program made from the file at source.
func (b *builder) build(ctx context.Context, source string) (string, error) {
	content, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s/%s %s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, source)
	sum.Write(content)
	// A program is only taken from a directory that nobody else can put one in.
	if err := privateDir(b.cfg.CacheDir); err != nil {
		return "", err
	}
	program := filepath.Join(b.cfg.CacheDir, hex.EncodeToString(sum.Sum(nil)[:16]))
	if exists(program) {
		return program, nil
	}
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return "", fmt.Errorf("wait for the build of %s: %w", source, ctx.Err())
	}
	if exists(program) {
		return program, nil
	}
	return program, b.compile(ctx, source, program)
}

// compile writes the program under a name of its own first: another process
// may be building the same one.
func (b *builder) compile(ctx context.Context, source, program string) error {
	compiler, err := b.compiler()
	if err != nil {
		return fmt.Errorf("build %s: %w", source, err)
	}
	tmp, err := os.MkdirTemp(b.cfg.CacheDir, "build-")
	if err != nil {
		return fmt.Errorf("build %s: %w", source, err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	target := filepath.Join(tmp, "tool")

	ctx, cancel := context.WithTimeoutCause(ctx, buildLimit, errTimeout)
	defer cancel()
	p := process{
		path: compiler, args: []string{"build", "-trimpath", "-buildvcs=false", "-o", target, filepath.Base(source)},
		dir: filepath.Dir(source), env: b.env(), grace: b.cfg.Grace, linger: b.cfg.Linger,
		maxOut: maxBuildOutput, maxErr: maxBuildOutput,
	}
	out, err := p.run(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("build %s: %w", source, err)
	case errors.Is(context.Cause(ctx), errTimeout):
		return fmt.Errorf("build %s: it did not finish within %s", source, buildLimit)
	case ctx.Err() != nil:
		return fmt.Errorf("build %s: %w", source, ctx.Err())
	case !out.state.Success():
		said, _ := out.stderr.text()
		return fmt.Errorf("build %s: %s\n%s", source, ending(out.state, ""), strings.TrimSpace(said))
	}
	if err := os.Rename(target, program); err != nil {
		return fmt.Errorf("build %s: %w", source, err)
	}
	return nil
}

// privateDir makes dir, readable and writable by its owner only. One that
// others may write to is refused: they could put a program there.
func privateDir(dir string) error {
	if dir == "" {
		return errors.New("a tool in Go needs a cache directory for what is built, and none is configured")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the cache of built tools: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("make the cache of built tools: %w", err)
	}
	if !info.IsDir() || info.Mode().Perm()&0o022 != 0 || !ownedByUs(info) {
		return fmt.Errorf("the cache of built tools %s can be changed by other users: remove it or chmod 700 it", dir)
	}
	return nil
}

// compiler finds the go command on the PATH that tools get.
func (b *builder) compiler() (string, error) {
	path, err := lookup("go", b.cfg.Getenv("PATH"))
	if err != nil {
		return "", errors.New("a tool in Go needs the go command, which is not on PATH: install Go, or build the tool and name it without .go")
	}
	return path, nil
}

// buildVars are what the go command reads of the environment.
var buildVars = []string{
	"PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE", "GOENV",
	"GOFLAGS", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOPROXY", "GOPRIVATE", "GOINSECURE", "GOTOOLCHAIN", "GOWORK",
	"CGO_ENABLED", "CC", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE",
}

func (b *builder) env() []string {
	var env []string
	for _, name := range buildVars {
		if v := b.cfg.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	if b.cfg.Getenv("HOME") == "" && b.cfg.Getenv("GOCACHE") == "" {
		env = append(env, "GOCACHE="+filepath.Join(b.cfg.CacheDir, "go-build"))
	}
	return env
}
