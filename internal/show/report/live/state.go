package live

import (
	"fmt"
	"math"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/words"
)

// state is what is known about the run, collected from its updates.
type state struct {
	elapsed, left float64
	// unplanned is set if the duration is unknown.
	unplanned bool
	// progress is that of the current phase, nil while a step runs; phaseBegan is the time of its
	// first update.
	progress   *model.Progress
	phaseBegan float64
	// toldAt is how long the phase had been running when its progress was last written to a log.
	toldAt   float64
	step     *model.Step
	workload *model.Workload
	steps    int
	// workloads is how many are repeated until they are precise enough, converged how many of them
	// are.
	workloads, converged int
	// side is that of the current step, begun the number of steps so far, on both sides of a
	// comparison. The numbers of steps themselves have gaps, where planned ones are left out.
	side  model.Side
	begun int
	// sum adds up the current repeat, last is its last second.
	sum, last  model.Flow
	sumSeconds float64
	lastRate   float64
	// rates are what each worker did in the last second that it has reported.
	rates map[int]float64
	// flushes is how often per second the application lately flushed its log; 0 if unknown.
	flushes    float64
	judgements map[string]model.Judgement
}

// take applies an update to the state and returns the lines for a log.
func (s *state) take(u model.Update) (lines []string) {
	s.elapsed, s.left, s.unplanned = u.Elapsed, u.Left, u.Unplanned
	if u.Steps > 0 {
		s.steps = u.Steps
	}
	s.workloads, s.converged = u.Workloads, u.Converged
	if p := u.Progress; p != nil && !p.Phase.OfStep() {
		if s.progress != nil && s.progress.Phase != p.Phase {
			lines = append(lines, s.endPhase())
		}
		if s.progress == nil {
			s.phaseBegan, s.toldAt = u.Elapsed, 0
		}
		copied := *p
		s.progress = &copied
		lines = append(lines, s.phaseLine())
	}
	if u.Step != nil {
		lines = append(lines, s.endPhase())
		step := *u.Step
		s.step, s.workload, s.side = &step, u.Workload, u.Side
		s.begun++
		s.sum, s.last, s.sumSeconds, s.lastRate, s.rates, s.flushes = model.Flow{}, model.Flow{}, 0, math.NaN(), nil, 0
	}
	if p := u.Progress; p != nil && p.Phase == model.PhaseMeasure {
		s.flushes = p.Flushes
	}
	if u.Sample != nil {
		s.addSample(u.Sample)
	}
	if u.Judgement != nil {
		if s.judgements == nil {
			s.judgements = map[string]model.Judgement{}
		}
		s.judgements[u.Judgement.Workload] = *u.Judgement
	}
	// The message of a failed step has already reported the cause.
	if u.Result != nil && (u.Message == "" || u.Result.Error == "") {
		lines = append(lines, s.stepLine(u.Result, u.Judgement, u.Contrast))
	}
	kept := lines[:0]
	for _, line := range lines {
		if line != "" {
			kept = append(kept, line)
		}
	}
	return kept
}

// addSample adds a second to the repeat: both directions of a mixed workload together, without the
// flush.
func (s *state) addSample(sample *model.Sample) {
	s.last = model.Flow{}
	for _, f := range []*model.Flow{sample.Read, sample.Write} {
		if f != nil {
			s.last.Add(*f)
			s.sum.Add(*f)
		}
	}
	// With several workers at once, each has its own seconds, and their rates add up.
	volumes := 1
	if s.workload != nil {
		volumes = s.workload.VolumeCount()
	}
	s.sumSeconds += sample.Seconds / float64(volumes)
	if s.rates == nil {
		s.rates = map[int]float64{}
	}
	s.rates[sample.Worker] = s.last.Value(s.metric(), sample.Seconds)
	s.lastRate = together(s.metric(), s.rates, volumes)
}

// together is what all workers do, by the last second of those that have reported: the sum of their rates, or the
// mean of the latencies of those that did I/O. NaN if none did.
func together(m model.Metric, each map[int]float64, volumes int) float64 {
	sum, busy := 0.0, 0
	for _, v := range each {
		if !math.IsNaN(v) {
			sum, busy = sum+v, busy+1
		}
	}
	switch {
	case busy == 0:
		return math.NaN()
	case m.Unit() == "s":
		return sum / float64(busy)
	}
	return sum * float64(volumes) / float64(len(each))
}

func (s *state) metric() model.Metric {
	if s.workload == nil {
		return model.IOPS
	}
	return s.workload.Metric
}

// endPhase ends the current phase and returns its line: "prefill 4 GiB in 9.1 s (450 MiB/s)".
func (s *state) endPhase() string {
	p := s.progress
	if p == nil {
		return ""
	}
	s.progress = nil
	seconds := s.elapsed - s.phaseBegan
	if p.Seconds > 0 {
		// The next update may be much later than the end of the phase.
		seconds = p.Seconds
	}
	took := ""
	if seconds > 0 {
		took = " in " + span(seconds)
	}
	if !p.Phase.InBytes() || p.Done == 0 {
		// An application does not say how much it writes while it is filled.
		if seconds < shortest {
			return ""
		}
		return phaseWords(p.Phase) + took
	}
	line := phaseWords(p.Phase) + " " + units.FormatSize(int64(p.Done)) + took
	if p.Seconds > 0 || seconds >= 0.05 {
		line += " (" + units.FormatBandwidth(p.Done/seconds) + ")"
	}
	return line
}

const (
	// firstTold is after how many seconds the progress of a phase counted in bytes is first logged,
	// and thenTold the interval from then on.
	firstTold = 5.0
	thenTold  = 30.0
)

// phaseLine returns the progress and rate of a long phase for a log: "prefill 5 GiB of 27 GiB, 1073
// MiB/s, about 21 s more"; otherwise it is empty.
func (s *state) phaseLine() string {
	p, took := s.progress, s.elapsed-s.phaseBegan
	if !p.Phase.InBytes() || p.Rate <= 0 || p.Done >= p.Total || took < firstTold || s.toldAt > 0 && took < s.toldAt+thenTold {
		return ""
	}
	s.toldAt = took
	line := fmt.Sprintf("%s %s of %s, %s", p.Phase, units.FormatSize(int64(p.Done)), units.FormatSize(int64(p.Total)), units.FormatBandwidth(p.Rate))
	rest, cut := p.Rest(p.Rate)
	if cut {
		return fmt.Sprintf("%s; its time limit ends it in about %s, at about %s", line, units.FormatSpan(rest), units.FormatSize(int64(p.Done+p.Rate*rest)))
	}
	return line + ", about " + units.FormatSpan(rest) + " more"
}

// phaseWords names a phase for people.
func phaseWords(p model.Phase) string {
	if p == model.PhaseCeiling {
		return "check of the load generator"
	}
	return string(p)
}

// shortest is how many seconds a phase that is not counted in bytes must last to be logged.
const shortest = 0.5

// least says how many repeats there will be: "of 6", or "of at least 18" until that many were done.
func (s *state) least(n int) string {
	switch {
	case s.steps == 0, s.workloads > 0 && n > s.steps:
		return ""
	case s.workloads == 0:
		return fmt.Sprintf("of %d", max(s.steps, n))
	}
	return fmt.Sprintf("of at least %d", s.steps)
}

// wanting says how many workloads need more repeats: "5 of 14 not yet converged", or of the changes of a comparison
// "5 of 14 not yet precise enough".
func (s *state) wanting() string {
	open, what := s.workloads-s.converged, "converged"
	if s.side != "" {
		what = "precise enough"
	}
	switch {
	case s.workloads == 0:
		return ""
	case open == 0:
		return "all " + what
	}
	return fmt.Sprintf("%d of %d not yet %s", open, s.workloads, what)
}

// wantingShort is wanting in the few columns of a status line.
func (s *state) wantingShort() string {
	return strings.Replace(s.wanting(), "not yet ", "not ", 1)
}

// timeLeft says how much longer the planned repeats take, and whether more may follow: "at least about 40 s left".
func (s *state) timeLeft() string {
	if s.unplanned || s.left <= 0 {
		return ""
	}
	text := "about " + units.FormatSpan(s.left) + " left"
	if s.workloads > s.converged {
		text = "at least " + text
	}
	return text
}

// stepLine returns "repeat 3 of at least 18, 6 of 6 not yet converged, at least about 50 s left: rand-read-iops 21.4k IOPS ±6.0%",
// and in a comparison "…: rand-read-iops B, block 1 21.4k IOPS; change −2.1% [−6.0%, +1.9%]".
func (s *state) stepLine(r *model.StepResult, j *model.Judgement, c *model.Contrast) string {
	n := s.begun
	lead := strings.TrimSpace(fmt.Sprintf("repeat %d %s", n, s.least(n))) + words.Prefixed(", ", s.wanting()) + words.Prefixed(", ", s.timeLeft()) + ": " + r.Step.Workload
	line := lead + " "
	if s.side != "" {
		line = fmt.Sprintf("%s %s, block %d ", lead, s.side, r.Step.Block)
	}
	value := s.sum.Value(s.metric(), s.sumSeconds)
	if r.Step.Look && r.Error == "" && r.IOErrors == 0 && !math.IsNaN(s.lastRate) {
		return fmt.Sprintf("%s without a pause for %s: %s in its last second", strings.TrimSpace(lead+" "+string(s.side)),
			units.FormatSpan(r.Step.Seconds), s.metric().Format(s.lastRate))
	}
	if j != nil && s.workload != nil && s.workload.Direction == model.Mixed && j.Direction != "" {
		line += string(j.Direction) + " "
	}
	flushes := ""
	if a := r.App; a != nil && a.Flushes != nil && a.Seconds > 0 && *a.Flushes > 0 {
		flushes = ", " + units.FormatRate(*a.Flushes/a.Seconds) + " flushes/s"
	}
	switch {
	case r.Error != "":
		return line + "failed: " + strings.TrimSpace(r.Error)
	case r.IOErrors > 0:
		return line + fmt.Sprintf("failed: %d I/O errors", r.IOErrors)
	case s.sumSeconds == 0 && (j == nil || !j.Estimate.Telling()):
		return line + "nothing measured" // it was interrupted before its first sample
	case j != nil && j.Estimate.Telling():
		return line + j.Metric.Format(j.Value) + " " + j.Metric.FormatWidth(j.Direction, j.Estimate) + observing(j) + flushes
	case j != nil:
		return line + j.Metric.Format(j.Value) + " (no interval yet)" + flushes
	case !math.IsNaN(value) && s.side != "":
		return line + s.metric().Format(value) + flushes + contrastWords(c)
	case !math.IsNaN(value):
		return line + s.metric().Format(value) + " (no interval yet)" + flushes
	}
	return line + "nothing measured"
}

// observing says why a workload whose interval is narrow enough has not converged: ", observed for 42 s of 1 m 03 s".
func observing(j *model.Judgement) string {
	if !j.Precise || j.ObserveFor <= j.Observed {
		return ""
	}
	return fmt.Sprintf(", observed for %s of %s", units.FormatSpan(j.Observed), units.FormatSpan(j.ObserveFor))
}

// contrastWords says what is known about the worst row so far.
func contrastWords(c *model.Contrast) string {
	if c == nil || c.Ratio.Confidence == 0 {
		return ""
	}
	metric := ""
	if c.Metric == model.P99 {
		metric = "p99 "
	}
	text := "; " + metric + "change " + words.Change(c.Ratio.Value, 1) + " "
	if !c.Ratio.Telling() {
		return text + "(no interval yet)"
	}
	text += words.Interval(c.Ratio)
	if c.Precise {
		text += ", precise enough"
	}
	return text
}

// span formats an elapsed time: one decimal below 10 s.
func span(s float64) string {
	if s < 9.95 {
		return fmt.Sprintf("%.1f s", s)
	}
	return units.FormatSpan(s)
}
