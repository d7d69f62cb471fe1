package profile

import (
	"fmt"
	"math"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
)

// Check rejects a profile that cannot be run: no workloads, a duplicate or empty name, or a figure that
// is not positive. Files are checked with line numbers when they are read; this is the final check, for
// profiles from any source.
func Check(p Profile) error {
	if len(p.Workloads) == 0 {
		return model.RefusedError(fmt.Sprintf("profile %q has no workloads", p.Name), "list at least one")
	}
	for _, v := range []float64{p.Repeat, p.Ramp, p.MaxTime} {
		if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return model.RefusedError(fmt.Sprintf("profile %q has a time that is not positive", p.Name), "")
		}
	}
	seen := map[string]bool{}
	for _, w := range p.Workloads {
		if problem := problemOf(w); problem != "" {
			return model.RefusedError(fmt.Sprintf("workload %q of profile %q %s", w.Name, p.Name, problem), "")
		}
		if instead, ok := units.WholeRate(w.RateIOPS); !ok && !w.OpenLoop {
			return model.RefusedError(fmt.Sprintf("workload %q of profile %q is limited to %g I/Os per second, but fio keeps only to "+units.WholeRates,
				w.Name, p.Name, w.RateIOPS), "ask for "+instead+" IOPS (rate_iops in a profile)")
		}
		if seen[w.Name] {
			return model.RefusedError(fmt.Sprintf("profile %q has two workloads named %q", p.Name, w.Name), "rename one of them")
		}
		seen[w.Name] = true
	}
	return checkAlike(p)
}

// checkAlike rejects appending workloads combined with other kinds: the others would use the space
// reserved for a log, reading it before anything was written and writing it for the first time.
func checkAlike(p Profile) error {
	var logs, others []string
	for _, w := range p.Workloads {
		if w.Append {
			logs = append(logs, w.Name)
		} else {
			others = append(others, w.Name)
		}
	}
	if len(logs) == 0 || len(others) == 0 {
		return nil
	}
	return model.RefusedError(
		fmt.Sprintf("workload %s appends to space that was never written, and %s would find nothing else on the volume", logs[0], others[0]),
		"measure them in runs of their own: --only "+safetext.ShellWord(strings.Join(logs, ","))+", and --only "+safetext.ShellWord(strings.Join(others, ",")))
}

// problemOf returns what is wrong with a workload, or "".
func problemOf(w model.Workload) string {
	switch {
	case w.Name == "":
		return "has no name"
	case w.Access != model.Random && w.Access != model.Sequential:
		return "has no access: it is rand or seq"
	case w.Direction != model.Read && w.Direction != model.Write && w.Direction != model.Mixed:
		return "has no direction: it is read, write or mixed"
	case w.Direction == model.Mixed && (w.ReadPercent < 1 || w.ReadPercent > 99):
		return "is mixed, but its share of reads is not within 1 to 99 %"
	case w.BlockSize <= 0:
		return "has no block size"
	case w.Depth <= 0:
		return "has no depth"
	case w.Jobs < 0 || w.OffsetIncrement < 0 || w.RateIOPS < 0 || w.RateBandwidth < 0:
		return "has a negative figure"
	case w.Sync != "" && w.Sync != "fsync" && w.Sync != "fdatasync":
		return fmt.Sprintf("has the unknown flush %q: it is fsync or fdatasync", w.Sync)
	case w.Append && (w.Direction != model.Write || w.Access != model.Sequential || w.Sync == "" || w.JobCount() > 1):
		return "appends, and is not one job that writes sequentially with a flush after each write"
	case w.Metric == "":
		return "has no metric"
	}
	return ""
}

// checkBlocks rejects block sizes that direct I/O on this storage does not support.
func checkBlocks(workloads []model.Workload, v model.Volume, probe model.ProbeResult) error {
	logical := int64(probe.Environment.Storage.LogicalBlock)
	if !v.Direct || logical <= 0 {
		return nil
	}
	for _, w := range workloads {
		if w.BlockSize%logical != 0 && !w.Append {
			return model.RefusedError(
				fmt.Sprintf("workload %s has blocks of %s, but direct I/O on %s moves multiples of %d bytes",
					w.Name, units.FormatBlock(w.BlockSize), v.Target.Name, logical),
				fmt.Sprintf("choose a block size that is a multiple of %d", logical))
		}
	}
	return nil
}

// checkAppends rejects appending workloads if there is no file of Loadline's own.
func checkAppends(workloads []model.Workload, v model.Volume) error {
	for _, w := range workloads {
		if w.Append && !v.Owned && v.Target.Kind != model.Fake {
			return model.RefusedError(
				fmt.Sprintf("workload %s writes as an application writes its log, to space that a filesystem reserves in a new file, and %s is not a directory", w.Name, v.Target.Name),
				"name a directory on the filesystem that is to hold the log")
		}
	}
	return nil
}

// checkFlushes rejects workloads that wait for a flush if the storage has none.
func checkFlushes(workloads []model.Workload, v model.Volume) error {
	for _, w := range workloads {
		if v.NoFlush && w.Sync != "" {
			return model.RefusedError(
				fmt.Sprintf("workload %s waits for a flush after each write, and %s offers none", w.Name, v.Target.Name),
				"leave it out: --skip "+safetext.ShellWord(w.Name))
		}
	}
	return nil
}
