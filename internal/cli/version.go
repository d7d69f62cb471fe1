package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/fio"
	"github.com/loadline/loadline/internal/measure/worker"
	"github.com/loadline/loadline/internal/show/report/term"
)

// versionInfo is what a bug report should include about the program.
type versionInfo struct {
	Version string `json:"version"`
	// Commit is that of the source, if the build knows it; Modified is true if the source
	// had uncommitted changes.
	Commit    string   `json:"commit,omitempty"`
	Modified  bool     `json:"modified,omitempty"`
	Committed string   `json:"committed,omitempty"`
	Go        string   `json:"go"`
	Platform  string   `json:"platform"`
	Fio       toolInfo `json:"fio"`
}

// toolInfo is a program on this machine, or why none can be used.
type toolInfo struct {
	Version string `json:"version,omitempty"`
	Path    string `json:"path,omitempty"`
	Problem string `json:"problem,omitempty"`
}

func newVersion(e *env.Env) *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, its origin, and the fio that would be used",
		Long: `Prints the version of Loadline, the commit and the Go that it was built from, the
platform, and the fio that a measurement on this machine would use. loadline --version
prints the version alone.

Exit codes: 0 success, even without fio; 1 failed; 2 usage.`,
		Example: `  loadline version
  loadline version --json`,
		Args: usage.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			a := readVersionInfo(cmd.Context(), e)
			if output.name() == "json" {
				enc := json.NewEncoder(term.Raw(e.Stdout))
				enc.SetIndent("", "  ")
				return enc.Encode(a)
			}
			printVersionInfo(e, a)
			return nil
		},
	}
	registerOutput(e, cmd, &output, textOrJSON...)
	return cmd
}

// readVersionInfo determines the version of the program, and which fio is available.
func readVersionInfo(ctx context.Context, e *env.Env) versionInfo {
	a := versionInfo{Version: worker.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if build, known := debug.ReadBuildInfo(); known {
		for _, s := range build.Settings {
			switch s.Key {
			case "vcs.revision":
				a.Commit = s.Value
			case "vcs.time":
				a.Committed = s.Value
			case "vcs.modified":
				a.Modified = s.Value == "true"
			}
		}
	}
	var err error
	if a.Fio.Path, err = e.LookPath("fio"); err != nil {
		a.Fio.Path = ""
	}
	if a.Fio.Version, err = fio.New(e).Version(ctx); err != nil {
		a.Fio.Problem = err.Error()
	}
	return a
}

func printVersionInfo(e *env.Env, a versionInfo) {
	commit := "unknown: built without its repository"
	if a.Commit != "" {
		commit = a.Commit
		if a.Committed != "" {
			commit += "  " + a.Committed
		}
		if a.Modified {
			commit += "  with changes"
		}
	}
	tool := fmt.Sprintf("%s  %s", a.Fio.Version, a.Fio.Path)
	if a.Fio.Problem != "" {
		tool = a.Fio.Problem
	}
	printLine(e.Stdout, "loadline  %s", a.Version)
	printLine(e.Stdout, "commit    %s", commit)
	printLine(e.Stdout, "go        %s", a.Go)
	printLine(e.Stdout, "platform  %s", a.Platform)
	printLine(e.Stdout, "fio       %s", tool)
}
