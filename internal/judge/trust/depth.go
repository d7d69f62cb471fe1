package trust

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

const (
	// depthNeeded is the share of the requested depth that must be reached.
	depthNeeded = 0.9
	// littleAllowed is how far the mean number of I/Os in flight may be from the requested one.
	littleAllowed = 0.05
	// toolSeconds is the time that the load generator itself may take between two I/Os of a job.
	// Measured: fio 3.33 at depth 1 takes 0.3 to 0.6 µs.
	toolSeconds = 1e-6
)

var ruleDepth = Rule{
	Name:     "depth",
	Checks:   "the queue was as deep as requested",
	Evidence: "fio's distribution of depths (below 0.9 of the requested depth) and Little's law (off by more than 5 %)",
	Severity: "invalid: the load was not applied; warning: latencies were measured before the queue had turned over",
	Advice:   "`loadline doctor` says which engines work",
	check:    checkDepth,
}

// checkDepth checks that the requested load was reached, by two sources:
//
//   - fio's own map of depths. Its buckets are powers of two ("32" is 32 to 63, ">=64" everything
//     above), so the greatest mean depth that the map allows is compared: below 0.9 of the requested
//     depth is invalid.
//   - Little's law: the sum of all latencies in a second is the mean number of I/Os in flight. A
//     difference of more than 5 % of jobs × depth is invalid, after allowing for the tool's own time
//     between two I/Os and for what is cut off at the edges of the repeats (jobs × depth I/Os each).
//
// The I/Os with which the queue was filled find fewer ahead of them than later ones. Where they are a considerable part of a repeat,
// whose ramp was too short for storage so slow, and fewer I/Os were in flight than requested, latencies are too low: a warning.
//
// An engine that cannot queue (psync) has depth 1, whatever was requested. Workloads with a flush after
// each write or a rate limit do not keep a queue full by design, and the depth of the user's own jobs is
// unknown: these are not judged.
//
// Source: Little 1961; fio's HOWTO, "IO depths".
func checkDepth(ev Evidence) []model.Finding {
	var o outcome
	flows := ev.flows()
	for _, name := range ev.workloads() {
		w, known := ev.Recorded.Plan.Workload(name)
		switch {
		case !known || w.Depth < 1:
			o.miss(name, "the requested depth is not known")
			continue
		case w.Job != "":
			o.miss(name, "the depth of a user's own fio job is not known")
			continue
		case w.Sync != "" || w.Limit() > 0:
			continue
		}
		asked := float64(w.Depth)
		levels, mapped := ev.depthAtMost(name, w.Depth)
		flight, little := flows[name].flight(w)
		switch {
		case mapped && levels < depthNeeded*asked:
			o.fault(ev.depthFault(w, fmt.Sprintf("load not applied: the mean depth was at most %s, but %d was requested",
				short(levels), w.Depth), map[string]any{"depth": levels, "asked": w.Depth}))
		case little && (flight.ratio > 1+flight.allowed || flight.ratio < 1-flight.allowed):
			o.fault(ev.depthFault(w, fmt.Sprintf("load not applied: by Little's law, %s I/Os were in flight, but %d were requested",
				short(flight.ratio*asked*float64(w.JobCount())), w.Depth*w.JobCount()),
				map[string]any{"little": flight.ratio, "allowed": flight.allowed, "asked": w.Depth * w.JobCount()}))
		case !mapped && !little:
			o.miss(name, "neither a distribution of depths nor latencies were recorded")
		default:
			if f := ev.unfilled(w); f != nil {
				o.fault(*f)
				continue
			}
			o.pass(name)
		}
	}
	return o.findings("the queue was as deep as requested", "no workload of this run keeps its queue full by design")
}

// roundedUp is the next power of two, and whether it differs from the depth.
func roundedUp(depth int) (power int, rounded bool) {
	for power = 1; power < depth; power *= 2 {
	}
	return power, power != depth
}

// depthFault is the finding, with the reason that the engine gives.
func (ev Evidence) depthFault(w model.Workload, message string, evidence map[string]any) model.Finding {
	name := w.Name
	engine := ev.Recorded.Plan.Volume.Engine
	next := "loadline doctor   # it says which engines work, and whether the CPU is short"
	power, rounded := roundedUp(w.Depth)
	little, _ := evidence["little"].(float64)
	switch {
	case engine == "psync" || engine == "sync":
		message += fmt.Sprintf(" (%s cannot queue)", engine)
		next = "loadline doctor   # it says why neither io_uring nor libaio works here"
	case engine == "io_uring" && rounded && little > 1:
		message += fmt.Sprintf(" (fio's io_uring rounds it up to a power of two, %d)", power)
		next = fmt.Sprintf("use a depth of %d or %d", power/2, power)
	}
	evidence["engine"] = engine
	return model.Finding{Severity: model.SeverityInvalid, Results: []string{name}, Message: message, Evidence: evidence, Next: next}
}

// depthAtMost is the greatest mean depth that the depth maps of a workload's repeats allow, with every
// I/O at the top of its bucket but not beyond the requested depth; ok is false without a map.
func (ev Evidence) depthAtMost(workload string, asked int) (depth float64, ok bool) {
	var sum, share float64
	for _, s := range ev.good(workload) {
		for key, v := range s.DepthLevels {
			low, err := strconv.Atoi(strings.TrimPrefix(key, ">="))
			if err != nil || v <= 0 {
				continue
			}
			top := max(1, 2*low-1)
			if strings.HasPrefix(key, ">=") {
				top = asked
			}
			sum += v * float64(min(top, asked))
			share += v
		}
	}
	if share == 0 {
		return 0, false
	}
	return sum / share, true
}

// load is the sum of a workload's samples.
type load struct {
	seconds, latency, ios float64
	// repeats are those of each worker.
	repeats map[[2]int]bool
}

// flows adds up the samples by workload. A repeat with a stall is left out: the latencies of I/Os that
// ended during it extend far beyond the repeat. So is one that was made again.
func (ev Evidence) flows() map[string]*load {
	names, stalled := map[int]string{}, map[int]bool{}
	for _, s := range ev.Recorded.Run.Steps {
		stalled[s.Step.Number] = stalled[s.Step.Number] || len(s.Stalls) > 0 || s.Unfilled
		if s.Error == "" {
			names[s.Step.Number] = s.Step.Workload
		}
	}
	loads := map[string]*load{}
	for i := range ev.Recorded.Samples {
		s := &ev.Recorded.Samples[i]
		name, known := names[s.Step]
		if !known || stalled[s.Step] {
			continue
		}
		l := loads[name]
		if l == nil {
			l = &load{repeats: map[[2]int]bool{}}
			loads[name] = l
		}
		l.seconds += s.Seconds
		l.repeats[[2]int{s.Step, s.Worker}] = true
		for _, f := range []*model.Flow{s.Read, s.Write} {
			if f != nil {
				l.latency += f.LatencySum
				l.ios += float64(f.IOs)
			}
		}
	}
	return loads
}

// inFlight is the mean number of I/Os in flight as a share of the requested number, and how far from 1
// it may be.
type inFlight struct{ ratio, allowed float64 }

// flight applies Little's law; ok is false without latencies.
func (l *load) flight(w model.Workload) (f inFlight, ok bool) {
	if l == nil || l.ios == 0 || l.seconds <= 0 || l.latency <= 0 || math.IsNaN(l.latency) {
		return f, false
	}
	slots := float64(w.Depth * w.JobCount())
	edges := slots * float64(len(l.repeats)) / l.ios
	tool := toolSeconds * l.ios / l.seconds / slots
	return inFlight{ratio: l.latency / l.seconds / slots, allowed: littleAllowed + edges + tool}, true
}

// short formats a depth, with one decimal if it is not an integer.
func short(v float64) string {
	if v >= 9.95 {
		return fmt.Sprintf("%.0f", v)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
}
