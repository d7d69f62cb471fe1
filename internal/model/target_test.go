package model

import "testing"

// What was measured can be found again by its name: the path of a volume in a pod is meaningless
// outside of the pod.
func TestPlace(t *testing.T) {
	cluster := &ClusterVolume{Class: "fast"}
	for want, target := range map[string]Target{
		"/srv/x":      {Name: ".", Kind: Directory, Path: "/srv/x"},
		"/srv/db":     {Name: "db", Kind: Postgres, Path: "/srv/db"},
		"nbd://h/x":   {Name: "nbd://h/x", Kind: NBD, URI: "nbd://h/x"},
		"sc:fast":     {Name: "sc:fast", Kind: Directory, Path: "/volume", Cluster: cluster},
		"pvc:a/b":     {Name: "pvc:a/b", Kind: BlockDevice, Path: "/dev/loadline", Cluster: &ClusterVolume{Name: "b"}},
		"sc:replicas": {Name: "sc:replicas", Kind: Postgres, Path: "/volume", Cluster: cluster},
	} {
		if got := target.Place(); got != want {
			t.Errorf("%+v is %q, not %q", target, got, want)
		}
	}
}
