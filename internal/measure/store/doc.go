// Package store keeps runs as plain directories.
//
// Its assumptions: raw data is written as it arrives and never changed; every other file is replaced
// atomically (a temporary file, then a rename), so that a directory can be read after a crash at any
// moment, moved with tar and inspected with zstd and jq. There is no database.
//
//	experiment.yaml      what was requested
//	plan.json            its expansion
//	run.json             status, tools, preparation, one result per step
//	environment.json     machine and storage
//	samples.jsonl.zst    one line per second and worker
//	raw/                 the exact jobs, and the tool's own output
//	imported.json        if another tool measured the run: what was extracted from raw/
//	report.json …        computed from the above; `loadline analyze` computes them again
//	card.json            what a list shows, so that thousands of runs can be listed at once
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

// PlanFile is the name of a run's plan, for callers that only need what was requested.
const PlanFile = planFile

// Computed files that other packages name: the report of a run or of a durability test, the page of a
// run or of a comparison, and the card of any directory.
const (
	ReportFile = "report.json"
	PageFile   = "report.html"
	CardFile   = "card.json"
)
