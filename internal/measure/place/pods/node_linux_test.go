package pods

import (
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/cluster/kube/kubetest"
	"github.com/loadline/loadline/internal/env"
)

// node is the single node behind a fake API server: a pod is a process on this machine, and an exec into it
// another one. Claims are bound at once.
type node struct {
	*kubetest.Server
	t *testing.T
	// program is what pods run, whole what tracers run (if a test has built it), and dir has a directory
	// for each pod's state.
	program, whole, dir string
	// processes are those of the pods, by the pods' paths; the server's mutex protects them.
	processes map[string]*process
	started   sync.WaitGroup
}

type object = kubetest.Object

// newNode builds the worker, and starts a node that ends with the test.
func newNode(t *testing.T) (*node, *kube.Client) {
	t.Helper()
	// A socket's path must be short.
	dir, err := os.MkdirTemp("", "pods-")
	if err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, dir: dir, program: filepath.Join(dir, program), processes: map[string]*process{}}
	t.Cleanup(func() {
		n.started.Wait()
		os.RemoveAll(dir)
	})
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", n.program, "../../../../cmd/loadline-agent").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	n.Server = kubetest.New(t,
		object{"kind": "Node", "apiVersion": "v1", "metadata": object{"name": "node1"}, "status": object{"conditions": []object{{"type": "Ready", "status": "True"}}}},
		object{"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1", "metadata": object{"name": "fast"},
			"provisioner": "example.com/disk", "reclaimPolicy": "Delete", "volumeBindingMode": "WaitForFirstConsumer"})
	n.OnCreate = func(path string, o object) {
		switch {
		case strings.Contains(path, "/pods/"):
			n.run(path, o)
		case strings.Contains(path, "/statefulsets/"):
			n.runSet(path, o)
		case strings.Contains(path, "/persistentvolumeclaims/"):
			n.bind(o)
		}
	}
	n.OnDelete, n.Exec = n.remove, n.exec
	return n, reach(t, n.URL)
}

// reach returns a client of an API server.
func reach(t *testing.T, url string) *kube.Client {
	t.Helper()
	client, err := kube.Open(env.OS(), kube.Access{Kubeconfig: kubetest.Config(t, url)})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// bind gives a claim its volume.
func (n *node) bind(claim object) {
	name := "volume-of-" + claim["metadata"].(object)["name"].(string)
	spec := claim["spec"].(object)
	spec["volumeName"] = name
	claim["status"] = object{"phase": "Bound", "capacity": spec["resources"].(object)["requests"], "accessModes": spec["accessModes"]}
	n.Objects["/api/v1/persistentvolumes/"+name] = object{"kind": "PersistentVolume", "apiVersion": "v1", "metadata": object{"name": name},
		"spec": object{"persistentVolumeReclaimPolicy": "Delete", "storageClassName": spec["storageClassName"]}}
}

// runSet makes the pod of a StatefulSet.
func (n *node) runSet(path string, set object) {
	template, head := set["spec"].(object)["template"].(object), set["metadata"].(object)
	meta := maps.Clone(template["metadata"].(object))
	meta["name"], meta["namespace"], meta["uid"] = head["name"].(string)+"-0", head["namespace"], head["uid"].(string)+"-0"
	pod := object{"kind": "Pod", "apiVersion": "v1", "metadata": meta, "spec": maps.Clone(template["spec"].(object))}
	n.Objects[podOf(path)] = pod
	n.run(podOf(path), pod)
}

// podOf returns the path of a StatefulSet's pod.
func podOf(set string) string {
	return strings.NewReplacer("/apis/apps/v1/", "/api/v1/", "/statefulsets/", "/pods/").Replace(set) + "-0"
}

// run starts a pod's process.
func (n *node) run(path string, pod object) {
	state, err := os.MkdirTemp(n.dir, "s")
	if err != nil {
		n.t.Error(err)
		return
	}
	spec := pod["spec"].(object)
	if first, has := spec["initContainers"].([]any); has {
		if err := os.Mkdir(filepath.Join(state, kube.ProgramCopyPath), 0o755); err != nil {
			n.t.Error(err)
		}
		if out, err := n.command(state, commandOf(first[0])).CombinedOutput(); err != nil {
			n.t.Errorf("%v: %s", err, out)
		}
	}
	container := spec["containers"].([]any)[0].(object)
	cmd := n.command(state, commandOf(container))
	cmd.Env = append(os.Environ(), "TMPDIR="+state)
	if err := cmd.Start(); err != nil {
		n.t.Error(err)
		return
	}
	spec["nodeName"] = "node1"
	status := func(phase string, s object) {
		pod["status"] = object{"phase": phase, "containerStatuses": []object{{"name": container["name"], "state": s}}}
	}
	status("Running", object{"running": object{}})
	n.processes[path] = &process{cmd: cmd, state: state}
	n.started.Go(func() {
		_ = cmd.Wait()
		n.Lock()
		defer n.Unlock()
		code := cmd.ProcessState.ExitCode()
		phase, reason := "Succeeded", "Completed"
		if code != 0 {
			phase, reason = "Failed", "Error"
		}
		status(phase, object{"terminated": object{"exitCode": code, "reason": reason}})
		if meta := pod["metadata"].(object); meta["deletionTimestamp"] != nil {
			delete(n.Objects, path)
		}
		os.RemoveAll(state)
	})
}

// commandOf returns the command of a container.
func commandOf(container any) (command []string) {
	for _, word := range container.(object)["command"].([]any) {
		command = append(command, word.(string))
	}
	return command
}

// process is the running process of a pod.
type process struct {
	cmd   *exec.Cmd
	state string
}

// command returns a pod's command, with paths replaced by those outside of the pod.
func (n *node) command(state string, words []string) *exec.Cmd {
	for i, word := range words {
		if words[i] = strings.NewReplacer(kube.StatePath, state, kube.ProgramCopyPath, filepath.Join(state, kube.ProgramCopyPath)).Replace(word); word == program {
			words[i] = n.program
		} else if word == tracer {
			words[i] = n.whole
		}
	}
	cmd := exec.Command(words[0], words[1:]...)
	// It must not survive a test that is killed.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	return cmd
}

// remove reports whether an object is removed at once: a pod is removed when its process has ended.
func (n *node) remove(path string, o object) bool {
	if pod := podOf(path); pod != path+"-0" && n.Objects[pod] != nil && n.remove(pod, n.Objects[pod]) {
		delete(n.Objects, pod)
	}
	if p := n.processes[path]; p != nil && p.cmd.ProcessState == nil {
		o["metadata"].(object)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		return false
	}
	if spec, is := o["spec"].(object); is && spec["volumeName"] != nil {
		delete(n.Objects, "/api/v1/persistentvolumes/"+spec["volumeName"].(string))
	}
	return true
}

// left lists what was created and is still there.
func (n *node) left() []string {
	return slices.DeleteFunc(n.Paths(), func(path string) bool {
		return strings.HasSuffix(path, "/nodes/node1") || strings.HasSuffix(path, "/storageclasses/fast")
	})
}

// exec runs a command in a pod.
func (n *node) exec(path string, command []string, streams kubetest.Streams) error {
	n.Lock()
	p := n.processes[path]
	n.Unlock()
	if p == nil {
		return errors.New("the pod has no process")
	}
	cmd := n.command(p.state, command)
	cmd.Stdout, cmd.Stderr = streams.Out, streams.Err
	// Not cmd.Stdin: Wait would wait for the end of the input as well.
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	n.started.Go(func() {
		_, _ = io.Copy(in, streams.In)
		in.Close()
	})
	return cmd.Wait()
}
