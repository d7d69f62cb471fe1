package model

// Recorded is everything that a run directory holds, read back: the input of
// analysis. Samples are in the order in which they arrived.
type Recorded struct {
	Plan        Plan
	Run         Run
	Environment Environment
	Samples     []Sample
	// Jobs are the exact job texts that the load tool was given, by workload.
	Jobs map[string]string
	// Durability are the durability tests that were made part of the run.
	Durability []Durability
	// Imported is what another tool measured, in the place of Samples; nil otherwise.
	Imported *Imported
	// Directory is where the run was read from.
	Directory string
	// Damage tells, in sentences, what could not be read (a torn last line …).
	Damage []string
}
