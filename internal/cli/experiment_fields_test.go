package cli

import (
	"os"
	"path/filepath"
	"testing"
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
