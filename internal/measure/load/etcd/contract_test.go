package etcd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/loadtest"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

func TestContract(t *testing.T) {
	tool, d := Tool(env.OS()), ready(t)
	tool.Driver, tool.Application = d, d
	// Its version is that of the etcd on PATH.
	t.Setenv("PATH", filepath.Dir(lab.Etcd(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
	// The clients are connections of this process; the server stays until the end of the run.
	before := sockets(t)
	left := func(t *testing.T) []string {
		now := sockets(t)
		return now[:max(0, len(now)-len(before))]
	}
	loadtest.Test(t, loadtest.OfApplication(tool, model.Etcd, ask(2, 3), map[string]func(*model.StartRequest){
		"no option":    func(r *model.StartRequest) { r.Workload.App.Options = "--none" },
		"needs a rate": func(r *model.StartRequest) { r.Workload.RateIOPS = 0 },
	}, left))
}

// sockets lists this process's open sockets.
func sockets(t *testing.T) (list []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if to, err := os.Readlink(file); err == nil && strings.HasPrefix(to, "socket:") {
			list = append(list, to)
		}
	}
	return list
}
