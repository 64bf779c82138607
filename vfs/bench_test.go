package vfs_test

import (
	"go/build"
	"testing"

	"agsh.dev/vfs"
)

// BenchmarkGrep searches the sources of the Go distribution.
func BenchmarkGrep(b *testing.B) {
	tree, err := vfs.Dir(build.Default.GOROOT + "/src")
	if err != nil {
		b.Skip(err)
	}
	defer tree.Close()
	for name, q := range map[string]vfs.GrepQuery{
		"literal": {Pattern: "rareLiteralThatIsNowhere"},
		"common":  {Pattern: "return"},
		"fold":    {Pattern: "deprecat(ed|ion)", IgnoreCase: true},
		"none":    {Pattern: "[a-f]{3}[0-9]{3}x"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for _, err := range tree.Grep(b.Context(), q) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
