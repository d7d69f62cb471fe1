package kube

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// server plays an API server that knows only objects by their path.
type server struct {
	mu sync.Mutex
	// objects are by path, such as /api/v1/namespaces/n/pods/p.
	objects map[string]map[string]any
	// fail are answers instead of the object, by "VERB path"; each is given once,
	// unless it is forbidden.
	fail map[string]metav1.Status
	// asked are the requests, as "VERB path".
	asked []string
	// onDelete is called before an object goes.
	onDelete func(path string)
	// bodies are what was made, by path, and made is how many.
	bodies map[string][]byte
	made   int
	// lose makes the next object without an answer that says so.
	lose bool
}

// cluster starts a server with these objects, and a client of the namespace "n".
func cluster(t *testing.T, objects ...any) (*server, *Client) {
	t.Helper()
	s := &server{objects: map[string]map[string]any{}, fail: map[string]metav1.Status{}, bodies: map[string][]byte{}}
	for _, o := range objects {
		s.add(t, o)
	}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	c := &Client{Namespace: "n", Context: "test"}
	if err := c.connect(&rest.Config{Host: web.URL}); err != nil {
		t.Fatal(err)
	}
	return s, c
}

// plural is the last part but one of an object's path, by kind.
var plural = map[string]string{
	"Pod": "pods", "PersistentVolumeClaim": "persistentvolumeclaims", "PersistentVolume": "persistentvolumes",
	"StorageClass": "storageclasses", "Node": "nodes", "Event": "events", "VolumeAttachment": "volumeattachments",
	"Job": "jobs", "Role": "roles", "RoleBinding": "rolebindings", "ServiceAccount": "serviceaccounts",
	"CSIDriver": "csidrivers", "Replica": "replicas",
}

// add puts an API object, with its kind set, at its path.
func (s *server) add(t *testing.T, object any) {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var o map[string]any
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	meta := o["metadata"].(map[string]any)
	if meta["uid"] == nil {
		meta["uid"] = "uid-of-" + meta["name"].(string)
	}
	path := "/api/v1"
	if o["apiVersion"] != "v1" {
		path = "/apis/" + o["apiVersion"].(string)
	}
	if n, ok := meta["namespace"]; ok {
		path += "/namespaces/" + n.(string)
	}
	resource, known := plural[o["kind"].(string)]
	if !known {
		t.Fatalf("kind %v", o["kind"])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[path+"/"+resource+"/"+meta["name"].(string)] = o
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call := r.Method + " " + r.URL.Path
	s.asked = append(s.asked, call)
	w.Header().Set("Content-Type", "application/json")
	if status, ok := s.fail[call]; ok {
		if status.Code != http.StatusForbidden {
			delete(s.fail, call)
		}
		answer(w, status)
		return
	}
	if r.URL.Path == "/version" {
		_, _ = io.WriteString(w, `{"gitVersion":"v1.34.4"}`)
		return
	}
	object, there := s.objects[r.URL.Path]
	switch {
	case r.Method == http.MethodPost:
		s.create(w, r)
	case there && r.Method == http.MethodGet:
		_ = json.NewEncoder(w).Encode(object)
	case there && r.Method == http.MethodDelete && !meant(object, r.Body):
		answer(w, metav1.Status{Code: http.StatusConflict, Reason: metav1.StatusReasonConflict, Message: "the UID in the precondition is another one"})
	case there && r.Method == http.MethodDelete:
		if s.onDelete != nil {
			s.onDelete(r.URL.Path)
		}
		delete(s.objects, r.URL.Path)
		_ = json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Success"})
	case r.Method == http.MethodGet && isList(r.URL.Path):
		s.list(w, r)
	default:
		answer(w, metav1.Status{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound, Message: r.URL.Path + " not found"})
	}
}

// create takes an object that is new, and gives it a UID.
func (s *server) create(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var o map[string]any
	if json.Unmarshal(body, &o) != nil {
		answer(w, metav1.Status{Code: http.StatusBadRequest, Message: "no JSON"})
		return
	}
	meta := o["metadata"].(map[string]any)
	path := r.URL.Path + "/" + meta["name"].(string)
	if _, there := s.objects[path]; there {
		answer(w, metav1.Status{Code: http.StatusConflict, Reason: metav1.StatusReasonAlreadyExists, Message: path + " already exists"})
		return
	}
	s.made++
	meta["uid"] = fmt.Sprintf("uid-%d", s.made)
	s.objects[path], s.bodies[path] = o, body
	if s.lose {
		// The object is made, and nobody hears of it.
		s.lose = false
		answer(w, metav1.Status{Code: http.StatusServiceUnavailable, Reason: metav1.StatusReasonServiceUnavailable, Message: "restarting"})
		return
	}
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(o)
}

// meant reports whether the preconditions of a deletion hold; one without any is refused.
func meant(object map[string]any, body io.Reader) bool {
	var options metav1.DeleteOptions
	if json.NewDecoder(body).Decode(&options) != nil || options.Preconditions == nil || options.Preconditions.UID == nil {
		return false
	}
	return object["metadata"].(map[string]any)["uid"] == string(*options.Preconditions.UID)
}

func isList(path string) bool {
	for _, p := range plural {
		if strings.HasSuffix(path, "/"+p) {
			return true
		}
	}
	return false
}

func answer(w http.ResponseWriter, s metav1.Status) {
	s.TypeMeta, s.Status = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, "Failure"
	w.WriteHeader(int(s.Code))
	_ = json.NewEncoder(w).Encode(s)
}

// list answers with the objects below the path, or of all namespaces.
func (s *server) list(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.URL.Path, "/")
	resource := parts[len(parts)-1]
	items := []any{}
	// In the order of their names, as the API server has them.
	for _, path := range slices.Sorted(maps.Keys(s.objects)) {
		o := s.objects[path]
		below := strings.HasPrefix(path, r.URL.Path+"/") ||
			!strings.Contains(r.URL.Path, "/namespaces/") && strings.Contains(path, "/"+resource+"/")
		if below && labelled(o, r.URL.Query().Get("labelSelector")) && involves(o, r.URL.Query().Get("fieldSelector")) {
			items = append(items, o)
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"metadata": map[string]any{}, "items": items})
}

// labelled matches "key" and "key=value", and several of them.
func labelled(o map[string]any, selector string) bool {
	labels, _ := o["metadata"].(map[string]any)["labels"].(map[string]any)
	for part := range strings.SplitSeq(selector, ",") {
		key, value, equal := strings.Cut(part, "=")
		if got, there := labels[key]; part != "" && (!there || equal && got != value) {
			return false
		}
	}
	return true
}

// involves matches the field selectors of events.
func involves(o map[string]any, selector string) bool {
	if selector == "" {
		return true
	}
	object, _ := o["involvedObject"].(map[string]any)
	for field := range strings.SplitSeq(selector, ",") {
		name, value, _ := strings.Cut(field, "=")
		if object[strings.TrimPrefix(name, "involvedObject.")] != value {
			return false
		}
	}
	return true
}

// forbid makes a call fail for want of a right, in the API server's words.
func (s *server) forbid(verb, path, right, resource string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail[verb+" "+path] = metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden,
		Message: resource + ` is forbidden: User "dev" cannot ` + right + ` resource "` + resource + `" in API group "" in the namespace "n"`}
}

func (s *server) calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}
