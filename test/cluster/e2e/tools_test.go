package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// outcome is the result of a command.
type outcome struct {
	code           int
	stdout, stderr string
}

// commandTimeout bounds one command: nothing may hang.
const commandTimeout = 4 * time.Minute

// kubeconfig returns a file for access to the cluster as the user as, or as the administrator if as is "".
func kubeconfig(t testing.TB, as string) string {
	t.Helper()
	data, err := os.ReadFile(lab.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	if as != "" {
		data = bytes.Replace(data, []byte("user: {token: "), []byte(`user: {as: "`+as+`", token: `), 1)
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// command prepares loadline to run in a namespace, as the user as.
func command(ctx context.Context, t testing.TB, namespace, as string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(ctx, loadline, append(args, "--namespace", namespace)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig(t, as), "LOADLINE_IMAGE="+image)
	return cmd
}

// run runs loadline to its end.
func run(t *testing.T, namespace string, args ...string) outcome {
	t.Helper()
	return runAs(t, "", namespace, args...)
}

func runAs(t *testing.T, as, namespace string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), commandTimeout)
	defer cancel()
	cmd := command(ctx, t, namespace, as, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	o := outcome{code: codeOf(t, cmd.Run()), stdout: stdout.String(), stderr: stderr.String()}
	if ctx.Err() != nil {
		t.Fatalf("loadline %s hung: %s", strings.Join(args, " "), o.stderr)
	}
	return o
}

func codeOf(t testing.TB, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return 0
}

// begun starts loadline and waits until its progress contains words.
func begun(t *testing.T, namespace, words string, args ...string) (cmd *exec.Cmd, stderr *logged) {
	t.Helper()
	cmd = command(t.Context(), t, namespace, "", args...)
	stderr = &logged{}
	cmd.Stderr = stderr
	start(t, cmd, stderr, words)
	return cmd, stderr
}

func start(t *testing.T, cmd *exec.Cmd, stderr *logged, words string) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	for deadline := time.Now().Add(commandTimeout); !strings.Contains(stderr.String(), words); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %q within %s: %s", words, commandTimeout, stderr)
		}
	}
}

// ended waits for the end of what begun started.
func ended(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		return codeOf(t, err)
	case <-time.After(commandTimeout):
		_ = cmd.Process.Signal(syscall.SIGQUIT)
		t.Fatal("loadline hung")
	}
	return 0
}

// kubectl runs as the administrator and returns what it printed.
func kubectl(t testing.TB, args ...string) string {
	t.Helper()
	return kubectlIn(t, "", args...)
}

func kubectlIn(t testing.TB, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command(lab.Program("kubectl"), append([]string{"--kubeconfig", lab.Kubeconfig()}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// namespace makes a namespace that enforces a Pod Security standard.
func namespace(t testing.TB, name, standard string) string {
	t.Helper()
	kubectl(t, "create", "namespace", name)
	kubectl(t, "label", "namespace", name, "pod-security.kubernetes.io/enforce="+standard)
	t.Cleanup(func() { kubectl(t, "delete", "namespace", name, "--wait=false") })
	return name
}

// nothingLeft fails if anything of Loadline's is still in a namespace.
func nothingLeft(t *testing.T, namespace string) {
	t.Helper()
	if left := kubectl(t, "get", "pods,pvc,statefulsets", "-n", namespace, "-l", "loadline/run", "-o", "name"); left != "" {
		t.Errorf("left in %s: %s", namespace, left)
	}
}

// waitNothingLeft is for runs that had to leave before their objects were gone.
func waitNothingLeft(t *testing.T, namespace string) {
	t.Helper()
	kubectl(t, "wait", "pods,pvc,statefulsets", "-n", namespace, "-l", "loadline/run", "--for=delete", "--timeout=180s")
}

// environment is what the tests read about where a run was.
type environment struct {
	Hostname string
	Cluster  struct {
		Node, Class, Provisioner, Mode, Claim, Volume, Driver string
		Access                                                []string
		Made, Root                                            bool
		Backing                                               backing
		Spread                                                struct {
			Volumes, Nodes, Eligible int
			Why                      string
		}
	}
	Storage struct{ Filesystem, Device string }
}

// backing is what they read about what a storage system reports.
type backing struct {
	Adapter, Version, Engine, Locality string
	Replicas, Healthy                  int
	Nodes, Unknown                     []string
}

// report is what the tests read of a report.
type report struct {
	Run struct {
		Status, Profile, Note string
		Environment           environment
	}
	Results []struct {
		Workload, Metric, Verdict string
		Estimate, Seconds         float64
		Series                    []float64
	}
	Findings []struct{ Rule, Severity, Message string }
}

func decode(t *testing.T, o outcome, document any) {
	t.Helper()
	if err := json.Unmarshal([]byte(o.stdout), document); err != nil {
		t.Fatalf("exit code %d, no document: %v\n%s%s", o.code, err, o.stdout, o.stderr)
	}
}

// measured returns the report of a completed run. On a busy machine it may be
// judged invalid.
func measured(t *testing.T, o outcome) report {
	t.Helper()
	var r report
	decode(t, o, &r)
	if o.code != 0 && o.code != 5 || r.Run.Status != "complete" {
		t.Errorf("exit code %d, %s: %s", o.code, r.Run.Status, o.stderr)
	}
	return r
}

// carries fails unless the rate is true within 3 %. A rate that Loadline itself does
// not call valid, as on a machine that is busy with something else, may be too low.
func (r report) carries(t *testing.T, truth float64) {
	t.Helper()
	for _, res := range r.Results {
		if res.Metric != "iops" {
			continue
		}
		if res.Estimate > 1.03*truth || res.Estimate < 0.97*truth && res.Verdict == "valid" {
			t.Errorf("%s: %.0f where the disk carries %.0f (%s)", res.Workload, res.Estimate, truth, res.Verdict)
		} else if res.Verdict != "valid" {
			t.Logf("not judged: %s, %.0f, is %s", res.Workload, res.Estimate, res.Verdict)
		}
		return
	}
	t.Errorf("no rate in %+v", r.Results)
}
