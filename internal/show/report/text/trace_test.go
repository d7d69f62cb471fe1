package text

import (
	"bytes"
	"strings"
	"testing"

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
