package etcd

import (
	"os"
	"path/filepath"
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
	// The clients are in this process, and the server stays until the end of the run.
	left := func(*testing.T) []string { return nil }
	loadtest.Test(t, loadtest.OfApplication(tool, model.Etcd, ask(2, 3), map[string]func(*model.StartRequest){
		"no option":    func(r *model.StartRequest) { r.Workload.App.Options = "--none" },
		"needs a rate": func(r *model.StartRequest) { r.Workload.RateIOPS = 0 },
	}, left))
}
