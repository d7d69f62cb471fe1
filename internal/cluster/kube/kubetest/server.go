// Package kubetest imitates a Kubernetes API server for tests. Its assumptions: a client's behaviour
// shows in its requests and in what it makes of the responses, so the server stores objects by
// their path and knows nothing about their meaning; controllers and kubelets are functions supplied
// by the test.
package kubetest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Object is an API object as decoded from JSON.
type Object = map[string]any

// Status is an error response.
type Status = metav1.Status

// Server is an API server that stores objects by their path. Its mutex guards the fields that
// requests change; the functions supplied by a test are called with it held.
type Server struct {
	sync.Mutex
	// URL is the server's address.
	URL string
	// Objects are stored by path, such as /api/v1/namespaces/n/pods/p.
	Objects map[string]Object
	// Fail contains error responses by "VERB path"; each is returned once, unless it is a Forbidden
	// error.
	Fail map[string]Status
	// Asked are the requests, as "VERB path".
	Asked []string
	// Bodies are the objects as they were sent on creation, by path.
	Bodies map[string][]byte
	// LoseAnswer makes the next object but fails the request, as if the response were lost.
	LoseAnswer bool
	// OnCreate is called when an object has been made.
	OnCreate func(path string, o Object)
	// OnDelete is called before an object is deleted; false keeps it for now.
	OnDelete func(path string, o Object) bool
	// Exec serves an exec in a pod, whose path it gets; it is called without the mutex held.
	Exec func(path string, command []string, streams Streams) error
	// Log returns the log of a pod's container; it is called without the mutex held.
	Log func(path string) string

	made int
}

// New starts a server with these objects; it ends with the test.
func New(t testing.TB, objects ...any) *Server {
	t.Helper()
	s := &Server{Objects: map[string]Object{}, Fail: map[string]Status{}, Bodies: map[string][]byte{}}
	for _, o := range objects {
		s.Add(t, o)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	s.URL = web.URL
	return s
}

// Config writes a kubeconfig with the namespace n for an API server, and returns its path.
func Config(t testing.TB, url string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: %q}}]\nusers: [{name: u, user: {}}]\ncontexts: [{name: c, context: {cluster: c, user: u, namespace: \"n\"}}]\n", url)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// plural is the second last part of an object's path, by kind.
var plural = map[string]string{
	"Pod": "pods", "StatefulSet": "statefulsets", "PersistentVolumeClaim": "persistentvolumeclaims", "PersistentVolume": "persistentvolumes",
	"StorageClass": "storageclasses", "Node": "nodes", "Event": "events", "VolumeAttachment": "volumeattachments",
	"Job": "jobs", "Role": "roles", "RoleBinding": "rolebindings", "ServiceAccount": "serviceaccounts",
	"CSIDriver": "csidrivers", "Replica": "replicas",
}

// Add stores an API object, with its kind set, at its path.
func (s *Server) Add(t testing.TB, object any) {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var o Object
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	meta := o["metadata"].(Object)
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
	s.Lock()
	defer s.Unlock()
	s.Objects[path+"/"+resource+"/"+meta["name"].(string)] = o
}

// ServeHTTP serves one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	pod, sub := filepath.Split(r.URL.Path)
	pod = strings.TrimSuffix(pod, "/")
	s.Lock()
	defer s.Unlock()
	call := r.Method + " " + r.URL.Path
	s.Asked = append(s.Asked, call)
	if status, ok := s.Fail[call]; ok {
		if status.Code != http.StatusForbidden {
			delete(s.Fail, call)
		}
		answer(w, status)
		return
	}
	object, there := s.Objects[r.URL.Path]
	switch {
	case sub == "exec" && s.Exec != nil && s.Objects[pod] != nil:
		s.Unlock()
		defer s.Lock()
		serveExec(w, r, func(streams Streams) error { return s.Exec(pod, r.URL.Query()["command"], streams) })
	case sub == "log" && s.Log != nil && s.Objects[pod] != nil:
		s.Unlock()
		defer s.Lock()
		_, _ = io.WriteString(w, s.Log(pod))
	case r.URL.Path == "/version":
		write(w, http.StatusOK, Object{"gitVersion": "v1.34.4"})
	case r.Method == http.MethodPost:
		s.create(w, r)
	case there && r.Method == http.MethodGet:
		write(w, http.StatusOK, object)
	case there && r.Method == http.MethodDelete && !meant(object, r.Body):
		answer(w, metav1.Status{Code: http.StatusConflict, Reason: metav1.StatusReasonConflict, Message: "the UID in the precondition is another one"})
	case there && r.Method == http.MethodDelete:
		if s.OnDelete == nil || s.OnDelete(r.URL.Path, object) {
			delete(s.Objects, r.URL.Path)
		}
		write(w, http.StatusOK, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Success"})
	case r.Method == http.MethodGet && isList(r.URL.Path):
		s.list(w, r)
	default:
		answer(w, metav1.Status{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound, Message: r.URL.Path + " not found"})
	}
}

// create stores a new object and gives it a UID.
func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var o Object
	if json.Unmarshal(body, &o) != nil {
		answer(w, metav1.Status{Code: http.StatusBadRequest, Message: "no JSON"})
		return
	}
	meta := o["metadata"].(Object)
	path := r.URL.Path + "/" + meta["name"].(string)
	if _, there := s.Objects[path]; there {
		answer(w, metav1.Status{Code: http.StatusConflict, Reason: metav1.StatusReasonAlreadyExists, Message: path + " already exists"})
		return
	}
	if r.URL.Query().Get("dryRun") == "All" {
		write(w, http.StatusCreated, o)
		return
	}
	s.made++
	meta["uid"] = fmt.Sprintf("uid-%d", s.made)
	if _, rest, in := strings.Cut(path, "/namespaces/"); in {
		meta["namespace"], _, _ = strings.Cut(rest, "/")
	}
	s.Objects[path], s.Bodies[path] = o, body
	if s.OnCreate != nil {
		s.OnCreate(path, o)
	}
	if s.LoseAnswer {
		// The object is made, but the client never learns of it.
		s.LoseAnswer = false
		answer(w, metav1.Status{Code: http.StatusServiceUnavailable, Reason: metav1.StatusReasonServiceUnavailable, Message: "restarting"})
		return
	}
	write(w, http.StatusCreated, o)
}

// meant reports whether the preconditions of a deletion are met; a deletion without any is refused.
func meant(object Object, body io.Reader) bool {
	var options metav1.DeleteOptions
	if json.NewDecoder(body).Decode(&options) != nil || options.Preconditions == nil || options.Preconditions.UID == nil {
		return false
	}
	return object["metadata"].(Object)["uid"] == string(*options.Preconditions.UID)
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
	write(w, int(s.Code), s)
}

func write(w http.ResponseWriter, code int, o any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(o)
}

// list returns the objects below the path, or of all namespaces.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.URL.Path, "/")
	resource := parts[len(parts)-1]
	items := []any{}
	// Sorted by name, as in the API server.
	for _, path := range slices.Sorted(maps.Keys(s.Objects)) {
		o := s.Objects[path]
		below := strings.HasPrefix(path, r.URL.Path+"/") ||
			!strings.Contains(r.URL.Path, "/namespaces/") && strings.Contains(path, "/"+resource+"/")
		if below && labelled(o, r.URL.Query().Get("labelSelector")) && involves(o, r.URL.Query().Get("fieldSelector")) {
			items = append(items, o)
		}
	}
	write(w, http.StatusOK, Object{"metadata": Object{}, "items": items})
}

// labelled matches "key" and "key=value", and comma-separated lists of them.
func labelled(o Object, selector string) bool {
	labels, _ := o["metadata"].(Object)["labels"].(Object)
	for part := range strings.SplitSeq(selector, ",") {
		key, value, equal := strings.Cut(part, "=")
		if got, there := labels[key]; part != "" && (!there || equal && got != value) {
			return false
		}
	}
	return true
}

// involves matches the field selectors of events.
func involves(o Object, selector string) bool {
	if selector == "" {
		return true
	}
	object, _ := o["involvedObject"].(Object)
	for field := range strings.SplitSeq(selector, ",") {
		name, value, _ := strings.Cut(field, "=")
		if object[strings.TrimPrefix(name, "involvedObject.")] != value {
			return false
		}
	}
	return true
}

// Forbid makes a request fail because of a missing right, with the API server's message.
func (s *Server) Forbid(verb, path, right, resource string) {
	s.Refuse(verb, path, resource+` is forbidden: User "dev" cannot `+right+` resource "`+resource+`" in API group "" in the namespace "n"`)
}

// Refuse makes a request fail as forbidden, with this message.
func (s *Server) Refuse(verb, path, message string) {
	s.Lock()
	defer s.Unlock()
	s.Fail[verb+" "+path] = metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: message}
}

// Calls returns the requests so far, as "VERB path".
func (s *Server) Calls() []string {
	s.Lock()
	defer s.Unlock()
	return slices.Clone(s.Asked)
}

// Paths returns the paths of all objects, sorted.
func (s *Server) Paths() []string {
	s.Lock()
	defer s.Unlock()
	return slices.Sorted(maps.Keys(s.Objects))
}
