package session

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// chosenProfile returns the workloads that the experiment selects. Remarks about a user's job file are
// passed to say.
func chosenProfile(exp model.Experiment, say func(string)) (profile.Profile, error) {
	p, err := namedProfile(exp, say)
	if err != nil {
		return p, err
	}
	return profile.Choose(p, exp.Only, exp.Skip)
}

// namedProfile returns the experiment's profile or job file, with all of its workloads.
func namedProfile(exp model.Experiment, say func(string)) (profile.Profile, error) {
	switch {
	case exp.Job != "":
		data := []byte(exp.JobText)
		workloads, err := spec.ParseJob(exp.Job, data)
		if ours := spec.JobReplacements(exp.Job, data); err == nil && len(ours) > 0 {
			say(fmt.Sprintf("TARGET and the plan replace what %s says of: %s", exp.Job, strings.Join(ours, ", ")))
		}
		return profile.Profile{Name: exp.Job, Title: "own fio jobs", Workloads: workloads}, err
	case ownProfile(exp.Profile):
		own, err := spec.ParseProfile(exp.Profile, []byte(exp.ProfileText))
		if err != nil {
			return profile.Profile{}, err
		}
		return profile.Profile{Name: exp.Profile, Title: own.Title, Workloads: own.Workloads, Repeat: own.Repeat, Ramp: own.Ramp, ShortWriteLook: own.ShortWriteLook,
			MaxTime: own.MaxTime, Precision: own.Precision, Engine: own.Engine, Size: own.Size, Goals: own.Goals}, nil
	}
	return profile.Lookup(exp.Profile)
}

// writes reports whether any workload writes.
func writes(workloads []model.Workload) bool {
	for _, w := range workloads {
		if w.Writes() {
			return true
		}
	}
	return false
}
