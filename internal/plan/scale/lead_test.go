package scale

import (
	"fmt"
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestLeadIsThatOfTheFullestMachine(t *testing.T) {
	at := func(node, boot string, cpus int, limit float64) Place {
		return Place{Node: node, Found: model.ProbeResult{Boot: boot, Environment: model.Environment{CPUs: cpus, CgroupCPU: limit}}}
	}
	many := func(n, nodes int, boot string, cpus int) (places []Place) {
		for i := range n {
			own := boot
			if own == "own" {
				own = fmt.Sprint(i % nodes)
			}
			places = append(places, at(fmt.Sprint("node", i%nodes), own, cpus, 0))
		}
		return places
	}
	fast, slow := []model.Workload{{Name: "f"}}, []model.Workload{{Name: "s", RateIOPS: 20}}
	for name, c := range map[string]struct {
		places    []Place
		workloads []model.Workload
		want      float64
		alone     float64
	}{
		"three nodes of 16 cores":       {many(51, 3, "own", 16), fast, 17 * fioStart / 16, 0},
		"three nodes of one machine":    {many(51, 3, "same", 2), fast, 51 * fioStart / 2, 0},
		"slow ones on it":               {many(51, 3, "same", 2), slow, 51 * slowFioStart / 2, 0},
		"one of the workloads is fast":  {many(51, 3, "same", 2), append(slow, fast...), 51 * fioStart / 2, 0},
		"kernels without names":         {many(6, 3, "", 4), fast, 2 * fioStart / 4, 0},
		"a limit of a tenth of a core":  {append(many(2, 2, "own", 8), at("n", "", 8, .1)), fast, fioStart / 8, fioStart / .1},
		"devices of numbers":            {[]Place{{Target: model.Target{Kind: model.Fake}}}, fast, 0, 0},
		"a machine that says no number": {many(2, 1, "same", 0), fast, 2 * fioStart, 0},
	} {
		if lead, spread := lead(c.places, c.workloads); math.Abs(spread-c.want) > 1e-9 || math.Abs(lead-c.want-c.alone) > 1e-9 {
			t.Errorf("%s: %g s of %g s, want %g of %g", name, spread, lead, c.want, c.want+c.alone)
		}
	}
}
