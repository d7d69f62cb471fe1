package pods

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

// applicationAt returns the place for an application's pods in a test.
func applicationAt(client *kube.Client) Place {
	return Place{Client: client, Made: Mark("app", "test/1/x"), Where: kube.Where{Image: "loadline:test", Application: "postgres:17"}, Ready: time.Minute}
}

// existing returns a claim that someone else created.
func existing(name, mode string) object {
	return object{"kind": "PersistentVolumeClaim", "apiVersion": "v1", "metadata": object{"name": name, "namespace": "n"},
		"spec": object{"storageClassName": "fast", "volumeMode": mode, "accessModes": []string{"ReadWriteOnce"}}, "status": object{"phase": "Bound", "capacity": object{"storage": "3Gi"}}}
}

func claimed(name string) model.Target {
	return model.Target{Name: "pvc:" + name, Kind: model.VolumeClaim, Cluster: &model.ClusterVolume{Name: name}}
}

// TestALogsClaim: the log has its own claim, which is shown, created, mounted, recorded, and removed with
// that of the data.
func TestALogsClaim(t *testing.T) {
	n, client := newNode(t)
	at := applicationAt(client)
	log := class("fast")
	assigned := place.Assignment{RunID: "app", Target: class("fast"), Size: 1 << 30, Log: &log, LogSize: 3 << 30, Say: func(string) {}}
	shown, err := at.Manifests(t.Context(), assigned)
	if err != nil || len(n.left()) > 0 {
		t.Fatalf("%v; a look has made %v", err, n.left())
	}
	for _, want := range []string{"name: " + at.Made.Run + "-wal\n", "claimName: " + at.Made.Run + "-wal\n", "mountPath: " + kube.LogPath + "\n", "storage: 3Gi"} {
		if !strings.Contains(string(shown), want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	w, err := at.Put(t.Context(), assigned)
	if err != nil {
		t.Fatal(err)
	}
	claims := 0
	for _, path := range n.left() {
		if strings.Contains(path, "/persistentvolumeclaims/") {
			claims++
		}
	}
	if f := w.Cluster.Log; claims != 2 || f == nil || f.Claim != w.Cluster.Claim+"-wal" || !f.Made || f.Class != "fast" || f.Capacity != 3<<30 || f.Volume == w.Cluster.Volume {
		t.Errorf("%d claims, %+v", claims, w.Cluster.Log)
	}
	if err := w.Link.Close(); err != nil {
		t.Error(err)
	}
	if left := n.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestALogOnAClaimThatExists: the claim is used and stays; one that cannot hold a log is refused, and what
// was created until then is removed.
func TestALogOnAClaimThatExists(t *testing.T) {
	n, client := newNode(t)
	n.Add(t, existing("data", "Filesystem"))
	n.Add(t, existing("log", "Filesystem"))
	n.Add(t, existing("raw", "Block"))
	before := n.left()
	at := applicationAt(client)
	log := claimed("log")
	assigned := place.Assignment{RunID: "app", Target: claimed("data"), Log: &log, Say: func(string) {}}
	w, err := at.Put(t.Context(), assigned)
	if err != nil {
		t.Fatal(err)
	}
	if f := w.Cluster.Log; f == nil || f.Made || f.Claim != "log" || f.Capacity != 3<<30 {
		t.Errorf("%+v", f)
	}
	if err := w.Link.Close(); err != nil {
		t.Error(err)
	}
	raw, gone := claimed("raw"), claimed("gone")
	for words, bad := range map[string]*model.Target{"pvc:raw is a raw device": &raw, "there is no claim gone": &gone} {
		assigned.Log = bad
		_, err := at.Put(t.Context(), assigned)
		modeltest.Refused(t, err, words)
		_, err = at.Manifests(t.Context(), assigned)
		modeltest.Refused(t, err, words)
	}
	missing := class("nowhere")
	_, err = at.Put(t.Context(), place.Assignment{RunID: "app", Target: class("fast"), Size: 1 << 30, Log: &missing, LogSize: 1 << 30, Say: func(string) {}})
	modeltest.Refused(t, err, "no StorageClass nowhere")
	if left := n.left(); !slices.Equal(left, before) {
		t.Errorf("there was %v, and is %v", before, left)
	}
}
