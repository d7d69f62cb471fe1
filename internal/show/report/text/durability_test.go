package text

import (
	"bytes"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// lying is the report of a test that found lost writes.
func lying() *model.Durability {
	return &model.Durability{
		Schema: model.DurabilitySchema, Status: model.Complete, Sync: "flush", BlockSize: 4096, Blocks: 100, Jobs: 8,
		Target:      model.Target{Name: "nbd://storage-1/vol", Kind: model.NBD, URI: "nbd://storage-1/vol"},
		Environment: model.Environment{Storage: model.Storage{Server: "nbd: flush fua"}},
		Result:      model.DurabilityLostWrites, Statement: "LOST WRITES: 2000 flushed writes lost",
		Proves: "one cut is enough to show that the storage breaks its guarantee; the findings above say how.",
		Cuts: []model.Cut{
			{Number: 1, Kind: model.CutCommand, What: "true", At: time.Unix(0, 0), Acknowledged: 1990, InFlight: 3, InFlightFound: 1},
			{Number: 2, Kind: model.CutCommand, What: "ipmitool power cycle", Noticed: true, Acknowledged: 2000, Lost: 2000, LostBlocks: 100, InFlight: 8, Torn: 1, TornInFlight: 1},
		},
		Findings: []model.Finding{
			{Rule: "lost", Severity: model.SeverityInvalid, Message: "2000 of 3990 acknowledged writes (flush) are gone, on 100 blocks: something below says that data is on stable storage before it is",
				Evidence: map[string]any{"count": 2000, "examples": []string{"block at 0: write 24 was acknowledged, but nothing of this test is there"}},
				Next:     "look for a write-back cache without a battery"},
			{Rule: "foreign", Severity: model.SeverityPassed, Message: "every block is of this volume and this place"},
			{Rule: "unnoticed", Severity: model.SeverityWarning, Message: "the target answered on through 1 of 2 cuts"},
		},
		Directory: "loadline-results/20261120-235200-vol-durability",
	}
}

func TestRenderDurability(t *testing.T) {
	failed := &model.Durability{Status: model.Failed, Reason: "the command of cut 1 failed", Sync: "none", BlockSize: 512, Blocks: 1, Jobs: 1,
		Target: model.Target{Name: "/srv/data", Kind: model.Directory}, Result: model.DurabilityUnproven, Statement: "unproven: nothing was checked after a cut", Proves: "nothing was cut."}
	for name, c := range map[string]struct {
		d *model.Durability
		o Options
	}{
		"durability-lies":   {lying(), Options{Width: 100, Unicode: true}},
		"durability-narrow": {lying(), Options{Width: 50}},
		"durability-failed": {failed, Options{Width: 100, Unicode: true, Color: true}},
	} {
		var b bytes.Buffer
		if err := RenderDurability(&b, c.d, c.o); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}
