package conventions

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/loadline/loadline/test/lab"
)

// TestTheEmbeddedPageIsThatOfItsSources generates the types of the documents and builds the
// front end, and compares both with what is committed: everything in the program comes from
// its sources.
func TestTheEmbeddedPageIsThatOfItsSources(t *testing.T) {
	lab.Need(t, "node")
	web := filepath.Join(root, "web")
	lab.NeedPackages(t, web)
	types := filepath.Join(t.TempDir(), "documents.ts")
	for _, args := range [][]string{{"types.mjs", types}, {"node_modules/typescript/bin/tsc", "--noEmit"}, {"build.mjs", t.TempDir()}} {
		cmd := exec.Command("node", args...)
		cmd.Dir = web
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("node %v: %v\n%s", args, err, out)
		}
		if args[0] == "types.mjs" {
			want, err := os.ReadFile(types)
			got, err2 := os.ReadFile(filepath.Join(web, "src/documents.ts"))
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, got) {
				t.Error("web/src/documents.ts is not what the schemas in docs/ give: run make web and commit it")
			}
		}
		if args[0] != "build.mjs" {
			continue
		}
		for name, embedded := range map[string]string{"report": "internal/show/report/html/assets", "library": "internal/show/serve/assets"} {
			same(t, filepath.Join(args[1], name), filepath.Join(root, embedded))
		}
	}
}

// same checks that two directories contain the same files.
func same(t *testing.T, want, got string) {
	t.Helper()
	files := func(dir string) map[string][]byte {
		all := map[string][]byte{}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if all[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	a, b := files(want), files(got)
	if len(a) == 0 || len(a) != len(b) {
		t.Errorf("%s has %d files, the build %d", got, len(b), len(a))
	}
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			t.Errorf("%s/%s is not what the sources in web/ give: run make web and commit it", got, name)
		}
	}
}
