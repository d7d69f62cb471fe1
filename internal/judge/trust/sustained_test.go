package trust

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// What a rate that held excludes is said for each long repeat, with its own length: one of 20 s excludes more
// than one of 10 s.
func TestWhatHeldExcludes(t *testing.T) {
	var h holding
	h.add("rand-read-iops", 20, 60000, 60000*4096)
	h.add("rand-write-iops", 10, 30000, 30000*4096)
	h.add("rand-read-iops", 20, 60000, 60000*4096)
	got := h.into([]model.Finding{{Severity: model.SeverityPassed}})[0].Message
	const want = "the rate held without a pause, which excludes burst credits of up to 60.0k I/Os or 234 MiB (rand-read-iops for 20 s), " +
		"30.0k I/Os or 117 MiB (rand-write-iops for 10 s), or less if they refill meanwhile (half of that at half the rate)"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
