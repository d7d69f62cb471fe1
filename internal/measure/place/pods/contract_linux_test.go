package pods

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/measure/place/placetest"
	"github.com/loadline/loadline/internal/model"
)

// class returns a target that a claim is created for.
func class(name string) model.Target {
	return model.Target{Name: "sc:" + name, Kind: model.StorageClass, Cluster: &model.ClusterVolume{Class: name}}
}

// TestContract tests pods that are processes on this machine, behind a fake API server and exec, with a
// real worker, link and client.
func TestContract(t *testing.T) {
	n, client := newNode(t)
	at := Place{Client: client, Made: Mark("contract", "test/1/x"), Where: kube.Where{Image: "loadline:test"}, Ready: time.Minute}
	placetest.Test(t, placetest.Subject{
		New:     func(*testing.T) place.Place { return at },
		Target:  class("fast"),
		Size:    1 << 30,
		Version: "dev",
		Left:    func(*testing.T) []string { return n.left() },
		Wrong: map[string]func(*testing.T) place.Place{
			"does not answer": func(t *testing.T) place.Place {
				away := at
				away.Client = reach(t, "http://127.0.0.1:1")
				return away
			},
			"is not a quantity": func(*testing.T) place.Place {
				odd := at
				odd.Where.Resources = map[string]string{"cpu": "many"}
				return odd
			},
		},
	})
}

// contractIn names the real cluster to use, as NAMESPACE,CLASS,IMAGE; $KUBECONFIG says how to reach it. The
// tests of the test cluster set it.
const contractIn = "LOADLINE_CONTRACT_IN"

// TestContractInACluster tests real pods: scheduler, kubelet, volumes, exec.
func TestContractInACluster(t *testing.T) {
	words := strings.Split(os.Getenv(contractIn), ",")
	if len(words) != 3 {
		t.Skip("skipped: no cluster is named by $" + contractIn + "; make e2e does")
	}
	client, err := kube.Open(env.OS(), kube.Access{Namespace: words[0]})
	if err != nil {
		t.Fatal(err)
	}
	at := Place{Client: client, Made: Mark("contract", "test/1/x"), Where: kube.Where{Image: words[2]}, Ready: 2 * time.Minute}
	placetest.Test(t, placetest.Subject{
		New:     func(*testing.T) place.Place { return at },
		Target:  class(words[1]),
		Size:    64 << 20,
		Version: "dev",
		Left: func(t *testing.T) (left []string) {
			objects, err := client.Own(t.Context(), words[0], at.Made.Run)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range objects {
				left = append(left, o.String())
			}
			return left
		},
		Wrong: map[string]func(*testing.T) place.Place{
			"was not running after": func(*testing.T) place.Place {
				nowhere := at
				nowhere.Where.NodeSelector, nowhere.Ready = map[string]string{"no-such": "label"}, 5*time.Second
				return nowhere
			},
		},
	})
}
