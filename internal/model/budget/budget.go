// Package budget defines the data of an explanation: where the time of one operation goes, from the
// client down to the device. Its assumptions: every row has a source; the rows are checked against what
// the client saw, and the remainder is a row of its own with a name; a budget that is off by more than
// Tolerance does not close: it says what is missing, and nothing else.
package budget

import (
	"math"

	"github.com/loadline/loadline/internal/model/amplification"
	"github.com/loadline/loadline/internal/model/units"
)

// Schema is the schema name of an explanation.
const Schema = "loadline.explanation/v1"

// Tolerance is the fraction of an operation's time that may be unaccounted for, or counted twice, in a
// budget that closes.
const Tolerance = 0.15

// Part is the subject of a row, the same in every budget, so that rows of two runs can be compared.
type Part string

// The parts, from the client down.
const (
	Connect    Part = "connect"
	ClientCPU  Part = "client-cpu"
	RoundTrips Part = "round-trips"
	ServerCPU  Part = "server-cpu"
	RunQueue   Part = "run-queue"
	Work       Part = "work"
	Locks      Part = "locks"
	Latches    Part = "latches"
	Reads      Part = "reads"
	WALWrite   Part = "wal-write"
	FlushQueue Part = "flush-queue"
	Flush      Part = "flush"
	OtherWaits Part = "other-waits"
	Submission Part = "submission"
	ToolCPU    Part = "tool-cpu"
	BlockQueue Part = "block-queue"
	Queueing   Part = "queueing"
	Service    Part = "service"
	Device     Part = "device"
	BlockIO    Part = "block-io"
	Residual   Part = "residual"
)

// Parts lists all of them, in order.
var Parts = []Part{Connect, ClientCPU, RoundTrips, ServerCPU, RunQueue, Work, Locks, Latches, Reads, WALWrite, FlushQueue, Flush, OtherWaits, Submission, ToolCPU, BlockQueue, Queueing, Service, Device, BlockIO, Residual}

// Row is one part of the time of an operation.
type Row struct {
	Part Part   `json:"part"`
	Name string `json:"name"`
	// Seconds is the time it takes in one operation, Share the fraction of the whole operation. For a
	// residual they are negative if the rows add up to more than the client saw.
	Seconds float64 `json:"seconds"`
	Share   float64 `json:"share"`
	// Margin is the uncertainty in seconds due to sampling: half of the 95 % interval. 0 if it was not
	// sampled.
	Margin float64 `json:"margin,omitempty"`
	// Of is how it was computed ("1.00 flushes × 310 µs"), if it was not simply measured.
	Of string `json:"of,omitempty"`
	// Source is what measured it, or which law it comes from. A residual has none.
	Source string `json:"source,omitempty"`
}

// Measured returns the source and the margin for display in a table; duration formats seconds.
func (r Row) Measured(duration func(seconds float64) string) string {
	if r.Margin <= 0 {
		return r.Source
	}
	return r.Source + ", ± " + duration(r.Margin)
}

// Count is how often something was done per operation ("1"), how many bytes ("B"), or how many seconds
// ("s").
type Count struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

// Missing is something that a budget lacks, and what would measure it.
type Missing struct {
	What    string `json:"what"`
	Measure string `json:"measure"`
}

// Counterfactual is what a law predicts if one thing were different.
type Counterfactual struct {
	// Change is a short phrase: "a flush 1 ms faster". Part is what it changes, Saved by how many
	// seconds each time.
	Change string  `json:"change"`
	Part   Part    `json:"part"`
	Saved  float64 `json:"saved"`
	// Rate is the resulting rate of operations, in 1/s, Gain its ratio to the current rate, minus 1.
	Rate float64 `json:"rate"`
	Gain float64 `json:"gain"`
	// Law is the law's name and formula, Assumes its assumptions.
	Law     string   `json:"law"`
	Assumes []string `json:"assumes"`
}

// Budget is where the time of one operation of a workload went.
type Budget struct {
	Workload    string `json:"workload"`
	Description string `json:"description"`
	// Operation is the operation to which the rows refer: "transaction", "write and its flush", "read".
	Operation string `json:"operation"`
	// InFlight is the requested number of operations in progress at once (clients, queue depth); Rate
	// is how many completed per second.
	InFlight float64 `json:"in_flight"`
	Rate     float64 `json:"rate"`
	// Seen is the time of one operation in seconds, as seen by the client, and SeenBy how that is
	// known.
	Seen   float64 `json:"seen"`
	SeenBy string  `json:"seen_by"`
	Rows   []Row   `json:"rows"`
	// Residual is the unaccounted remainder, named by its possible causes.
	Residual Row `json:"residual"`
	// Closure is the sum of the rows over Seen: 1 means fully accounted for.
	Closure float64 `json:"closure"`
	// Refused is a sentence saying why nothing is concluded; empty if the budget closes.
	Refused         string           `json:"refused,omitempty"`
	Missing         []Missing        `json:"missing,omitempty"`
	Counts          []Count          `json:"counts,omitempty"`
	Counterfactuals []Counterfactual `json:"counterfactuals,omitempty"`
	// Amplification says how many I/Os the disks behind a replicated volume did for each operation, if
	// that was to be counted.
	Amplification []amplification.Ratio `json:"amplification,omitempty"`
	// Notes are sentences that a reader of the rows needs to know.
	Notes []string `json:"notes,omitempty"`
}

// Closes reports whether the rows account for the time seen by the client.
func (b *Budget) Closes() bool { return b.Refused == "" }

// FormatRate formats a rate of the budget's operations: "455 tps" of transactions, "1.91k IOPS" of I/Os.
func (b *Budget) FormatRate(v float64) string {
	if b.Operation == "transaction" {
		return units.FormatRate(v) + " tps"
	}
	return units.FormatRate(v) + " IOPS"
}

// Sum returns the sum of the rows, in seconds.
func (b *Budget) Sum() (sum float64) {
	for _, r := range b.Rows {
		sum += r.Seconds
	}
	return sum
}

// Row returns the row of a part; ok is false if there is none.
func (b *Budget) Row(p Part) (r Row, ok bool) {
	for _, r := range b.Rows {
		if r.Part == p {
			return r, true
		}
	}
	return Row{}, false
}

// Count returns a count by its name.
func (b *Budget) Count(name string) (v float64, ok bool) {
	for _, c := range b.Counts {
		if c.Name == name {
			return c.Value, true
		}
	}
	return 0, false
}

// Close fills in the shares, the residual with the given name, and the closure.
func (b *Budget) Close(residual string) {
	sum := b.Sum()
	b.Residual = Row{Part: Residual, Name: residual, Seconds: b.Seen - sum}
	if b.Seen <= 0 {
		return
	}
	for i := range b.Rows {
		b.Rows[i].Share = b.Rows[i].Seconds / b.Seen
	}
	b.Residual.Share, b.Closure = b.Residual.Seconds/b.Seen, sum/b.Seen
}

// Off reports whether the rows are too far from what the client saw to conclude anything.
func (b *Budget) Off() bool { return !(math.Abs(b.Closure-1) <= Tolerance) }

// Side is one of the explained runs.
type Side struct {
	ID        string   `json:"id"`
	Target    string   `json:"target"`
	Directory string   `json:"directory,omitempty"`
	Imported  bool     `json:"imported,omitempty"`
	Budgets   []Budget `json:"budgets"`
	// LeftOut are sentences on workloads for which no budget can be made.
	LeftOut []string `json:"left_out,omitempty"`
}

// Change is a part of an operation in two runs.
type Change struct {
	Part Part   `json:"part"`
	Name string `json:"name"`
	// A and B are seconds per operation; absent if a side has no such row.
	A *float64 `json:"a,omitempty"`
	B *float64 `json:"b,omitempty"`
	// Of is B relative to the total time of an operation of A: these add up to the ratio of the two.
	Of float64 `json:"of"`
}

// CountDifference is a difference between the operations of two runs, due to which their times are not for the
// same work.
type CountDifference struct {
	Name string  `json:"name"`
	Unit string  `json:"unit"`
	A    float64 `json:"a"`
	B    float64 `json:"b"`
}

// Equal is what side B would do with as many I/Os per operation as side A.
type Equal struct {
	Count string `json:"count"`
	// Each is the number of I/Os per operation, Seconds the time that an operation of B would then
	// take, Rate its rate in 1/s.
	Each    float64  `json:"each"`
	Seconds float64  `json:"seconds"`
	Rate    float64  `json:"rate"`
	Law     string   `json:"law"`
	Assumes []string `json:"assumes"`
}

// Comparison compares one workload of two runs.
type Comparison struct {
	A string `json:"a"`
	B string `json:"b"`
	// Ratio is the time of an operation of B relative to one of A.
	Ratio           float64           `json:"ratio"`
	Changes         []Change          `json:"changes"`
	DifferentCounts []CountDifference `json:"different_counts,omitempty"`
	Equal           *Equal            `json:"equal,omitempty"`
	// Says are sentences: why B is slower or faster, as far as the budgets show.
	Says []string `json:"says"`
}

// Explanation is the whole outcome, loadline.explanation/v1: fields are only ever added.
type Explanation struct {
	Schema      string       `json:"schema"`
	Runs        []Side       `json:"runs"`
	Comparisons []Comparison `json:"comparisons,omitempty"`
}
