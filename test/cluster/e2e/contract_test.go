package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestPlaceContract runs the contract of a place, which is in the main module, on real pods.
func TestPlaceContract(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "contract", "baseline")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-run", "^TestContractInACluster$", "./internal/measure/place/pods")
	cmd.Dir = "../../.."
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off", "KUBECONFIG="+kubeconfig(t, ""), "LOADLINE_CONTRACT_IN="+ns+",csi,"+image)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestContractInACluster") {
		t.Errorf("%v\n%s", err, out)
	}
	nothingLeft(t, ns)
}
