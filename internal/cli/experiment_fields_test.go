package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// What a file asks for is done, or it is said that its command does not do it.
func TestFieldsThatACommandDoesNotHave(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, words string }{
		"size":               {"scenario: app\ntarget: " + dir + "\napp: {name: postgres}\nsize: 1GiB\n", "sets what is --size on the command line, and loadline app postgres has no such option"},
		"size of etcd":       {"scenario: app\ntarget: " + dir + "\napp: {name: etcd}\nsize: 1GiB\n", "loadline app etcd has no such option"},
		"sweep":              {"scenario: app\ntarget: " + dir + "\napp: {name: postgres}\nsweep: {pattern: randread, depths: [1, 2], block_sizes: [4096]}\n", "sets what is --rw on the command line"},
		"check":              {"scenario: app\ntarget: " + dir + "\napp: {name: postgres}\ncheck_cache: true\n", "sets what is --check-cache on the command line"},
		"depths of run":      {"scenario: profile\ntarget: fake:fast\nsweep: {pattern: randread, depths: [1, 2], block_sizes: [4096]}\n", "sets what is --rw on the command line, and loadline run has no such option"},
		"volumes of a sweep": {"scenario: sweep\ntarget: fake:fast\nsweep: {pattern: randread, depths: [1, 2], block_sizes: [4096]}\nscale: {workload: rand-read-iops, volumes: [1, 2]}\n", "sets what is --volumes on the command line, and loadline sweep has no such option"},
		"baseline":           {"scenario: profile\ntarget: fake:fast\nbaseline: fake:slow\n", "write scenario: baseline in the file"},
		"baseline of app":    {"scenario: app\ntarget: " + dir + "\nbaseline: " + dir + "\napp: {name: postgres}\n", "write scenario: compare in the file"},
		"image":              {"scenario: app\ntarget: " + dir + "\napp: {name: postgres, image: 'mine:1'}\n", "--image is for a server in a pod"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "experiment.yaml")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, verb := range []string{"run", "plan"} {
				refused(t, c.words, verb, "--experiment", file, "--allow-programs")
			}
		})
	}
}

func TestAFileThatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	refused(t, "next: ls "+dir+" shows which files are there", "plan", "app", "postgres", dir, "--script", filepath.Join(dir, "none.sql"))
	refused(t, "--image is for a server in a pod", "plan", "app", "postgres", dir, "--image", "mine:1")
}

// Looking at another command's flags resets none that were typed.
func TestTypedFlagsStay(t *testing.T) {
	e := env.OS()
	e.Yes, e.Output.Verbose = true, true
	unusedRoot(e)
	if err := checkFields(e, model.Experiment{Scenario: profile.Name, Target: "fake:fast"}, "x.yaml"); err != nil {
		t.Error(err)
	}
	if !e.Yes || !e.Output.Verbose {
		t.Errorf("yes %v, verbose %v", e.Yes, e.Output.Verbose)
	}
}

// Values of the configuration that do not apply to what an application is asked to do are left out: an image without a
// pod, and a profile beside a load.
func TestConfiguredValuesOfAnApplication(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("profile: quick\ncommands:\n  app: {image: 'mine:1'}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args           []string
		image, profile bool
	}{
		{[]string{"plan", "app", "postgres", t.TempDir()}, false, true},
		{[]string{"plan", "app", "postgres", t.TempDir(), "--rate", "500"}, false, false},
		{[]string{"plan", "app", "postgres", t.TempDir(), "--rate", "500", "--latency-limit", "10ms"}, false, false},
		{[]string{"plan", "app", "postgres", "sc:x", "--kubeconfig", "/nowhere"}, true, true},
		// The precision ends it before anything is touched.
		{[]string{"app", "postgres", t.TempDir(), "--baseline", "sc:x", "--precision", "lots"}, true, true},
		{[]string{"compare", "app", "postgres", "sc:x", t.TempDir(), "--precision", "lots"}, true, true},
		{[]string{"compare", "app", "postgres", t.TempDir(), t.TempDir(), "--rate", "500", "--precision", "lots"}, false, false},
	} {
		_, _, errs := runLoadline(t, append(c.args, "--config", file)...)
		if strings.Contains(errs, "--image=mine:1") != c.image || strings.Contains(errs, "--profile=quick") != c.profile ||
			strings.Contains(errs, "--image is for a server in a pod") || strings.Contains(errs, "--profile selects") {
			t.Errorf("%v: %s", c.args, errs)
		}
	}
}
