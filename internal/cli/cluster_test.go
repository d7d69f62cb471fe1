package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/cluster/kube/kubetest"
)

// playedCluster starts a fake API server with these objects, on which nothing may be created, and returns
// it with its kubeconfig, whose namespace is n.
func playedCluster(t *testing.T, objects ...any) (s *kubetest.Server, kubeconfig string) {
	t.Helper()
	s = kubetest.New(t, objects...)
	for _, kind := range []string{"pods", "persistentvolumeclaims", "serviceaccounts"} {
		s.Forbid("POST", "/api/v1/namespaces/n/"+kind, "create", kind)
	}
	s.Forbid("POST", "/apis/batch/v1/namespaces/n/jobs", "create", "jobs")
	return s, kubetest.Config(t, s.URL)
}

// storageClass returns a StorageClass object.
func storageClass(name, provisioner string) kubetest.Object {
	return kubetest.Object{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": kubetest.Object{"name": name},
		"provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer"}
}

// changes returns the requests that would have changed something.
func changes(s *kubetest.Server) []string {
	return slices.DeleteFunc(s.Calls(), func(call string) bool { return strings.HasPrefix(call, "GET ") })
}
