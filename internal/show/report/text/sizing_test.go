package text

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/sizing"
)

// "not enough, for only 263 % of the need" was printed where one volume was too slow and the nodes were not.
func TestTheVerdictOnNodesSaysWhatIsMissing(t *testing.T) {
	slow := sizing.Infeasibility{Resource: hardware.LimitPerVolume, Need: 0, Message: "one volume is too slow"}
	for name, c := range map[string]struct {
		times   float64
		lacking []sizing.Infeasibility
		want    string
	}{
		"enough":          {2.5, nil, "3 nodes: enough for 2.5 times the need"},
		"too few":         {0.7, []sizing.Infeasibility{{Resource: hardware.LimitDiskIOPS, Need: -1}}, "3 nodes: not enough for only 70 % of the need"},
		"a slow volume":   {2.63, []sizing.Infeasibility{slow}, "3 nodes: not possible room for 263 % of the load, but one volume cannot reach what a pod needs need 1: room for no pod"},
		"too many copies": {2.63, []sizing.Infeasibility{{Resource: hardware.LimitPlacement, Need: -1}}, "3 nodes: not enough room for 263 % of the load, but not for each copy on a node of its own"},
	} {
		s := &sizing.Sizing{
			Ask:       sizing.Ask{Nodes: 3, Needs: []sizing.Need{{Pods: 2}}},
			Resources: []sizing.ResourceUse{{Resource: hardware.LimitDiskIOPS, Unit: "1/s", Demand: 1, PerNode: 1}},
			Fit:       &sizing.Fit{Nodes: 3, Times: c.times, Pods: []int{5}, Binding: hardware.LimitDiskIOPS},
			Lacking:   c.lacking,
			Marginal:  []sizing.MarginalCost{{Resource: hardware.LimitDiskIOPS, Unit: "1/s", Demand: 1, Free: 3}},
		}
		var out strings.Builder
		if err := RenderSizing(&out, s, Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		} else if slow := name == "a slow volume"; strings.Contains(got, "3 more fit") == slow {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestHowManyMoreFit(t *testing.T) {
	for n, want := range map[int]string{0: "no more fit on", 1: "1 more fits on", 2: "2 more fit on"} {
		if got := moreFit(n); !strings.HasPrefix(got, want) {
			t.Errorf("%d: %s", n, got)
		}
	}
}
