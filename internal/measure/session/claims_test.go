package session

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// Workers on a claim of one node follow its first worker, and only they do; if that one does not start,
// they do not either.
func TestFollowersGoWhereTheFirstWorkerIs(t *testing.T) {
	var mu sync.Mutex
	nodes := make([]string, 7)
	start := func(fails int) func(int, string) error {
		return func(i int, node string) error {
			if i == fails {
				return errors.New("no")
			}
			mu.Lock()
			defer mu.Unlock()
			if nodes[i] = node; node == "" {
				nodes[i] = fmt.Sprintf("free%d", i)
			}
			return nil
		}
	}
	nodeOf := func(i int) string {
		mu.Lock()
		defer mu.Unlock()
		return nodes[i]
	}
	oneNode := []bool{false, true}
	if err := inParallel(7, 7, leadersFirst(oneNode, start(-1), nodeOf)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(nodes, " "); got != "free0 free1 free2 free1 free4 free1 free6" {
		t.Error(got)
	}
	nodes = make([]string, 7)
	err := causes(t.Context(), inParallel(7, 7, leadersFirst(oneNode, start(1), nodeOf)))
	if got := strings.Join(nodes, " "); err == nil || err.Error() != "no" || got != "free0  free2  free4  free6" {
		t.Errorf("%v: %s", err, got)
	}
}

// The claim's access mode decides where its workers may be.
func TestAccessModeDecidesWhereWorkersMayBe(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := path.Base(r.URL.Path)
		mode, known := map[string]string{"one": "ReadWriteOnce", "many": "ReadWriteMany", "pod": "ReadWriteOncePod"}[name]
		if !known || r.URL.Path != "/api/v1/namespaces/n/persistentvolumeclaims/"+name {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":%q,"namespace":"n"},"spec":{"accessModes":[%q]}}`, name, mode)
	}))
	defer api.Close()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	config := `{"apiVersion":"v1","kind":"Config","current-context":"c","clusters":[{"name":"c","cluster":{"server":"` + api.URL + `"}}],
"contexts":[{"name":"c","context":{"cluster":"c","user":"u","namespace":"n"}}],"users":[{"name":"u","user":{}}]}`
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var o Places
	o.Cluster.Access.Kubeconfig = file
	claim := func(name string) model.Target {
		return model.Target{Name: "pvc:" + name, Kind: model.VolumeClaim, Cluster: &model.ClusterVolume{Name: name}}
	}
	class := model.Target{Name: "sc:x", Kind: model.StorageClass, Cluster: &model.ClusterVolume{Class: "x"}}
	for name, c := range map[string]struct {
		targets []model.Target
		volumes int
		want    []bool
		says    string
	}{
		"one of each":          {[]model.Target{claim("one"), claim("many"), claim("pod")}, 3, []bool{false, false, false}, ""},
		"several of some":      {[]model.Target{claim("one"), claim("many"), claim("pod"), class}, 6, []bool{true, false, false, false}, ""},
		"several of one pod's": {[]model.Target{claim("one"), claim("pod")}, 4, nil, "pvc:pod is ReadWriteOncePod: only one pod may use it, and 4 volumes need 2 pods on it"},
		"made":                 {[]model.Target{class}, 9, []bool{false}, ""},
		"not there":            {[]model.Target{claim("none")}, 2, nil, "there is no claim none"},
	} {
		got, err := o.oneNode(t.Context(), env.OS(), c.targets, c.volumes)
		if diff := cmp.Diff(c.want, got); diff != "" || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}
