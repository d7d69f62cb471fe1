package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
)

// A run whose folder was moved, or replaced by another one or a link, has its report; nothing is written to what is there
// instead.
func TestTheReportOfAFolderThatWasMoved(t *testing.T) {
	dir := savedRun(t, "run-1", model.Target{Kind: model.Directory, Path: "/srv"}, model.Workload{Name: "reads", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1, Metric: model.IOPS},
		func(s *model.Sample) { s.Read = flowOf(1000, 1e-3) }, func(*model.StepResult) {})
	empty, elsewhere := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Fatal(err)
	}
	for name, there := range map[string]string{"removed": filepath.Join(empty, "no-such"), "replaced": empty, "a link": link} {
		rec, err := store.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		rec.Directory = there
		done, err := Finish(rec)
		if err != nil || done.Report == nil || len(done.Report.Results) == 0 || done.Unsaved == nil || !strings.Contains(done.Unsaved.Error(), "was moved, replaced or removed during the run") {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
	}
	for _, dir := range []string{empty, elsewhere} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("written to %s: %v, %v", dir, left, err)
		}
	}
}
