package pods

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
)

// node plays an API server and the one node behind it: a pod is a process of this machine,
// and an exec into it another one, over a real websocket. Claims are bound at once.
type node struct {
	t *testing.T
	// program is what pods run, dir has a directory for each pod's state.
	program, dir string

	mu      sync.Mutex
	objects map[string]object
	made    int
	started sync.WaitGroup
}

type object = map[string]any

// newNode builds the worker, and starts a node that is ended with the test.
func newNode(t *testing.T) (*node, *kube.Client) {
	t.Helper()
	// A socket's name is short.
	dir, err := os.MkdirTemp("", "pods-")
	if err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, dir: dir, program: filepath.Join(dir, program), objects: map[string]object{}}
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", n.program, "../../../../cmd/loadline-agent").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	n.objects["/api/v1/nodes/node1"] = object{"kind": "Node", "apiVersion": "v1", "metadata": object{"name": "node1"},
		"status": object{"conditions": []object{{"type": "Ready", "status": "True"}}}}
	n.objects["/apis/storage.k8s.io/v1/storageclasses/fast"] = object{"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1",
		"metadata": object{"name": "fast"}, "provisioner": "example.com/disk", "reclaimPolicy": "Delete", "volumeBindingMode": "WaitForFirstConsumer"}
	web := httptest.NewServer(n)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
		n.started.Wait()
		os.RemoveAll(dir)
	})
	return n, reach(t, web.URL)
}

// reach is a client of an API server.
func reach(t *testing.T, url string) *kube.Client {
	t.Helper()
	config := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: %q}}]\nusers: [{name: u, user: {}}]\ncontexts: [{name: c, context: {cluster: c, user: u, namespace: \"n\"}}]\n", url)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	client, err := kube.Open(env.OS(), kube.Access{Kubeconfig: config})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func (n *node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/exec") {
		n.exec(w, r)
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	o, there := n.objects[r.URL.Path]
	switch {
	case r.URL.Path == "/version":
		_, _ = io.WriteString(w, `{"gitVersion":"v1.34.4"}`)
	case r.Method == http.MethodPost:
		if json.NewDecoder(r.Body).Decode(&o) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		n.made++
		meta := o["metadata"].(object)
		meta["uid"], meta["namespace"] = fmt.Sprintf("uid-%d", n.made), "n"
		path := r.URL.Path + "/" + meta["name"].(string)
		n.objects[path] = o
		switch {
		case strings.HasSuffix(r.URL.Path, "/pods"):
			n.run(path, o)
		case strings.HasSuffix(r.URL.Path, "/persistentvolumeclaims"):
			n.bind(o)
		}
		w.WriteHeader(http.StatusCreated)
		n.write(w, o)
	case there && r.Method == http.MethodGet:
		n.write(w, o)
	case there && r.Method == http.MethodDelete:
		n.remove(r.URL.Path, o)
		n.write(w, object{"kind": "Status", "apiVersion": "v1", "status": "Success"})
	case r.Method == http.MethodGet && !strings.Contains(strings.TrimPrefix(r.URL.Path, "/api/v1/namespaces/n/"), "/"):
		items := []object{}
		for _, path := range slices.Sorted(maps.Keys(n.objects)) {
			if strings.HasPrefix(path, r.URL.Path+"/") {
				items = append(items, n.objects[path])
			}
		}
		n.write(w, object{"metadata": object{}, "items": items})
	default:
		w.WriteHeader(http.StatusNotFound)
		n.write(w, object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "message": r.URL.Path + " not found"})
	}
}

func (n *node) write(w io.Writer, o object) {
	if err := json.NewEncoder(w).Encode(o); err != nil {
		n.t.Errorf("the node's answer: %v", err)
	}
}

// bind gives a claim its volume.
func (n *node) bind(claim object) {
	name := "volume-of-" + claim["metadata"].(object)["name"].(string)
	spec := claim["spec"].(object)
	spec["volumeName"] = name
	claim["status"] = object{"phase": "Bound", "capacity": spec["resources"].(object)["requests"], "accessModes": spec["accessModes"]}
	n.objects["/api/v1/persistentvolumes/"+name] = object{"kind": "PersistentVolume", "apiVersion": "v1", "metadata": object{"name": name},
		"spec": object{"persistentVolumeReclaimPolicy": "Delete", "storageClassName": spec["storageClassName"]}}
}

// run starts a pod's process.
func (n *node) run(path string, pod object) {
	state, err := os.MkdirTemp(n.dir, "s")
	if err != nil {
		n.t.Error(err)
		return
	}
	container := pod["spec"].(object)["containers"].([]any)[0].(object)
	var command []string
	for _, word := range container["command"].([]any) {
		command = append(command, word.(string))
	}
	cmd := n.command(state, command)
	cmd.Env = append(os.Environ(), "TMPDIR="+state)
	if err := cmd.Start(); err != nil {
		n.t.Error(err)
		return
	}
	pod["spec"].(object)["nodeName"] = "node1"
	status := func(phase string, s object) {
		pod["status"] = object{"phase": phase, "containerStatuses": []object{{"name": container["name"], "state": s}}}
	}
	status("Running", object{"running": object{}})
	pod["_"] = &process{cmd: cmd, state: state}
	n.started.Go(func() {
		_ = cmd.Wait()
		n.mu.Lock()
		defer n.mu.Unlock()
		code := cmd.ProcessState.ExitCode()
		phase, reason := "Succeeded", "Completed"
		if code != 0 {
			phase, reason = "Failed", "Error"
		}
		status(phase, object{"terminated": object{"exitCode": code, "reason": reason}})
		if meta := pod["metadata"].(object); meta["deletionTimestamp"] != nil {
			delete(n.objects, path)
		}
		os.RemoveAll(state)
	})
}

// process is what runs of a pod; it has no place in a document.
type process struct {
	cmd   *exec.Cmd
	state string
}

// MarshalJSON leaves it out of what the API server says.
func (*process) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// command is one of the pod's, with the paths that it has outside.
func (n *node) command(state string, words []string) *exec.Cmd {
	for i, word := range words {
		if words[i] = strings.ReplaceAll(word, kube.StatePath, state); word == program {
			words[i] = n.program
		}
	}
	cmd := exec.Command(words[0], words[1:]...)
	// It is not to outlive a test that is killed.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	return cmd
}

// remove deletes an object: a pod goes when its process has ended.
func (n *node) remove(path string, o object) {
	if p, is := o["_"].(*process); is && p.cmd.ProcessState == nil {
		o["metadata"].(object)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		return
	}
	delete(n.objects, path)
	if spec, is := o["spec"].(object); is && spec["volumeName"] != nil {
		delete(n.objects, "/api/v1/persistentvolumes/"+spec["volumeName"].(string))
	}
}

// left lists what was made and is still there.
func (n *node) left() (list []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(n.objects)) {
		if !strings.HasSuffix(path, "/nodes/node1") && !strings.HasSuffix(path, "/storageclasses/fast") {
			list = append(list, path)
		}
	}
	return list
}

// The channels of v5.channel.k8s.io: the first byte of each message.
const (
	stdin, stdout, stderr, failed, closed = 0, 1, 2, 3, 255
)

// exec runs a command in a pod and joins its streams with a websocket.
func (n *node) exec(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	p, is := n.objects[strings.TrimSuffix(r.URL.Path, "/exec")]["_"].(*process)
	n.mu.Unlock()
	if !is {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	up := websocket.Upgrader{Subprotocols: []string{"v5.channel.k8s.io"}}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer conn.Close()
	cmd := n.command(p.state, r.URL.Query()["command"])
	var sending sync.Mutex
	to := func(channel byte) io.Writer { return &message{conn: conn, channel: channel, mu: &sending} }
	cmd.Stdout, cmd.Stderr = to(stdout), to(stderr)
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		_, _ = io.WriteString(to(failed), fmt.Sprintf(`{"status":"Failure","message":%q}`, err))
		return
	}
	n.started.Go(func() {
		defer in.Close()
		for {
			_, data, err := conn.ReadMessage()
			if err != nil || len(data) > 1 && data[0] == closed {
				return
			}
			if len(data) > 0 && data[0] == stdin {
				if _, err := in.Write(data[1:]); err != nil {
					return
				}
			}
		}
	})
	if err := cmd.Wait(); err != nil {
		_, _ = io.WriteString(to(failed), fmt.Sprintf(`{"status":"Failure","message":%q}`, err))
		return
	}
	_, _ = io.WriteString(to(failed), `{"status":"Success"}`)
}

// message sends what is written as messages of one channel.
type message struct {
	conn    *websocket.Conn
	channel byte
	mu      *sync.Mutex
}

func (m *message) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(p), m.conn.WriteMessage(websocket.BinaryMessage, append([]byte{m.channel}, p...))
}
