// Package prediction is the words of a prediction: what an application would do on storage that
// was measured by itself. Its opinion: a rate that nobody has measured has an interval that
// holds what its inputs leave open and what the model itself may be off by, the two apart, and
// says what must hold for it.
package prediction

import "github.com/loadline/loadline/internal/model"

// Schema is the schema name of a prediction.
const Schema = "loadline.prediction/v1"

// ModelError is how far a prediction may be from what is then measured though all of its inputs
// are right, on the scale of natural logarithms: 0.15 is from -14 % to +16 %. It is set with
// caution and not fitted: docs/predict.md says what was held against it.
const ModelError = 0.15

// Limit is what most of a transaction's time goes to, or what allows no more of them.
type Limit string

// The limits.
const (
	// ByFlushes: waiting for flushes of the log, one's own and that in progress.
	ByFlushes Limit = "flushes"
	// ByProcessors: they are busy nine tenths of the time and more.
	ByProcessors Limit = "processors"
	// ByReads: reads of pages that are not in memory.
	ByReads Limit = "reads"
	// ByRows: waiting for others who have changed the same row and are not flushed yet.
	ByRows Limit = "rows"
	// ByWork: the client's and the server's own work, with processors to spare.
	ByWork Limit = "work"
)

// Limits are all of them.
var Limits = []Limit{ByFlushes, ByProcessors, ByReads, ByRows, ByWork}

// Run is one of the two runs that a prediction is made of.
type Run struct {
	ID     string `json:"id"`
	Target string `json:"target"`
	// Directory is where it is saved.
	Directory string `json:"directory,omitempty"`
	// Workloads are those that were used of it.
	Workloads []string `json:"workloads"`
	// Processors is how many its machine has, Model what they are; as far as is known.
	Processors int    `json:"processors,omitempty"`
	Model      string `json:"cpu_model,omitempty"`
}

// Time is how long the storage took for one thing, in seconds.
type Time struct {
	Workload string `json:"workload"`
	// Bytes is how large it was.
	Bytes int64 `json:"bytes"`
	model.Estimate
}

// Reading is how the storage reads single pages.
type Reading struct {
	Time
	// AtOnce is how many it serves at a time, by Little's law of a deeper queue; 0 is not known.
	AtOnce int `json:"at_once,omitempty"`
}

// Costs are what one transaction took where the application was measured. Times are in seconds.
type Costs struct {
	Workload string `json:"workload"`
	Clients  int    `json:"clients"`
	// Processor is the time on one, of client and server; nil where nobody counted.
	Processor *float64 `json:"processor_seconds,omitempty"`
	LogBytes  float64  `json:"log_bytes"`
	// Reads are those of the device.
	Reads float64 `json:"reads"`
}

// Parts are where the time of one transaction goes, in seconds; they add up to its latency.
type Parts struct {
	// Work is on a processor and beside all that follows, Queue waiting for a processor.
	Work  float64 `json:"work"`
	Queue float64 `json:"processor_wait"`
	Reads float64 `json:"reads"`
	Rows  float64 `json:"row_wait"`
	// Wait is for the flush in progress, Flush the one that has the transaction in it.
	Wait  float64 `json:"flush_wait"`
	Flush float64 `json:"flush"`
}

// Doubt is how far one input, or the model, lets a rate be from what is said: relative, Low at
// most 0 and High at least 0.
type Doubt struct {
	Of   string  `json:"of"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Point is what so many clients would do.
type Point struct {
	Clients int `json:"clients"`
	// Rate is in transactions per second, Latency the mean time of one.
	Rate    model.Estimate `json:"rate"`
	Latency model.Estimate `json:"latency"`
	Limit   Limit          `json:"limit"`
	Parts   Parts          `json:"parts"`
	// Flushes are those for each transaction, Flushing the share of the time in which one is in
	// progress, Busy the share of the processors' time that is used; nil where it is not known.
	Flushes  float64  `json:"flushes"`
	Flushing float64  `json:"flushing"`
	Busy     *float64 `json:"processors_busy,omitempty"`
	// Doubts are what the interval is made of, by the root of the sum of their squares.
	Doubts []Doubt `json:"doubts"`
}

// Prediction is the whole answer, loadline.prediction/v1: fields are only ever added.
type Prediction struct {
	Schema string `json:"schema"`
	// Application is its name, Load what one transaction is, Scale how large its data are.
	Application string `json:"application"`
	Load        string `json:"load"`
	Scale       int    `json:"scale"`
	// From measured the storage, Like the application somewhere else.
	From Run `json:"from"`
	Like Run `json:"like"`
	// Flushes are by increasing size. Read is nil where no transaction reads of the device.
	Flushes []Time   `json:"flushes"`
	Read    *Reading `json:"read,omitempty"`
	// Other is the part of a transaction's own work that is not on a processor, in seconds.
	Other model.Estimate `json:"other_work"`
	// Costs are by increasing numbers of clients.
	Costs      []Costs `json:"costs"`
	ModelError float64 `json:"model_error"`
	Points     []Point `json:"points"`
	// Assumes are what must hold for it.
	Assumes []string `json:"assumes"`
	// Verdict is the worst of the numbers that were measured of the storage, Findings are what
	// the rules say of them.
	Verdict  model.Verdict   `json:"verdict"`
	Findings []model.Finding `json:"findings,omitempty"`
}
