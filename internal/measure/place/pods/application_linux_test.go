package pods

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

// TestAnApplicationsPod: the worker answers from a pod with the application's image, into which its program
// was copied, and nothing of it is left.
func TestAnApplicationsPod(t *testing.T) {
	n, client := newNode(t)
	at := Place{Client: client, Made: Mark("app", "test/1/x"), Where: kube.Where{Image: "loadline:test", Application: "postgres:17"}, Ready: time.Minute}
	assigned := place.Assignment{RunID: "app", Target: class("fast"), Size: 1 << 30, Say: func(string) {}}
	shown, err := at.Manifests(t.Context(), assigned)
	if err != nil || len(n.left()) > 0 {
		t.Fatalf("%v; a look has made %v", err, n.left())
	}
	w, err := at.Put(t.Context(), assigned)
	if err != nil {
		t.Fatal(err)
	}
	var hello model.Event
	line, err := bufio.NewReader(w.Link).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &hello) != nil || hello.Hello == nil {
		t.Errorf("%v: %s", err, line)
	}
	if w.Cluster.Image != "postgres:17" || w.Target.Kind != model.Directory {
		t.Errorf("%+v, %+v", w.Cluster, w.Target)
	}
	copied, err := filepath.Glob(filepath.Join(n.dir, "s*", kube.ProgramCopyPath, "*"))
	if err != nil || len(copied) != 2 {
		t.Errorf("%v: copied are %q", err, copied)
	}
	for _, file := range copied {
		want := map[string]string{program: n.program, kube.UsersFile: ""}
		if original := want[filepath.Base(file)]; original != "" {
			a, errA := os.ReadFile(file)
			b, errB := os.ReadFile(original)
			if errA != nil || errB != nil || string(a) != string(b) {
				t.Errorf("%v, %v: %s is another program", errA, errB, file)
			}
		}
	}
	// The manifest that was shown is the one that was used, except for its owner's token.
	if !strings.Contains(string(shown), "name: "+at.Made.Run+"\n") || strings.Contains(string(shown), at.Made.Token) {
		t.Errorf("%s", shown)
	}
	if err := w.Link.Close(); err != nil {
		t.Error(err)
	}
	if left := n.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestNoApplicationOnARawDevice: it is refused before anything is created.
func TestNoApplicationOnARawDevice(t *testing.T) {
	n, client := newNode(t)
	n.Add(t, object{"kind": "PersistentVolumeClaim", "apiVersion": "v1", "metadata": object{"name": "raw", "namespace": "n"},
		"spec": object{"storageClassName": "fast", "volumeMode": "Block", "accessModes": []string{"ReadWriteOnce"}}, "status": object{"phase": "Bound"}})
	at := Place{Client: client, Made: Mark("app", "test/1/x"), Where: kube.Where{Image: "loadline:test", Application: "postgres:17"}, Ready: time.Minute}
	assigned := place.Assignment{RunID: "app", Target: model.Target{Name: "pvc:raw", Kind: model.VolumeClaim, Cluster: &model.ClusterVolume{Name: "raw"}}, Say: func(string) {}}
	_, err := at.Put(t.Context(), assigned)
	modeltest.Refused(t, err, "pvc:raw is a raw device")
	_, err = at.Manifests(t.Context(), assigned)
	modeltest.Refused(t, err, "pvc:raw is a raw device")
	if left := n.left(); len(left) != 1 {
		t.Errorf("there is %v", left)
	}
}
