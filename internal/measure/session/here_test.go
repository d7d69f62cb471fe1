package session

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/agent"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/measure/place/local"
	"github.com/loadline/loadline/internal/measure/place/placetest"
	"github.com/loadline/loadline/internal/measure/worker"
	"github.com/loadline/loadline/internal/model"
)

// TestContractInThisProcess runs the contract on a worker in this process, which is the usual place.
func TestContractInThisProcess(t *testing.T) {
	var running atomic.Int32
	e := env.OS()
	counted := local.Place{Env: e, Serve: func(ctx context.Context, name string, in io.Reader, out io.Writer) error {
		running.Add(1)
		defer running.Add(-1)
		return agent.Serve(ctx, in, out, worker.Options(e, name))
	}}
	placetest.Test(t, placetest.Subject{
		New:     func(*testing.T) place.Place { return counted },
		Target:  model.Target{Name: t.TempDir(), Kind: model.Directory},
		Version: worker.Version,
		Left: func(*testing.T) (left []string) {
			if n := running.Load(); n > 0 {
				left = append(left, fmt.Sprint(n, " agents"))
			}
			return left
		},
		Wrong: map[string]func(*testing.T) place.Place{"could not be started": missing},
	})
}

// TestContractOfAChild runs the contract on a worker in a separate process.
func TestContractOfAChild(t *testing.T) {
	program := filepath.Join(t.TempDir(), "loadline-agent")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, "../../../cmd/loadline-agent").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	placetest.Test(t, placetest.Subject{
		New:     func(*testing.T) place.Place { return local.Place{Env: env.OS(), Command: []string{program}} },
		Target:  model.Target{Name: t.TempDir(), Kind: model.Directory},
		Version: worker.Version,
		Left:    func(t *testing.T) []string { return running(t, program) },
		Wrong:   map[string]func(*testing.T) place.Place{"could not be started": missing},
	})
}

func missing(*testing.T) place.Place {
	return local.Place{Env: env.OS(), Command: []string{"/no/such/loadline"}}
}

// running returns the processes that run a program.
func running(t *testing.T, program string) (list []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, exe := range all {
		if name, err := os.Readlink(exe); err == nil && strings.HasPrefix(name, program) {
			list = append(list, exe)
		}
	}
	return list
}

// TestEveryTargetHasAPlace: the registry starts workers where the user specifies.
func TestEveryTargetHasAPlace(t *testing.T) {
	here, claim := model.Target{Name: "/tmp", Kind: model.Directory}, model.Target{Name: "pvc:x", Cluster: &model.ClusterVolume{Name: "x"}}
	for _, c := range []struct {
		hosts  []string
		target model.Target
		want   string
	}{{nil, here, "this machine"}, {[]string{"a"}, here, "hosts"}, {nil, claim, "pods"}} {
		if got := (&Places{Hosts: c.hosts}).at(c.target).name; got != c.want {
			t.Errorf("%s with hosts %v: %s, not %s", c.target.Name, c.hosts, got, c.want)
		}
	}
}
