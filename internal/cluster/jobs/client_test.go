package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/cluster/kube/kubetest"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
)

// fails checks the class and message of an error, and its hint.
func fails(t *testing.T, err error, class model.ErrorClass, words, next string) {
	t.Helper()
	var w *model.WorkerError
	if !errors.As(err, &w) || w.Class != class || !strings.Contains(err.Error(), words) || !strings.Contains(w.Hint, next) {
		t.Errorf("%v; want %s: %q, next %q", err, class, words, next)
	}
}

// TestAJobMeasuresWhatItIsAsked checks that the container reads the experiment byte for byte from
// the file named by the command, that its output is shown here, and that its run directory and exit
// code are fetched. Taking the Job down leaves nothing behind.
func TestAJobMeasuresWhatItIsAsked(t *testing.T) {
	c := newCluster(t)
	c.work = func(_ context.Context, dir string, files map[string]string, said io.Writer) int {
		if want := map[string]string{kube.ExperimentPath: string(job.Experiment)}; !cmp.Equal(want, files) {
			t.Error(cmp.Diff(want, files))
		}
		fmt.Fprintln(said, "[1/2] rand-read-iops")
		if err := measured(dir); err != nil {
			t.Error(err)
		}
		return 3
	}
	if err := c.client.MakeJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	results := filepath.Join(t.TempDir(), "results")
	f, said := c.follower(results)
	dirs, code, err := f.Fetch(t.Context())
	if want := []string{filepath.Join(results, "20260102-030405-sc-fast")}; err != nil || code != 3 || !slices.Equal(dirs, want) {
		t.Fatalf("%q, exit code %d, %v", dirs, code, err)
	}
	if err := store.CheckRun(dirs[0]); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(dirs[0], "experiment.yaml")); err != nil || string(text) != string(job.Experiment) {
		t.Errorf("%q, %v", text, err)
	}
	if !strings.Contains(said.String(), "[1/2] rand-read-iops") {
		t.Errorf("what the Job said was not shown: %s", said)
	}
	// It was released: it does not wait the hour for which it would keep its results.
	over := make(chan struct{})
	go func() {
		c.all.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(30 * time.Second):
		t.Fatal("the pod still keeps results that have been fetched")
	}
	run, made := f.Made()
	if run != "loadline-j" || !made {
		t.Errorf("run %q, made %v", run, made)
	}
	if err := f.TakeDown(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if left := c.Paths(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestTakeDownLeavesTheOthers checks that objects made by other runs stay, and that workers left by
// the Job's own pod when it was killed are removed with it.
func TestTakeDownLeavesTheOthers(t *testing.T) {
	worker := func(name, run, driver string) object {
		return object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": name, "namespace": "n",
			"labels": object{kube.Label: run}, "annotations": object{"loadline/driver": driver}}}
	}
	c := newCluster(t)
	c.work = func(context.Context, string, map[string]string, io.Writer) int { return 0 }
	c.Add(t, worker("w1", "inner", "loadline-j-x/7/8"))
	c.Add(t, worker("w2", "other", "elsewhere/7/8"))
	if err := c.client.MakeJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	f, _ := c.follower(t.TempDir())
	if _, _, err := f.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.TakeDown(t.Context(), "loadline-j"); err != nil {
		t.Fatal(err)
	}
	if left, want := c.Paths(), []string{"/api/v1/namespaces/n/pods/w2"}; !slices.Equal(left, want) {
		t.Errorf("left: %q", left)
	}
	// The second time there is nothing to remove, which is not an error.
	if err := f.TakeDown(t.Context(), "loadline-j"); err != nil {
		t.Error(err)
	}
}

// TestAnInterrupt checks that an interrupt ends the work if so configured, and that its results so
// far are fetched; otherwise the Job continues without us.
func TestAnInterrupt(t *testing.T) {
	for name, stops := range map[string]bool{"stops the work": true, "leaves it": false} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.work = func(ctx context.Context, dir string, _ map[string]string, said io.Writer) int {
				fmt.Fprintln(said, "[1/2] rand-read-iops")
				<-ctx.Done()
				if err := measured(dir); err != nil {
					t.Error(err)
				}
				return 130
			}
			if err := c.client.MakeJob(t.Context(), job); err != nil {
				t.Fatal(err)
			}
			ctx, interrupt := context.WithCancel(t.Context())
			f, said := c.follower(t.TempDir())
			f.Stops, f.Show = stops, func(string) { interrupt() }
			dirs, code, err := f.Fetch(ctx)
			switch {
			case stops && (err != nil || code != 130 || len(dirs) != 1 || !strings.Contains(said.String(), "stopping the work in the Job")):
				t.Errorf("%q, exit code %d, %v; %s", dirs, code, err, said)
			case !stops && !errors.Is(err, context.Canceled):
				t.Errorf("%q, exit code %d, %v", dirs, code, err)
			}
		})
	}
}

// TestWhatIsNotHome checks that results that were not fetched are named, with where they wait or
// what remains of them.
func TestWhatIsNotHome(t *testing.T) {
	report, err := os.ReadFile("../../show/report/jsonout/testdata/empty.json")
	if err != nil {
		t.Fatal(err)
	}
	gone := func(c *cluster) {
		c.Lock()
		defer c.Unlock()
		c.Objects[podPath]["status"] = ended(137, "OOMKilled")
	}
	refuse := func(c *cluster, verb, path string) { c.Forbid(verb, path, "get", "pods/log") }
	for name, test := range map[string]struct {
		// before runs before the Job is followed.
		before func(c *cluster)
		work   func(dir string) error
		// words and next are expected in the error; saved is the file that is fetched nevertheless.
		words, next, saved string
	}{
		"no directory of results": {work: func(dir string) error { return os.Mkdir(filepath.Join(dir, "odd"), 0o755) },
			words: `the results of the Job loadline-j could not be fetched: "odd" in it is not a directory of results`, next: "loadline fetch loadline-j --namespace n"},
		"pod gone, report in its log": {before: func(c *cluster) {
			c.Log = func(string) string {
				return "[1/2] rand-read-iops\n" + string(report) + "kept    the results until then\n"
			}
			gone(c)
		}, words: "is gone with its pod: the pod loadline-j-x was killed because it used more memory than it may (OOMKilled); the report was still in its log", next: "loadline report ", saved: "loadline-j/report.json"},
		"pod gone, report torn": {before: func(c *cluster) {
			c.Log = func(string) string { return string(report[:len(report)/2]) }
			gone(c)
		}, words: "the run directory of the Job loadline-j is gone with its pod", next: "kubectl logs -n n job/loadline-j"},
		"pod gone, log not to be read": {before: func(c *cluster) {
			refuse(c, "GET", podPath+"/log")
			gone(c)
		}, words: "the run directory of the Job loadline-j is gone with its pod", next: "run it again"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.work = func(ctx context.Context, dir string, _ map[string]string, _ io.Writer) int {
				if test.work == nil {
					<-ctx.Done()
					return 1
				}
				if err := test.work(dir); err != nil {
					t.Error(err)
				}
				return 0
			}
			if err := c.client.MakeJob(t.Context(), job); err != nil {
				t.Fatal(err)
			}
			if test.before != nil {
				test.before(c)
			}
			results := filepath.Join(t.TempDir(), "results")
			f, _ := c.follower(results)
			dirs, _, err := f.Fetch(t.Context())
			fails(t, err, model.Broken, test.words, test.next)
			if len(dirs) > 0 {
				t.Errorf("%q came all the same", dirs)
			}
			if test.saved == "" {
				return
			}
			if saved, err := os.ReadFile(filepath.Join(results, test.saved)); err != nil || string(saved) != string(report) {
				t.Errorf("%v: %.60q", err, saved)
			}
		})
	}
}

// TestAJobThatIsNotToBeHad checks a Job that does not exist, an invalid name and missing rights;
// nothing is made before these are checked.
func TestAJobThatIsNotToBeHad(t *testing.T) {
	c := newCluster(t)
	f, _ := c.follower(t.TempDir())
	_, _, err := f.Fetch(t.Context())
	fails(t, err, model.Refused, "there is no Job loadline-j in the namespace n", "--namespace")

	// Making an object before the Job is refused: no Job.
	c.Forbid("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/n/rolebindings", "create", "rolebindings")
	fails(t, c.client.MakeJob(t.Context(), job), model.Refused, "the right to create rolebindings in the namespace n is missing", "deploy/role.yaml")
	if slices.Contains(c.Paths(), jobPath) {
		t.Error("the Job was made without its rights")
	}
	// What was made until then is removed, although the Job does not exist.
	if err := f.TakeDown(t.Context(), "loadline-j"); err != nil || len(c.Paths()) > 0 {
		t.Errorf("%v, left: %q", err, c.Paths())
	}
}

// TestAPodThatDoesNotGo checks that a pod that stays is reported with the command that removes it
// later.
func TestAPodThatDoesNotGo(t *testing.T) {
	c := newCluster(t)
	c.work = func(context.Context, string, map[string]string, io.Writer) int { return 0 }
	if err := c.client.MakeJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	c.Lock()
	c.OnDelete = func(string, kubetest.Object) bool { return false }
	c.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	f, _ := c.follower(t.TempDir())
	fails(t, f.TakeDown(ctx, "loadline-j"), model.Broken, "still there: ", "loadline cleanup --namespace n")
}

// TestChoose checks that a Job is chosen by name or because it is the only one, and that another
// cluster's error is reported.
func TestChoose(t *testing.T) {
	pod := func(name, job string) object {
		return object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": name, "namespace": "n", "labels": object{kube.Label: job, "job-name": job}}}
	}
	c := newCluster(t)
	for args, want := range map[string]string{"job/mine": "mine", "loadline-20260102": "loadline-20260102"} {
		if got, err := Choose(t.Context(), c.client, []string{args}); err != nil || got != want {
			t.Errorf("%s: %q, %v", args, got, err)
		}
	}
	for _, odd := range []string{"Job", "job/", "a b", "-a", "a/b"} {
		_, err := Choose(t.Context(), c.client, []string{odd})
		fails(t, err, model.Refused, "is not the name of a Job", "write NAME or job/NAME")
	}
	_, err := Choose(t.Context(), c.client, nil)
	fails(t, err, model.Refused, "the namespace n has no Job of loadline's", "--namespace")
	c.Add(t, pod("a-x", "a"))
	if got, err := Choose(t.Context(), c.client, nil); err != nil || got != "a" {
		t.Errorf("%q, %v", got, err)
	}
	c.Add(t, pod("b-x", "b"))
	_, err = Choose(t.Context(), c.client, nil)
	fails(t, err, model.Refused, "several Jobs of loadline's", "loadline fetch one of them: a, b")
	c.Lock()
	c.Fail["GET /api/v1/namespaces/n/pods"] = kubetest.Status{Code: http.StatusUnauthorized, Reason: "Unauthorized", Message: "Unauthorized"}
	c.Unlock()
	_, err = Choose(t.Context(), c.client, nil)
	fails(t, err, model.Refused, "does not accept your credentials", "log in again")
}

// TestReportIn checks that the document is found among the lines of progress, and that a truncated
// one is recognised.
func TestReportIn(t *testing.T) {
	for name, test := range map[string]struct {
		log, want string
		whole     bool
	}{
		"alone":                {"{\n  1\n}\n", "{\n  1\n}\n", true},
		"after progress":       {"[1/2] {\n{\n  1\n}\nkept\n", "{\n  1\n}\n", true},
		"braces within a line": {"say {\n}\n", "", false},
		"torn":                 {"x\n{\n  1\n", "", false},
		"empty":                {"", "", false},
	} {
		if doc, whole := reportIn([]byte(test.log)); string(doc) != test.want || whole != test.whole {
			t.Errorf("%s: %q, %v", name, doc, whole)
		}
	}
}

// Results that cannot be saved here are still in the Job, and can be fetched to another place.
func TestWhatCannotBeSavedHereWaits(t *testing.T) {
	c := newCluster(t)
	c.work = func(_ context.Context, dir string, _ map[string]string, _ io.Writer) int {
		if err := measured(dir); err != nil {
			t.Error(err)
		}
		return 0
	}
	if err := c.client.MakeJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, _ := c.follower(filepath.Join(file, "results"))
	if f.Holds() {
		t.Error("nothing is known of it yet")
	}
	_, _, err := f.Fetch(t.Context())
	fails(t, err, model.Broken, "could not be fetched", "loadline fetch "+f.Job)
	if !f.Holds() {
		t.Error("its results would be removed")
	}
	again, _ := c.follower(t.TempDir())
	if dirs, code, err := again.Fetch(t.Context()); err != nil || code != 0 || len(dirs) != 1 {
		t.Errorf("%q, exit code %d, %v", dirs, code, err)
	}
}
