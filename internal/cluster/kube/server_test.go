package kube

import (
	"testing"

	"k8s.io/client-go/rest"

	"github.com/loadline/loadline/internal/cluster/kube/kubetest"
)

// cluster starts an API server with these objects, and returns it with a client for the namespace
// "n".
func cluster(t *testing.T, objects ...any) (*kubetest.Server, *Client) {
	t.Helper()
	s := kubetest.New(t, objects...)
	c := &Client{Namespace: "n", Context: "test"}
	if err := c.connect(&rest.Config{Host: s.URL}); err != nil {
		t.Fatal(err)
	}
	return s, c
}
