package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/loadline/loadline/test/lab"
)

// A measurement that is refused because its results have no room leaves none there: neither the first
// side of a comparison, which has room, nor the second, which has not.
func TestResultsWithoutRoomLeaveNothing(t *testing.T) {
	for name, c := range map[string]struct {
		room int64
		args []string
	}{
		"a run":        {64 << 10, []string{"run", "fake:?iops=1000"}},
		"a comparison": {400 << 10, []string{"compare", "fake:?iops=1000", "fake:?iops=1001"}},
	} {
		results := lab.Tmpfs(t, c.room)
		before := filepath.Join(results, "before")
		if err := os.Mkdir(before, 0o700); err != nil {
			t.Fatal(err)
		}
		refused(t, "no space left on device", append(c.args, "--profile", "quick", "--quiet", "--results", results)...)
		entries, err := os.ReadDir(results)
		if err != nil || len(entries) != 1 || entries[0].Name() != "before" {
			t.Errorf("%s: %v is left, %v", name, entries, err)
		}
	}
}
