package spec

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var experimentFields = []string{"scenario", "target", "profile", "job", "only", "skip", "size", "precision", "max_time",
	"max_prefill", "time", "ramp_time", "until_steady", "destroy_data_on", "seed", "note", "labels", "baseline", "repeat", "margin",
	"margin_p99", "fail_on", "goals", "cap", "replicas", "check_cache", "sweep", "scale", "app", "place", "profile_text", "job_text"}

// FailWords are the verdicts on a row of a comparison that can make the command fail, and the word for none of them.
var FailWords = []string{"worse", "unclear", "invalid", "none"}

// longestExperiment is the maximum size of an experiment's text in bytes: embedded files of the maximum
// size, encoded as YAML, remain readable.
const longestExperiment = 8 * maxFile

// ParseExperiment parses experiment.yaml, which is enough to repeat an experiment.
func ParseExperiment(file string, data []byte) (model.Experiment, error) {
	d, root := openUpTo(longestExperiment, file, data)
	o := d.object(root, "an experiment", experimentFields)
	o.require("scenario", "")
	o.require("target", "")
	e := model.Experiment{
		Scenario: o.text("scenario"), Target: o.text("target"), Profile: o.text("profile"), Job: o.text("job"),
		Only: o.texts("only"), Skip: o.texts("skip"), Size: o.size("size"),
		Precision: o.share("precision"), MaxTime: o.seconds("max_time"), MaxPrefill: o.seconds("max_prefill"),
		Time: o.seconds("time"), RampTime: o.seconds("ramp_time"), UntilSteady: o.truth("until_steady"),
		DestroyDataOn: o.text("destroy_data_on"), Seed: o.seed("seed"), Note: o.text("note"), Labels: o.labels("labels"),
		Baseline: o.text("baseline"), Repeat: int(o.whole("repeat", 2, units.MostRepeats)), Goals: o.texts("goals"), FailOn: o.words("fail_on", FailWords),
		Margin: o.share("margin"), MarginP99: o.share("margin_p99"),
		Cap: o.limit("cap"), Replicas: int(o.whole("replicas", 0, 1000)), CheckCache: o.truth("check_cache"),
		Sweep: o.sweep("sweep"), Scale: o.scale("scale"), App: o.app("app"), Place: o.placement("place"),
		ProfileText: o.text("profile_text"), JobText: o.text("job_text"),
	}
	for i, text := range e.Goals {
		if err := CheckGoal(text); err != nil {
			refused, _ := err.(*model.WorkerError)
			d.fail(o.list("goals")[i].GetToken(), refused.Hint, "%s", strings.TrimPrefix(refused.Message, "--goal "))
		}
	}
	o.checkRepeat("time", e.Time)
	for _, f := range []struct {
		text, name, like string
		given            bool
	}{
		{"profile_text", "profile", "own.yaml", strings.HasSuffix(e.Profile, ".yaml") || strings.HasSuffix(e.Profile, ".yml")},
		{"job_text", "job", "own.fio", e.Job != ""},
	} {
		if o.has(f.text) && !f.given {
			o.doc.fail(o.keys[f.text], fmt.Sprintf("write the name of that file too, such as %s: %s", f.name, f.like), "%s is the content of a file, but %q names none", f.text, f.name)
		}
	}
	if e.UntilSteady {
		o.checkRepeat("max_time", e.MaxTime)
	}
	if d.err != nil {
		return model.Experiment{}, d.err
	}
	return e, nil
}

// limit returns the stated limit of the storage.
func (o *object) limit(field string) model.Cap {
	if !o.has(field) {
		return model.Cap{}
	}
	c, err := model.ParseCap(o.text(field))
	if err != nil {
		o.fail(field, "write it like iops=3000,bandwidth=125MiB/s", "%s: %v", field, err)
	}
	return c
}

// labels returns the user's labels for the run.
func (o *object) labels(field string) model.Labels {
	labels, err := model.ParseLabels(o.texts(field))
	if err != nil {
		o.fail(field, "write NAME=VALUE, each name once", "%s: %v", field, err)
	}
	return labels
}

// share returns a fraction, written as "5%" or 0.05.
func (o *object) share(field string) float64 {
	s := o.text(field)
	if !o.has(field) {
		return 0
	}
	digits, percent := strings.CutSuffix(s, "%")
	v, err := units.ParseDecimal(digits)
	if percent {
		v /= 100
	}
	if err != nil {
		o.fail(field, "write it like 5%", "%s is %q, which is not a percentage%s", field, s, units.Plainly(err))
		return 0
	}
	if !(v > 0 && v < 1) {
		o.fail(field, "write it like 5%", "%s is %q, but must be more than 0 and less than 100 %%", field, s)
		return 0
	}
	return v
}

// seed returns a number that needs all 64 bits.
func (o *object) seed(field string) uint64 {
	s := o.text(field)
	if !o.has(field) {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if _, other := units.ParseWhole(s); errors.Is(other, units.ErrNotPlain) {
		err = other
	}
	if err != nil {
		o.fail(field, plainHint(err), "%s is %q, but must be a whole number up to %d", field, s, uint64(math.MaxUint64))
	}
	return n
}

// MarshalExperiment writes an experiment so that it is readable and ParseExperiment restores it
// exactly. Fields without a value are left out.
func MarshalExperiment(e model.Experiment) ([]byte, error) {
	return encode(
		pair{"scenario", e.Scenario}, pair{"target", e.Target}, pair{"profile", optional(e.Profile)},
		pair{"job", optional(e.Job)}, pair{"only", list(e.Only)}, pair{"skip", list(e.Skip)},
		pair{"size", formatSize(e.Size)}, pair{"precision", formatShare(e.Precision)},
		pair{"max_time", formatSeconds(e.MaxTime)}, pair{"max_prefill", formatSeconds(e.MaxPrefill)},
		pair{"time", formatSeconds(e.Time)}, pair{"ramp_time", formatSeconds(e.RampTime)},
		pair{"until_steady", formatTruth(e.UntilSteady)}, pair{"destroy_data_on", optional(e.DestroyDataOn)},
		pair{"seed", formatSeed(e.Seed)}, pair{"note", optional(e.Note)}, pair{"labels", list(e.Labels.Words())},
		pair{"baseline", optional(e.Baseline)}, pair{"repeat", formatWhole(e.Repeat)}, pair{"margin", formatShare(e.Margin)},
		pair{"margin_p99", formatShare(e.MarginP99)}, pair{"fail_on", list(e.FailOn)}, pair{"goals", list(e.Goals)},
		pair{"cap", optional(e.Cap.String())}, pair{"replicas", formatWhole(e.Replicas)}, pair{"check_cache", formatTruth(e.CheckCache)},
		pair{"sweep", formatSweep(e.Sweep)}, pair{"scale", formatScale(e.Scale)}, pair{"app", formatApp(e.App)},
		pair{"place", formatPlacement(e.Place)}, pair{"profile_text", formatFile(e.ProfileText)}, pair{"job_text", formatFile(e.JobText)},
	)
}
