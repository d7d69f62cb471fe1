package progress

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

// Lines is a stream for people until Begin, and one of JSON events, one per line, from then on:
// text written to it becomes events too. Its methods may be called from several goroutines. Events
// ignore errors of the stream: progress that cannot be delivered must not end a measurement.
type Lines struct {
	mu  sync.Mutex
	w   io.Writer
	now func() time.Time
	on  bool
	// part is the beginning of an incomplete line of text.
	part []byte
	// repeats are those in progress, by side: each side of a comparison has its own.
	repeats map[model.Side]*underWay
	// steps is how many are planned, begun how many have begun on both sides together.
	steps, begun int
	// elapsed and left are in seconds; unplanned is set if the remaining time is unknown.
	elapsed, left float64
	unplanned     bool
}

// underWay is a repeat in progress.
type underWay struct {
	step     model.Step
	workload model.Workload
	number   int
	sum      model.Flow
	seconds  float64
	// flushes is how often per second an application lately flushed its log; 0 if unknown.
	flushes float64
}

// New makes w a stream that can carry events; now returns the time.
func New(w io.Writer, now func() time.Time) *Lines {
	return &Lines{w: w, now: now, repeats: map[model.Side]*underWay{}, unplanned: true}
}

// Begin turns everything from now on into events.
func (l *Lines) Begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.on = true
}

// On reports whether the stream carries events.
func (l *Lines) On() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.on
}

// Write writes text for people; after Begin, as an event for each line.
func (l *Lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.on {
		return l.w.Write(p)
	}
	l.part = append(l.part, p...)
	for {
		line, rest, whole := bytes.Cut(l.part, []byte{'\n'})
		if !whole {
			return len(p), nil
		}
		l.part = rest
		l.say(string(line))
	}
}

// say sends a line for people.
func (l *Lines) say(line string) {
	if line = strings.TrimSpace(line); line != "" {
		l.tell(event{Event: message, Message: line})
	}
}

// tell writes an event, with the time and the remaining time.
func (l *Lines) tell(e event) {
	e.Schema, e.Time = schema, l.now()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(e) != nil {
		return
	}
	_, _ = l.w.Write(jsonout.Visible([]byte(secrets.MaskText(b.String()))))
}

// timed returns an event of a measurement in progress.
func (l *Lines) timed(e event) {
	e.Elapsed = number(l.elapsed)
	if !l.unplanned && l.left > 0 && number(l.left) != nil {
		e.Remaining = number(l.left)
		e.ETA = l.now().Add(time.Duration(l.left * float64(time.Second))).Round(time.Millisecond)
	}
	l.tell(e)
}

// Plan reports what is going to be measured, from the plan of one target or those of both that are
// compared, and where it is saved.
func (l *Lines) Plan(run, directory string, labels model.Labels, plans ...model.Plan) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := event{Event: planned, Run: run, Directory: directory, Labels: labels}
	for i, p := range plans {
		targets := []model.Volume{p.Volume}
		if len(p.Volumes) > 0 {
			targets = p.Volumes
		}
		for _, v := range targets {
			e.Targets = append(e.Targets, v.Target.Place())
		}
		e.Planned += len(p.Steps)
		if i > 0 {
			continue
		}
		for _, w := range p.Workloads {
			e.Workloads = append(e.Workloads, plannedLoad{w.Name, w.Metric, w.Metric.Unit()})
		}
	}
	l.tell(e)
}

// Cut reports the progress of a durability test: the phase of a cut, and the acknowledged writes if
// the phase has any; otherwise total is 0.
func (l *Lines) Cut(name string, cut, cuts, done, total int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := event{Event: phase, Phase: name, Cut: cut, Cuts: cuts}
	if total > 0 {
		e.Done, e.Total = number(float64(done)), number(float64(total))
	}
	l.tell(e)
}

// End reports that the command ends with the exit code, after flushing an incomplete line.
func (l *Lines) End(code int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.say(string(l.part))
	l.part = nil
	l.tell(event{Event: ended, ExitCode: &code})
}

// Clear does nothing; progress on a terminal has it.
func (l *Lines) Clear() {}

// Close does nothing; progress on a terminal has it.
func (l *Lines) Close() {}

// Observe reports an update from the engine.
func (l *Lines) Observe(u model.Update) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.elapsed, l.left, l.unplanned = u.Elapsed, u.Left, u.Unplanned
	if u.Steps > 0 {
		l.steps = u.Steps
	}
	if u.Step != nil {
		l.begin(u)
	}
	if p := u.Progress; p != nil && p.Phase == model.PhaseMeasure {
		// The next second has it.
		if v := l.repeats[u.Side]; v != nil {
			v.flushes = p.Flushes
		}
	} else if p != nil {
		l.timed(l.progressOf(u))
	}
	if u.Sample != nil {
		l.sample(u)
	}
	if u.Result != nil {
		l.result(u)
	}
	if u.Message != "" {
		l.say(u.Message)
	}
}

// progressOf returns the event for a phase's progress.
func (l *Lines) progressOf(u model.Update) event {
	p := u.Progress
	e := event{Event: phase, Phase: string(p.Phase), Side: u.Side, Done: number(p.Done), Total: number(p.Total), Unit: "s"}
	if p.Phase.InBytes() {
		e.Unit = "B"
		if p.Rate > 0 {
			e.Rate = number(p.Rate)
		}
	}
	if p.Limit > 0 {
		e.LimitIn = number(p.Limit)
	}
	if v := l.repeats[u.Side]; v != nil {
		l.name(&e, v)
	}
	return e
}

// begin reports that a repeat begins.
func (l *Lines) begin(u model.Update) {
	l.begun++
	// The numbers of steps have gaps, where planned ones are left out, and are counted on each side.
	v := &underWay{step: *u.Step, number: l.begun}
	if u.Workload != nil {
		v.workload = *u.Workload
	}
	l.repeats[u.Side] = v
	e := event{Event: repeat, Phase: string(model.PhaseMeasure), Side: u.Side}
	l.name(&e, v)
	l.timed(e)
}

// name adds to an event which repeat it refers to.
func (l *Lines) name(e *event, v *underWay) {
	e.Workload, e.Direction, e.Number, e.Repeat = v.step.Workload, v.workload.Direction, v.number, v.step.Round
	e.Planned = max(l.steps, v.number)
	if v.step.Block > 0 {
		e.Repeat = v.step.Block
	}
}

// sample reports a second: of a mixed workload both directions together.
func (l *Lines) sample(u model.Update) {
	v := l.repeats[u.Side]
	if v == nil {
		return
	}
	var flow model.Flow
	for _, f := range []*model.Flow{u.Sample.Read, u.Sample.Write} {
		if f != nil {
			flow.Add(*f)
		}
	}
	v.sum.Add(flow)
	volumes := v.workload.VolumeCount()
	v.seconds += u.Sample.Seconds / float64(max(volumes, 1))
	e := event{Event: second, Phase: string(model.PhaseMeasure), Side: u.Side}
	l.name(&e, v)
	e.measured(v.workload.Metric, flow.Value(v.workload.Metric, u.Sample.Seconds))
	if v.flushes > 0 {
		e.Flushes = number(v.flushes)
	}
	if volumes > 1 {
		worker := u.Sample.Worker
		e.Worker = &worker
	}
	l.timed(e)
}

// result reports the result of a repeat, and what is known about its workload so far.
func (l *Lines) result(u model.Update) {
	v := l.repeats[u.Side]
	if v == nil {
		return
	}
	delete(l.repeats, u.Side)
	e := event{Event: result, Phase: string(model.PhaseMeasure), Side: u.Side, Error: strings.TrimSpace(u.Result.Error)}
	l.name(&e, v)
	switch j := u.Judgement; {
	case e.Error != "":
	case j != nil:
		if j.Direction != "" {
			e.Direction = j.Direction
		}
		e.measured(j.Metric, j.Value)
		e.Interval, e.Converged = intervalOf(j.Estimate), &j.Converged
		if j.Precise && j.ObserveFor > j.Observed {
			e.Observed, e.ObserveFor = number(j.Observed), number(j.ObserveFor)
		}
	default:
		e.measured(v.workload.Metric, v.sum.Value(v.workload.Metric, v.seconds))
	}
	if c := u.Contrast; c != nil && c.Ratio.Confidence > 0 && number(c.Ratio.Value) != nil {
		e.Change = &change{c.Metric, c.Ratio.Value, intervalOf(c.Ratio), c.Precise}
	}
	l.timed(e)
}

// measured sets the value of an event, if there is one.
func (e *event) measured(metric model.Metric, value float64) {
	e.Metric = metric
	if e.Value = number(value); e.Value != nil {
		e.Unit = metric.Unit()
	}
}
