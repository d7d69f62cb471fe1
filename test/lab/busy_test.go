package lab

import (
	"os"
	"path/filepath"
	"testing"
)

func TestABusyMachineIsWrittenDown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "skips")
	t.Setenv("LOADLINE_SKIPS", path)
	for range 2 {
		t.Run("inner", func(t *testing.T) {
			defer func() {
				if !t.Skipped() {
					t.Error("the test goes on")
				}
			}()
			Busy(t, "%d%% too slow", 7)
		})
	}
	got, err := os.ReadFile(path)
	want := "NOT CHECKED: TestABusyMachineIsWrittenDown/inner: 7% too slow\n" +
		"NOT CHECKED: TestABusyMachineIsWrittenDown/inner#01: 7% too slow\n"
	if err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
