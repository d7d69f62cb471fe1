package ssh

import (
	"fmt"
	"os"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/measure/place/placetest"
	"github.com/loadline/loadline/internal/model"
)

// TestContract tests this machine as a remote host, behind a real sshd.
func TestContract(t *testing.T) {
	r := newRemote(t)
	t.Setenv("PATH", r.dir+"/client:"+os.Getenv("PATH"))
	on := func(host string) func(*testing.T) place.Place {
		return func(*testing.T) place.Place { return Place{Env: env.OS(), Hosts: []string{host}} }
	}
	placetest.Test(t, placetest.Subject{
		New:    on("box"),
		Target: model.Target{Name: t.TempDir(), Kind: model.Directory},
		// The version of a program that is not a release.
		Version: "dev",
		Left: func(*testing.T) (left []string) {
			for _, pid := range r.below() {
				left = append(left, fmt.Sprint("process ", pid))
			}
			return left
		},
		Wrong: map[string]func(*testing.T) place.Place{
			"is not the name of a host": on("-oProxyCommand=x"),
			"no host is named":          func(*testing.T) place.Place { return Place{Env: env.OS()} },
			"ssh to closed failed":      on("closed"),
			"does not run loadline":     on("bare"),
			"its key is not the one":    on("changed"),
			"ssh to refused failed: ":   on("refused"),
		},
	})
}
