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

// The place of a log is absolute, like that of the target: in a saved report, a name as typed means nothing.
func TestALogIsNamedByItsAbsolutePlace(t *testing.T) {
	r := reporttest.Reports()["log-apart"]
	r.Run.Volume.Log.Target.Name, r.Run.Volume.Log.Target.Path = "wl", "/srv/wl"
	var b bytes.Buffer
	if err := Render(&b, r, Options{Width: 140, Unicode: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "log     /srv/wl, xfs on nvme0n1\n") {
		t.Errorf("%s", b.String())
	}
	pl := &model.Plan{Volume: r.Run.Volume, App: &model.AppState{Name: "postgres"}}
	b.Reset()
	if err := Plan(&b, pl, r.Run.Environment, Options{Width: 140, Unicode: true}); err != nil {
		t.Fatal(err)
	}
	if said := b.String(); !strings.Contains(said, "log     /srv/wl, ") || !strings.Contains(said, "log's in /srv/wl,") {
		t.Errorf("%s", said)
	}
}
