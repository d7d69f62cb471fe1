package doctor

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/fio"
)

// Program is what a bug report should include about the program.
type Program struct {
	Version string `json:"version"`
	// Commit is that of the source, if the build knows it; Modified is true if the source
	// had uncommitted changes.
	Commit    string `json:"commit,omitempty"`
	Modified  bool   `json:"modified,omitempty"`
	Committed string `json:"committed,omitempty"`
	Go        string `json:"go"`
	Platform  string `json:"platform"`
	Fio       Tool   `json:"fio"`
}

// Tool is a program on this machine, or why none can be used.
type Tool struct {
	Version string `json:"version,omitempty"`
	Path    string `json:"path,omitempty"`
	Problem string `json:"problem,omitempty"`
}

// Describe returns where a program of this version comes from, and which fio is available.
func Describe(ctx context.Context, e *env.Env, version string) Program {
	a := Program{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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

// Lines returns what is known, for people: a line for each, aligned.
func (p Program) Lines() []string {
	commit := "unknown: built without its repository"
	if p.Commit != "" {
		commit = p.Commit
		if p.Committed != "" {
			commit += "  " + p.Committed
		}
		if p.Modified {
			commit += "  with changes"
		}
	}
	tool := p.Fio.Version + "  " + p.Fio.Path
	if p.Fio.Problem != "" {
		tool = p.Fio.Problem
	}
	return []string{"loadline  " + p.Version, "commit    " + commit, "go        " + p.Go, "platform  " + p.Platform, "fio       " + tool}
}
