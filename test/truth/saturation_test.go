package truth

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// On a real server whose flush takes 40 ms, clients that all update one row commit one after the other, so that
// one client is as fast as sixteen; with a row for each they share flushes (tps = N/2F), and nine are more than
// twice as fast as three. A machine that is busy for a while does not count as a failure: the product says then that it
// is not certain.
func TestSaturatedByOneRow(t *testing.T) {
	defer scheduleSubtests(t)()
	for _, x := range []saturation{
		{"one row", "1", "1,4,16", 1, "is saturated with one client", true, 60},
		{"a row for each", "16", "1,3,9", 0, "is not saturated up to 9 clients", false, 75},
	} {
		t.Run(x.name, func(t *testing.T) {
			takeSlots(t, demand{class: waiting, seconds: x.seconds, slots: 2})
			lab.Lock(t)
			disk := serverDisk(t)
			lab.UpToThree(t, func() []string { return x.wrong(t, disk) })
		})
	}
}

// saturation is a load whose point of saturation is known.
type saturation struct {
	name, scale, clients string
	with                 int
	says                 string
	hot                  bool
	// seconds is about how long it takes.
	seconds int
}

// wrong measures the load once on a disk, and returns what is not as it should be.
func (x saturation) wrong(t *testing.T, disk string) (wrong []string) {
	t.Helper()
	dir := flushing(t, disk, 0.040)
	_, o := saved(t, slowFlushes(t, 0), "app", "postgres", dir, "--scale", x.scale, "--clients", x.clients, "--repeat", "3", "--max-time", "50s")
	if len(o.report.Saturation) != 1 || len(o.report.Saturation[0].Points) != 3 {
		t.Fatalf("exit code %d, %+v", o.code, o.report.Saturation)
	}
	c := o.report.Saturation[0]
	for _, res := range o.report.Results {
		t.Logf("%s: %.1f/s (%.1f to %.1f)", res.Workload, res.Value, res.Low, res.High)
	}
	t.Log(c.Says)
	if c.To != x.with || !strings.Contains(c.Says, x.says) {
		wrong = append(wrong, fmt.Sprintf("%d: %s (want %d, %q)", c.To, c.Says, x.with, x.says))
	}
	warned := func(rules ...string) bool {
		return slices.ContainsFunc(o.report.Findings, func(f model.Finding) bool {
			return slices.Contains(rules, f.Rule) && (f.Severity == model.SeverityWarning || f.Severity == model.SeverityInvalid)
		})
	}
	// A limit that is found is named before the rows: somebody else may keep the processors busy.
	if x.hot && (!warned("hot-rows") || !warned("full-cpu", "cpu") && !strings.Contains(c.Says, "most of them wait for each other's rows") || !strings.Contains(c.Says, "need not be the limit of the storage")) {
		wrong = append(wrong, "the rows are not named: "+c.Says)
	}
	if !x.hot && warned("hot-rows") {
		wrong = append(wrong, "rows are accused although each client has its own")
	}
	empty(t, dir)
	return wrong
}
