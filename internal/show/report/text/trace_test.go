package text

import (
	"bytes"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// A failed I/O is counted among the errors of its device, whatever its operation.
func TestEveryErrorOfATraceIsCounted(t *testing.T) {
	counts, want := map[iotrace.Operation]iotrace.Counts{}, uint64(0)
	for i, op := range iotrace.Operations {
		n := uint64(1) << i
		counts[op] = iotrace.Counts{Done: 100, Errors: n}
		want += n
	}
	r := &iotrace.Report{Run: iotrace.Run{Method: iotrace.ByBPF, Devices: []iotrace.Device{{Name: "sda", Number: "8:0", Operations: counts}}}}
	var b bytes.Buffer
	if err := RenderTrace(&b, r, TraceOptions{Options: Options{Width: 200}, Parts: []TracePart{TraceTotals}}); err != nil {
		t.Fatal(err)
	}
	if want != 63 || !strings.Contains(b.String(), "errors: 63") {
		t.Errorf("of %d errors it tells\n%s", want, b.String())
	}
}

// What both tables of an idle device would say is said once.
func TestAnIdleTraceSaysSoOnce(t *testing.T) {
	r := &iotrace.Report{Run: iotrace.Run{Method: iotrace.ByBPF}}
	for name, parts := range map[string][]TracePart{"all": nil, "the processes": {TraceOriginators}, "the latencies": {TraceLatency}} {
		var b bytes.Buffer
		if err := RenderTrace(&b, r, TraceOptions{Options: Options{Width: 80}, Parts: parts}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "no I/O"); n != 1 {
			t.Errorf("%s: it is said %d times:\n%s", name, n, b.String())
		}
	}
}

// Two columns have one title, so where one is left out it is said which.
func TestTheIntervalsOfATraceAreToldApart(t *testing.T) {
	columns := figureColumns([]iotrace.Figures{{IOs: 10, Metrics: map[model.Metric]model.Estimate{model.Latency: {Confidence: 0.95}}}})
	p := newPage(Options{Width: 80})
	if got, want := p.leftOut(columns, columns[:3]), "hidden at 80 columns: 95% CI of mean, p50, p99, 95% CI of p99, max, wait"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
