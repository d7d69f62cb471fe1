// Package store keeps runs as plain directories. Its opinion: raw data is written
// as it arrives and never changed; every other file is replaced whole (a temporary
// file, then a rename), so that a directory can be read after a crash at any
// moment, moved by tar and looked at with zstd and jq. There is no database.
//
//	experiment.yaml      what was asked for
//	plan.json            its expansion
//	run.json             status, tools, preparation, one result per step
//	environment.json     machine and storage
//	samples.jsonl.zst    one line per second and worker
//	raw/                 the exact jobs, and the tool's own output
//	imported.json        of a run that another tool measured: what was read out of raw/
//	report.json …        computed from the above; `loadline analyze` makes them again
//	card.json            what a list shows of it, so that thousands are listed at once
package store

// The names of the files of a run directory.
const (
	experimentFile  = "experiment.yaml"
	planFile        = "plan.json"
	runFile         = "run.json"
	environmentFile = "environment.json"
	samplesFile     = "samples.jsonl.zst"
	rawDir          = "raw"
)

// PlanFile is the name of a run's plan, for who needs what was asked for and nothing else.
const PlanFile = planFile

// The computed files that other packages name: the report of a run or of a durability
// test, the page of a run or of a comparison, and the card of any directory.
const (
	ReportFile = "report.json"
	PageFile   = "report.html"
	CardFile   = "card.json"
)
