package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/test/lab/contention"
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

// A message that contains a whole result is cut.
func TestALongMessageIsWrittenDownInPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "skips")
	t.Setenv("LOADLINE_SKIPS", path)
	writeDown(t, "SECOND TRY", "exit code 0,\n "+strings.Repeat("é", 3000))
	got, err := os.ReadFile(path)
	if line := string(got); err != nil || len(line) > 500 || strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "é …\n") || !strings.Contains(line, ": exit code 0, é") {
		t.Errorf("%q, %v", got, err)
	}
}

// heard is a test whose failures are only recorded.
type heard struct {
	testing.TB
	failed []string
}

func (h *heard) Errorf(format string, args ...any) {
	h.failed = append(h.failed, fmt.Sprintf(format, args...))
}

// What is wrong once or twice is written down, and what is wrong three times fails.
func TestUpToThree(t *testing.T) {
	const first = "SECOND TRY: TestUpToThree: try 1; slow\n"
	const second = "SECOND TRY: TestUpToThree: try 2; slow\n"
	meanwhile := regexp.MustCompile(` \(the longest wait for a processor was \d+ ms[^)]*\)`)
	waited, quiet := contention.Seen{Longest: 20 * time.Millisecond}, contention.Seen{Longest: time.Millisecond, Idle: 0.95}
	for _, c := range []struct {
		bad, tries int
		seen       contention.Seen
		failed     []string
		written    string
	}{
		{bad: 0, tries: 1, seen: quiet},
		{bad: 2, tries: 3, seen: waited, written: first + second},
		{bad: 3, tries: 3, seen: waited, failed: []string{"3 times, at last: try 3; slow"}, written: first + second},
		{bad: 1, tries: 1, seen: quiet, failed: []string{"try 1; slow; no second try: " + quiet.String()}},
	} {
		path := filepath.Join(t.TempDir(), "skips")
		t.Setenv("LOADLINE_SKIPS", path)
		h, tries := heard{TB: t}, 0
		upToThree(&h, func() func() contention.Seen { return func() contention.Seen { return c.seen } }, func() []string {
			if tries++; tries > c.bad {
				return nil
			}
			return []string{fmt.Sprint("try ", tries), "slow"}
		})
		written, _ := os.ReadFile(path)
		if n := len(meanwhile.FindAll(written, -1)); n != strings.Count(c.written, "\n") {
			t.Errorf("%d of the lines say what the contention was: %s", n, written)
		}
		if tries != c.tries || !slices.Equal(h.failed, c.failed) || meanwhile.ReplaceAllString(string(written), "") != c.written {
			t.Errorf("%d bad tries: tried %d times, failed with %q, wrote down %q", c.bad, tries, h.failed, written)
		}
	}
}
