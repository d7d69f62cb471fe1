package postgres

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
)

// TestAnotherDirectoryInThePlaceOfOurs: the owner of the directory above can give our directory's
// name to another one, with a link to the socket of a server that is not ours. That server must not
// be queried, and nothing may be written to it.
func TestAnotherDirectoryInThePlaceOfOurs(t *testing.T) {
	d := ready(t)
	if !held() {
		t.Skip("this system does not tell a process where it is (/proc/self/cwd)")
	}
	dir := d.server.dir
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.Rename(dir+".away", dir); err != nil {
			t.Error(err)
		}
	}()
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.MkdirAll(filepath.Join(dir, "s"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := d.server.fill(t.Context(), 1, 1<<20, func(model.Progress) {}); err != nil {
		t.Errorf("the tables: %v", err)
	}
	w := ask(1, 1)
	w.Workload.App.Script = "SELECT 1;\n"
	w.Workload.App.Options = ""
	res, err := d.Run(t.Context(), w, load.BeginNow, func(model.Event) {})
	// The pipes are created by name, so the step may fail; but it must never query another server.
	if err == nil && res.Error == "" && (res.App == nil || res.App.Transactions == 0) {
		t.Errorf("%+v", res)
	}
	for _, name := range []string{"script.sql", "data"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is in the other directory", name)
		}
	}
}
