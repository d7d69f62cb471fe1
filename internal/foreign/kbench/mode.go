package kbench

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model/suggest"
)

// Aspect is one of the three things that Kbench measures; each has its own file.
type Aspect string

// The aspects in Kbench's order.
const (
	IOPS      Aspect = "iops"
	Bandwidth Aspect = "bandwidth"
	Latency   Aspect = "latency"
)

// aspects lists the aspects with what distinguishes them: the suffix of their jobs' names, the title of
// their block in a summary, and where fio's JSON holds the reported number.
var aspects = []struct {
	name          Aspect
	suffix, title string
	number        func(flow) float64
}{
	{IOPS, "iops", "IOPS (Read/Write)", func(f flow) float64 { return f.IOPSMean }},
	{Bandwidth, "bw", "Bandwidth in KiB/sec (Read/Write)", func(f flow) float64 { return f.BandwidthMean }},
	{Latency, "lat", "Latency in ns (Read/Write)", func(f flow) float64 { return f.Latency.Mean }},
}

// patterns maps Kbench's words for the two orders to ours.
var patterns = map[string]string{"random": "rand", "sequential": "seq"}

// The modes with more than one job.
const (
	full  = "full"
	quick = "quick"
)

// jobsOf returns the names of the jobs of a mode, in Kbench's order; nil if the mode does not exist.
func jobsOf(mode string) []string {
	var all []string
	for _, a := range aspects {
		for _, access := range []string{"rand", "seq"} {
			for _, direction := range []string{"read", "write"} {
				all = append(all, access+"-"+direction+"-"+a.suffix)
			}
		}
	}
	if mode == full || mode == quick {
		return all
	}
	parts := strings.Split(mode, "-")
	if len(parts) != 3 || patterns[parts[0]] == "" || parts[1] != "read" && parts[1] != "write" {
		return nil
	}
	for _, a := range aspects {
		if string(a.name) == parts[2] {
			return []string{patterns[parts[0]] + "-" + parts[1] + "-" + a.suffix}
		}
	}
	return nil
}

// modes returns all modes.
func modes() []string {
	list := []string{full, quick}
	for _, a := range aspects {
		for _, pattern := range []string{"random", "sequential"} {
			for _, direction := range []string{"read", "write"} {
				list = append(list, pattern+"-"+direction+"-"+string(a.name))
			}
		}
	}
	return list
}

// aspectOf returns the aspect of a job by its name, "" for a name that is not Kbench's.
func aspectOf(job string) Aspect {
	for _, a := range aspects {
		if strings.HasSuffix(job, "-"+a.suffix) {
			return a.name
		}
	}
	return ""
}

// checkMode refuses an unknown mode, suggesting the nearest one.
func checkMode(mode string) error {
	if jobsOf(mode) != nil {
		return nil
	}
	message := fmt.Sprintf("MODE %q is not known", mode) + suggest.Question(mode, modes())
	return refused(message, "choose one of "+strings.Join(modes(), ", "))
}
