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
