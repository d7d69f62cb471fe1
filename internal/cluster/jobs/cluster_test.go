package jobs

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/cluster/archive"
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/cluster/kube/kubetest"
	"github.com/loadline/loadline/internal/cluster/link"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/results"
)

// runs is what the command knows of run directories.
var runs = Runs{Check: results.Check, Keeps: results.Keeps, SaveReport: results.SaveReport}

type object = kubetest.Object

// cluster is an API server with the Job controller and one kubelet: a Job that is made gets a pod,
// which runs a work function of the test and keeps its results, and into which an exec connects to
// the real link.
type cluster struct {
	*kubetest.Server
	t      *testing.T
	client *kube.Client
	// work is what the Job's container does, with its results in dir and its input in files, as the
	// kubelet writes it into the container; it returns the exit code.
	work func(ctx context.Context, dir string, files map[string]string, said io.Writer) int
	// hold is how long results are kept.
	hold time.Duration
	// dir is the container's results directory.
	dir string
	// stop deletes the pod.
	stop context.CancelFunc
	all  sync.WaitGroup
}

const (
	jobPath = "/apis/batch/v1/namespaces/n/jobs/loadline-j"
	podPath = "/api/v1/namespaces/n/pods/loadline-j-x"
)

func newCluster(t *testing.T) *cluster {
	t.Helper()
	// The path of a socket must be short.
	dir, err := os.MkdirTemp("", "jobs-")
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, dir: dir, hold: time.Hour, stop: func() {}}
	t.Cleanup(func() {
		c.stop()
		c.all.Wait()
		os.RemoveAll(dir)
	})
	c.Server = kubetest.New(t)
	c.OnCreate = func(path string, o object) {
		if path == jobPath {
			c.start(o["spec"].(object)["template"].(object))
		}
	}
	c.OnDelete = func(path string, _ object) bool {
		if path == jobPath {
			c.stop()
			delete(c.Objects, podPath)
		}
		return true
	}
	c.Exec = func(path string, command []string, streams kubetest.Streams) error {
		if want := []string{"loadline-agent", "--attach", "/results/.kept"}; path != podPath || !slices.Equal(command, want) {
			return fmt.Errorf("%q in %s, want %q", command, path, want)
		}
		return link.Attach(t.Context(), env.Clock{}, filepath.Join(dir, archive.Folder), streams.In, streams.Out)
	}
	if c.client, err = kube.Open(env.OS(), kube.Access{Kubeconfig: kubetest.Config(t, c.URL)}); err != nil {
		t.Fatal(err)
	}
	return c
}

// start makes the Job's pod from its template, and does its work.
func (c *cluster) start(template object) {
	meta, spec := template["metadata"].(object), template["spec"].(object)
	meta["name"], meta["namespace"], meta["uid"] = "loadline-j-x", "n", "uid-of-the-pod"
	meta["labels"].(object)["job-name"] = "loadline-j"
	pod := object{"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": object{"phase": "Running"}}
	c.Objects[podPath] = pod
	files := c.mounted(meta, spec)
	ctx, stop := context.WithCancel(c.t.Context())
	c.stop = stop
	c.all.Go(func() {
		code, err := archive.Keep(ctx, archive.Options{Dir: c.dir, Limit: c.hold, Say: func(archive.Status) {}}, func(ctx context.Context, said io.Writer) int {
			return c.work(ctx, c.dir, files, said)
		})
		if err != nil {
			c.t.Error(err)
		}
		c.Lock()
		defer c.Unlock()
		pod["status"] = ended(code, "Completed")
	})
}

// ended returns the status of a pod whose container has ended.
func ended(code int, reason string) object {
	return object{"phase": "Failed", "containerStatuses": []object{{"name": "loadline", "state": object{"terminated": object{"exitCode": code, "reason": reason}}}}}
}

// annotation matches the path of a field that the downward API writes to a file.
var annotation = regexp.MustCompile(`^metadata\.annotations\['(.+)'\]$`)

// mounted returns the files that a kubelet makes from a pod's downward API volumes, by their paths
// in the container.
func (c *cluster) mounted(meta, spec object) map[string]string {
	files := map[string]string{}
	for _, v := range spec["volumes"].([]any) {
		volume := v.(object)
		downward, is := volume["downwardAPI"].(object)
		if !is {
			continue
		}
		for _, m := range spec["containers"].([]any)[0].(object)["volumeMounts"].([]any) {
			mount := m.(object)
			if mount["name"] != volume["name"] {
				continue
			}
			for _, i := range downward["items"].([]any) {
				item := i.(object)
				field := annotation.FindStringSubmatch(item["fieldRef"].(object)["fieldPath"].(string))
				if field == nil {
					c.t.Errorf("a field that is no annotation: %v", item)
					continue
				}
				files[mount["mountPath"].(string)+"/"+item["path"].(string)] = meta["annotations"].(object)[field[1]].(string)
			}
		}
	}
	return files
}

// job is a Job of Loadline's own to be made.
var job = kube.JobSpec{Name: "loadline-j", Made: kube.Made{Run: "loadline-j", Driver: "here/1/2", Token: "ours"},
	Where: kube.Where{Image: "i:1"}, Command: []string{"loadline", "job", "--", "run", "--experiment", kube.ExperimentPath},
	Experiment: []byte("scenario: profile\ntarget: sc:fast\nnote: $(HOME) costs $5\n")}

// follower returns a client for that Job, and collects what it says and shows.
func (c *cluster) follower(results string) (f *Client, said *words) {
	said = &words{}
	return &Client{Cluster: c.client, Job: "loadline-j", Ready: 10 * time.Second, Results: results, Runs: runs, Say: said.add, Show: said.add}, said
}

// words collects lines from several goroutines.
type words struct {
	mu   sync.Mutex
	list []string
}

func (w *words) add(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, line)
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.list, "\n")
}

// measured leaves a run directory, as a measurement does.
func measured(dir string) error {
	now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	w, err := store.Create(dir, now, store.Start{Experiment: job.Experiment, Plan: model.Plan{Schema: model.PlanSchema}, Run: model.Run{Schema: model.RunSchema, ID: "20260102-030405-sc-fast", Started: now()}})
	if err != nil {
		return err
	}
	return w.Finish(model.Complete, "")
}
