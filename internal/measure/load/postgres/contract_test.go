package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/loadtest"
	"github.com/loadline/loadline/internal/model"
)

func TestContract(t *testing.T) {
	tool, d := Tool(env.OS()), ready(t)
	tool.Driver, tool.Application, tool.Remote = d, d, d
	left := func(t *testing.T) []string {
		pipes, err := filepath.Glob(filepath.Join(d.server.dir, "log.*"))
		if err != nil {
			t.Fatal(err)
		}
		return append(pipes, loadTools(t)...)
	}
	loadtest.Test(t, loadtest.OfApplication(tool, model.Postgres, ask(2, 3), map[string]func(*model.StartRequest){
		"no-such-mode": func(r *model.StartRequest) { r.Workload.App.Options = "--builtin=tpcb-like\n--protocol=no-such-mode" },
	}, left))
}

// loadTools lists the processes of pgbench that this process has started.
func loadTools(t *testing.T) (list []string) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range processes {
		text, err := os.ReadFile(file)
		if err != nil {
			// It has ended meanwhile.
			continue
		}
		name, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); strings.HasSuffix(name, "(pgbench") && len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) && fields[0] != "Z" {
			list = append(list, fmt.Sprintf("process %s", name))
		}
	}
	return list
}
