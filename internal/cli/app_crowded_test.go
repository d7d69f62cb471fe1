package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/loadline/loadline/test/lab"
)

// Two sides that each fit, but not both together, are refused before anything is created.
func TestAppPostgresRefusesTwoSidesThatDoNotFitTogether(t *testing.T) {
	databaseDir(t)
	// There is room for one side of 1.5 GiB.
	full := lab.Tmpfs(t, 2500<<20)
	in := func(name string) string {
		dir := filepath.Join(full, name)
		if err := os.Mkdir(dir, 0o711); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	a, b, elsewhere, other := in("a"), in("b"), databaseDir(t), databaseDir(t)
	for name, x := range map[string]struct {
		words string
		args  []string
	}{
		"data":                  {a + " and " + b + " are on one filesystem: what is to be there takes 3.03 GiB together, and it can spare 2.3", []string{b, "--baseline", a}},
		"logs":                  {a + " and " + b + " are on one filesystem: what is to be there takes 3 GiB together, and it can spare 2.3", []string{elsewhere, "--wal", b, "--baseline", other, "--baseline-wal", a}},
		"data, and other's log": {"are on one filesystem: what is to be there takes 3.01 GiB together, and it can spare 2.3", []string{elsewhere, "--wal", b, "--baseline", a}},
	} {
		results := filepath.Join(t.TempDir(), "results")
		refused(t, x.words, append([]string{"app", "postgres", "--results", results, "--scale", "1", "--load", "simple", "--clients", "1", "--max-time", "40s", "--precision", "50%"}, x.args...)...)
		if _, err := os.Stat(results); err == nil {
			t.Errorf("%s: a run was saved", name)
		}
		for _, dir := range []string{a, b, elsewhere, other} {
			empty(t, dir)
		}
	}
}
