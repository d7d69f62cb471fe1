// Package prediction defines the data of a prediction: what an application would do on storage that was
// measured directly. Its assumptions: a rate that was not measured has an interval that covers the
// uncertainty of its inputs and of the model itself, reported separately, and states its assumptions.
package prediction

import "github.com/loadline/loadline/internal/model"

// Schema is the schema name of a prediction.
const Schema = "loadline.prediction/v1"

// ModelError is how far a prediction may be from the later measurement even if all of its inputs are
// right, on the scale of natural logarithms: 0.15 is from -14 % to +16 %. It is a cautious choice, not
// a fit: docs/predict.md lists the measurements it was checked against.
const ModelError = 0.15

// Limit is where most of a transaction's time goes, or what prevents a higher rate.
type Limit string

// The limits.
const (
	// ByFlushes: waiting for log flushes, the transaction's own and the one in progress.
	ByFlushes Limit = "flushes"
	// ByProcessors: the processors are at least 90 % busy.
	ByProcessors Limit = "processors"
	// ByReads: reads of pages that are not in memory.
	ByReads Limit = "reads"
	// ByRows: waiting for other transactions that changed the same row and are not flushed yet.
	ByRows Limit = "rows"
	// ByWork: the client's and the server's own work, with processors to spare.
	ByWork Limit = "work"
)

// Limits lists all of them.
var Limits = []Limit{ByFlushes, ByProcessors, ByReads, ByRows, ByWork}

// Run is one of the two runs on which a prediction is based.
type Run struct {
	ID     string `json:"id"`
	Target string `json:"target"`
	// Directory is where it is stored.
	Directory string `json:"directory,omitempty"`
	// Workloads are the workloads of the run that were used.
	Workloads []string `json:"workloads"`
	// Processors is the number of processors of its machine, or as many as a limit allows ("1.5"), Model their
	// model, if known.
	Processors float64 `json:"processors,omitempty"`
	Model      string  `json:"cpu_model,omitempty"`
}

// Time is the duration of one operation of the storage, in seconds.
type Time struct {
	Workload string `json:"workload"`
	// Bytes is the size of the operation.
	Bytes int64 `json:"bytes"`
	model.Estimate
}

// Flush is the duration of a write of the log with its flush, one after the other.
type Flush struct {
	Time
	// Unlimited is the duration of a flush that does not wait for the storage's limit on the rate, whose
	// interval between flushes is then the estimate; 0 if no limit was found.
	Unlimited float64 `json:"unlimited_seconds,omitempty"`
	// Processor is the time that processors are busy for one flush besides the load tool; 0 if it is not
	// known.
	Processor float64 `json:"processor_seconds,omitempty"`
}

// Reading is the storage's performance at reading single pages.
type Reading struct {
	Time
	// Concurrency is the number served concurrently, by Little's law from a deeper queue; 0 is
	// unknown.
	Concurrency int `json:"at_once,omitempty"`
}

// Costs are the costs of one transaction where the application was measured. Times are in seconds.
type Costs struct {
	Workload string `json:"workload"`
	Clients  int    `json:"clients"`
	// Processor is the CPU time of client and server; nil if it was not counted.
	Processor *float64 `json:"processor_seconds,omitempty"`
	// Contention multiplies the CPU time of a transaction and of the storage's work for its flushes where several
	// clients fill the processors, so that the measured application's own rate comes out; 0 if they did not.
	Contention float64 `json:"contention,omitempty"`
	// Beside is how many processors were used, on average, by what is neither client nor server session nor Loadline (the
	// server's other processes, the kernel's threads), less what is used without load; 0 if it is not known.
	Beside float64 `json:"beside_processors,omitempty"`
	// LogBytes is what was written to the log, PageImages the number of full-page images in it; nil if
	// they were not counted.
	LogBytes   float64  `json:"log_bytes"`
	PageImages *float64 `json:"page_images,omitempty"`
	// Reads are reads from the device.
	Reads float64 `json:"reads"`
}

// Parts is the breakdown of the time of one transaction, in seconds; the parts add up to its latency.
type Parts struct {
	// Work is time on a CPU and time not covered by any of the fields below, Queue is waiting for a
	// CPU.
	Work  float64 `json:"work"`
	Queue float64 `json:"processor_wait"`
	Reads float64 `json:"reads"`
	Rows  float64 `json:"row_wait"`
	// Wait is waiting for the flush in progress, Flush the flush that includes the transaction.
	Wait  float64 `json:"flush_wait"`
	Flush float64 `json:"flush"`
}

// Uncertainty is the uncertainty of a rate due to one input, or to the model: relative, with Low at
// most 0 and High at least 0.
type Uncertainty struct {
	Of   string  `json:"of"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Point is the prediction for a number of clients.
type Point struct {
	Clients int `json:"clients"`
	// Rate is in transactions per second, Latency is their mean latency.
	Rate    model.Estimate `json:"rate"`
	Latency model.Estimate `json:"latency"`
	Limit   Limit          `json:"limit"`
	Parts   Parts          `json:"parts"`
	// LogBytes is what a transaction writes to the log: more where fewer transactions have shared the
	// full-page images since the last checkpoint.
	LogBytes float64 `json:"log_bytes"`
	// Flushes is the number per transaction, Flushing the fraction of time in which one is in progress,
	// Busy the utilization of the processors; nil if unknown.
	Flushes  float64  `json:"flushes"`
	Flushing float64  `json:"flushing"`
	Busy     *float64 `json:"processors_busy,omitempty"`
	// Uncertainties are the components of the interval, combined as the root of the sum of their
	// squares.
	Uncertainties []Uncertainty `json:"doubts"`
}

// Prediction is the whole answer, loadline.prediction/v1: fields are only ever added.
type Prediction struct {
	Schema string `json:"schema"`
	// Application is the name of the application, Load the kind of transaction, Scale the size of its
	// data.
	Application string `json:"application"`
	Load        string `json:"load"`
	Scale       int    `json:"scale"`
	// From is the run that measured the storage, Like the run that measured the application elsewhere.
	From Run `json:"from"`
	Like Run `json:"like"`
	// Flushes are by increasing size. Read is nil if no transaction reads from the device.
	Flushes []Flush  `json:"flushes"`
	Read    *Reading `json:"read,omitempty"`
	// Other is the part of a transaction's own work that is not CPU time, in seconds.
	Other model.Estimate `json:"other_work"`
	// Costs are by increasing number of clients.
	Costs      []Costs `json:"costs"`
	ModelError float64 `json:"model_error"`
	Points     []Point `json:"points"`
	// Assumes lists the assumptions.
	Assumes []string `json:"assumes"`
	// Verdict is the worst verdict on the storage measurements used, Findings are the rules' findings
	// on them.
	Verdict  model.Verdict   `json:"verdict"`
	Findings []model.Finding `json:"findings,omitempty"`
}
