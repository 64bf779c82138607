//go:build unix

package stdio

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// lookup returns the path of a program as a shell with that environment would
// find it. Unlike os/exec it does not look at our own environment. Places in
// PATH that depend on the working directory are left out.
func lookup(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	path := ""
	for _, v := range env {
		if after, ok := strings.CutPrefix(v, "PATH="); ok {
			path = after
		}
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) || name == "" {
			continue
		}
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", fmt.Errorf("start server: no program %q in PATH=%q of its environment", name, path)
}
