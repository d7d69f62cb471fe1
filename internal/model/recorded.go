package model

// Recorded is the full content of a run directory, read back: the input of the analysis. Samples are in
// order of arrival.
type Recorded struct {
	Plan        Plan
	Run         Run
	Environment Environment
	Samples     []Sample
	// Jobs are the exact job texts passed to the load tool, by workload.
	Jobs map[string]string
	// Durability holds the durability tests that were made part of the run.
	Durability []Durability
	// Imported is what another tool measured, in place of Samples; nil otherwise.
	Imported *Imported
	// Directory is where the run was read from.
	Directory string
	// Steps are the workloads of the steps by number, as the names of the load tool's outputs say, if the record of the run
	// is lost, which says it otherwise: the plan does not, because steps are moved and added during a run. nil if it is not.
	Steps map[int]string
	// Damage lists, in sentences, what could not be read (a truncated last line …).
	Damage []string
}

// Labels returns the user's labels for the run. Imported runs, and runs whose run.json is missing, have those of the
// experiment.
func (r *Recorded) Labels() Labels {
	if r.Run.Labels == nil {
		return r.Plan.Experiment.Labels
	}
	return r.Run.Labels
}

// RepeatsMade returns the number of repeats that were made to their end and not made again, each once however many workers made it, and whether
// every workload has as many as were planned at least.
func (r *Recorded) RepeatsMade() (made int, all bool) {
	whole, of := map[int]bool{}, map[int]string{}
	for i := range r.Run.Steps {
		s := &r.Run.Steps[i]
		n := s.Step.Number
		// The rule that ends a repeat once it is steady ends it early.
		good := s.Error == "" && !s.Unfilled && (!s.EndedEarly || r.Plan.Schedule.Mode == Steady)
		if _, seen := of[n]; !seen {
			whole[n] = true
		}
		whole[n], of[n] = whole[n] && good, s.Step.Workload
	}
	left := map[string]int{}
	for _, s := range r.Plan.Steps {
		left[s.Workload]++
	}
	for n, good := range whole {
		if good {
			made++
			left[of[n]]--
		}
	}
	for _, n := range left {
		if n > 0 {
			return made, false
		}
	}
	return made, made > 0
}
