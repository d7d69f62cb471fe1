package text

import (
	"bytes"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

// If the log has a device of its own, that device's activity is shown next to that of the data's
// device, with the log's location.
func TestALogOfItsOwnStandsApart(t *testing.T) {
	write := func(r *model.Report) string {
		t.Helper()
		var b bytes.Buffer
		if err := Render(&b, r, Options{Width: 140, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	apart := reporttest.Reports()["log-apart"]
	got := write(apart)
	for _, want := range []string{"log's r/w/f", "0 / 1.02 / 1.01", "log     /log, xfs on nvme0n1\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := write(reporttest.Reports()["application"]); strings.Contains(got, "log's") {
		t.Errorf("a log that is with the data has a column:\n%s", got)
	}
	apart.Run.Environment.LogStorage.Device = apart.Run.Environment.Storage.Device
	if got := write(apart); !strings.Contains(got, "xfs on sdb as the data: their I/Os are not told apart") {
		t.Errorf("one device for both is not told:\n%s", got)
	}
}
