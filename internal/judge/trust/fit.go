package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleFit = Rule{
	Name:     "fit",
	Checks:   "an application's data were in memory, or not, as requested",
	Evidence: "the device's reads per transaction (cached: less than 0.05), and for `--fit disk` their share of the pages not in the server's cache (half)",
	Severity: "warning: reads came from elsewhere than `--fit` says",
	Advice:   "use another `--scale`; or a warm-up, if the data fit into memory but had not been read yet",
	check:    checkFit,
}

const (
	// cachedReads is the number of device reads per transaction up to which the data count as cached.
	cachedReads = 0.05
	// diskReads is the share of the server's reads that the device must have seen. Read-ahead merges
	// some.
	diskReads = 0.5
)

// checkFit judges the scale, which is chosen before the measurement, by its effect. The server counts
// the pages missing from its own cache, and the device its reads: the difference came from the kernel's
// page cache. The device's counters include all of its users, so more reads than the server requested
// do not indicate a problem with the data.
func checkFit(ev Evidence) []model.Finding {
	var o outcome
	asked := ""
	if app := ev.Recorded.Plan.Experiment.App; app != nil {
		asked = app.Fit
	}
	ev.loads(&o, func(_ model.Workload, r model.Result, cost model.AppResult) {
		fault := func(message string) {
			o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{r.Workload}, Message: message,
				Evidence: map[string]any{"device_reads": *cost.DeviceReads, "reads": *cost.Reads, "cached_at_most": cachedReads, "disk_at_least": diskReads},
				Next:     "choose the size yourself: " + ev.scaled("N")})
		}
		switch {
		case asked == "":
		case cost.DeviceReads == nil || cost.Reads == nil:
			o.miss(r.Workload, "the device's reads, or the server's, were not counted")
		case asked == "cached" && *cost.DeviceReads > cachedReads && *cost.Reads > cachedReads:
			fault(fmt.Sprintf("not cached: each transaction of %s read %s pages that were not in the server's cache, with %s reads from the device",
				r.Workload, units.FormatRate(*cost.Reads), units.FormatRate(*cost.DeviceReads)))
		case asked == "disk" && *cost.DeviceReads < diskReads**cost.Reads:
			fault(fmt.Sprintf("cached: each transaction of %s read %s pages that were not in the server's cache, with %s reads from the device: the page cache answered",
				r.Workload, units.FormatRate(*cost.Reads), units.FormatRate(*cost.DeviceReads)))
		default:
			o.pass(r.Workload)
		}
	})
	return o.findings("reads came from where --fit says", "--fit was not given")
}
