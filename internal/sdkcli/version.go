package sdkcli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of agent-sdk",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(a.Out, versionLine())
			return nil
		},
	}
	withoutDir(cmd)
	return cmd
}

// versionLine is what version prints, and --version.
func versionLine() string {
	return fmt.Sprintf("agent-sdk %s %s %s/%s", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version is the module's version, and the commit when it was built from a
// checkout.
func version() string {
	build, ok := debug.ReadBuildInfo()
	if !ok || build.Main.Version == "" {
		return "(unknown)"
	}
	return build.Main.Version
}
