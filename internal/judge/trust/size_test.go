package trust

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// A larger size is advised if it fits, and no command that would be refused.
func TestSizeAdvisesOnlyWhatFits(t *testing.T) {
	const gib = 1 << 30
	for _, x := range []struct {
		name    string
		kind    model.TargetKind
		storage model.Storage
		want    string
	}{
		{"room enough", model.Directory, model.Storage{Used: 100 * gib, Free: 100 * gib}, "loadline run /x --size 22GiB"},
		{"some room", model.Directory, model.Storage{Used: 0, Free: 10 * gib}, "no more than 9.5 GiB fits here: loadline run /x --size 9728MiB"},
		{"a full filesystem", model.Directory, model.Storage{Used: 100 * gib, Free: 10 * gib}, "nothing much larger fits here (4.5 GiB): measure a larger volume of the same storage"},
		{"a device", model.NBD, model.Storage{DeviceSize: 4 * gib}, "nothing much larger fits here (4 GiB): measure a larger volume of the same storage"},
		{"a large device", model.BlockDevice, model.Storage{DeviceSize: 40 * gib}, "loadline run /x --size 22GiB"},
		{"a claim that is made", model.StorageClass, model.Storage{DeviceSize: 4 * gib}, "loadline run /x --size 22GiB"},
		{"nothing is known", model.Directory, model.Storage{}, "loadline run /x --size 22GiB"},
	} {
		ev := sound()
		ev.Recorded.Plan.Volume.Target = model.Target{Name: "/x", Kind: x.kind}
		ev.Recorded.Environment.Storage = x.storage
		ev.Results[0].Metrics[model.Bandwidth] = estimate(model.Bandwidth, 874<<20, 0.01)
		found := false
		for _, f := range checkSize(ev) {
			if f.Severity == model.SeverityWarning {
				next, _, _ := strings.Cut(f.Next, " # ")
				if found = true; strings.TrimSpace(next) != x.want {
					t.Errorf("%s: %q, want %q", x.name, next, x.want)
				}
			}
		}
		if !found {
			t.Errorf("%s: nothing found", x.name)
		}
	}
}
