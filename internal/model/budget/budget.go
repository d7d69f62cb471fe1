// Package budget is the words of an explanation: where the time of one operation goes, from the
// client down to the device. Its opinion: a row without a source is no row, the rows are held
// against what the client saw, what they do not add up to is a row of its own with a name, and
// a budget that is off by more than Tolerance does not close: it says what is missing, and nothing else.
package budget

import "math"

// Schema is the schema name of an explanation.
const Schema = "loadline.explanation/v1"

// Tolerance is the share of an operation's time that may be left over, or counted twice, in a
// budget that closes.
const Tolerance = 0.15

// Part is what a row is about, the same in every budget, so that rows of two runs can stand
// side by side.
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

// Parts are all of them, in their order.
var Parts = []Part{Connect, ClientCPU, RoundTrips, ServerCPU, RunQueue, Work, Locks, Latches, Reads, WALWrite, FlushQueue, Flush, OtherWaits, Submission, ToolCPU, BlockQueue, Queueing, Service, Device, BlockIO, Residual}

// Row is one part of the time of an operation.
type Row struct {
	Part Part   `json:"part"`
	Name string `json:"name"`
	// Seconds is what it takes of one operation, Share of all that one took. Those of a
	// residual are below 0 where the rows come to more than the client saw.
	Seconds float64 `json:"seconds"`
	Share   float64 `json:"share"`
	// Margin is by how many seconds it may be wrong because it was sampled: half of its 95 %
	// interval. 0 where it was not.
	Margin float64 `json:"margin,omitempty"`
	// Of is how it is computed ("1.00 flushes × 310 µs"), where it is not simply measured.
	Of string `json:"of,omitempty"`
	// Source is who measured it, or which law it comes from. A residual has none.
	Source string `json:"source,omitempty"`
}

// Measured is its source with what it may be wrong by, for who reads a table; duration writes
// seconds.
func (r Row) Measured(duration func(seconds float64) string) string {
	if r.Margin <= 0 {
		return r.Source
	}
	return r.Source + ", ± " + duration(r.Margin)
}

// Count is how often something was done for one operation ("1"), how many bytes ("B"), or how many
// seconds ("s").
type Count struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

// Missing is what a budget lacks, and what would measure it.
type Missing struct {
	What    string `json:"what"`
	Measure string `json:"measure"`
}

// Counterfactual is what a law says would be otherwise if one thing were.
type Counterfactual struct {
	// Change is a few words: "a flush 1 ms faster". Part is what it changes, Saved by how many
	// seconds each time.
	Change string  `json:"change"`
	Part   Part    `json:"part"`
	Saved  float64 `json:"saved"`
	// Rate is what the rate of operations, in 1/s, would then be, Gain its ratio to what it
	// is, less 1.
	Rate float64 `json:"rate"`
	Gain float64 `json:"gain"`
	// Law is its name and formula, Assumes what must hold for it.
	Law     string   `json:"law"`
	Assumes []string `json:"assumes"`
}

// Budget is where the time of one operation of a workload went.
type Budget struct {
	Workload    string `json:"workload"`
	Description string `json:"description"`
	// Operation is what the rows are about: "transaction", "write and its flush", "read".
	Operation string `json:"operation"`
	// InFlight is how many were in progress at once, as asked for (clients, queue depth); Rate
	// how many ended in a second.
	InFlight float64 `json:"in_flight"`
	Rate     float64 `json:"rate"`
	// Seen is the time in seconds that one took, as the client saw it, and SeenBy how that is
	// known.
	Seen   float64 `json:"seen"`
	SeenBy string  `json:"seen_by"`
	Rows   []Row   `json:"rows"`
	// Residual is what is left, named by what it may be.
	Residual Row `json:"residual"`
	// Closure is the sum of the rows over Seen: 1 is all of it.
	Closure float64 `json:"closure"`
	// Refused is the sentence why nothing is concluded from it; empty when it closes.
	Refused         string           `json:"refused,omitempty"`
	Missing         []Missing        `json:"missing,omitempty"`
	Counts          []Count          `json:"counts,omitempty"`
	Counterfactuals []Counterfactual `json:"counterfactuals,omitempty"`
	// Notes are sentences that a reader of the rows must know.
	Notes []string `json:"notes,omitempty"`
}

// Closes reports whether the rows account for the time that the client saw.
func (b *Budget) Closes() bool { return b.Refused == "" }

// Sum is what the rows add up to, in seconds.
func (b *Budget) Sum() (sum float64) {
	for _, r := range b.Rows {
		sum += r.Seconds
	}
	return sum
}

// Row is the row of a part; ok is false where there is none.
func (b *Budget) Row(p Part) (r Row, ok bool) {
	for _, r := range b.Rows {
		if r.Part == p {
			return r, true
		}
	}
	return Row{}, false
}

// Count is a count by its name.
func (b *Budget) Count(name string) (v float64, ok bool) {
	for _, c := range b.Counts {
		if c.Name == name {
			return c.Value, true
		}
	}
	return 0, false
}

// Close fills in the shares, the residual of that name and the closure.
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

// Side is one run that is explained.
type Side struct {
	ID        string   `json:"id"`
	Target    string   `json:"target"`
	Directory string   `json:"directory,omitempty"`
	Imported  bool     `json:"imported,omitempty"`
	Budgets   []Budget `json:"budgets"`
	// LeftOut are sentences on workloads that no budget can be made of.
	LeftOut []string `json:"left_out,omitempty"`
}

// Change is a part of an operation in two runs.
type Change struct {
	Part Part   `json:"part"`
	Name string `json:"name"`
	// A and B are seconds of one operation; absent where a side has no such row.
	A *float64 `json:"a,omitempty"`
	B *float64 `json:"b,omitempty"`
	// Of is B over all that an operation of A took: these add up to the ratio of the two.
	Of float64 `json:"of"`
}

// Unlike is what the operations of two runs differ in, so that their times are not those of the
// same work.
type Unlike struct {
	Name string  `json:"name"`
	Unit string  `json:"unit"`
	A    float64 `json:"a"`
	B    float64 `json:"b"`
}

// Equal is what side B would do with as many I/Os for each operation as side A.
type Equal struct {
	Count string `json:"count"`
	// Each is how many, Seconds what an operation of B would then take, Rate its rate in 1/s.
	Each    float64  `json:"each"`
	Seconds float64  `json:"seconds"`
	Rate    float64  `json:"rate"`
	Law     string   `json:"law"`
	Assumes []string `json:"assumes"`
}

// Comparison is one workload of two runs side by side.
type Comparison struct {
	A string `json:"a"`
	B string `json:"b"`
	// Ratio is how much longer an operation of B took than one of A.
	Ratio   float64  `json:"ratio"`
	Changes []Change `json:"changes"`
	Unlike  []Unlike `json:"unlike,omitempty"`
	Equal   *Equal   `json:"equal,omitempty"`
	// Says are sentences: why B is slower or faster, as far as the budgets tell.
	Says []string `json:"says"`
}

// Explanation is the whole outcome, loadline.explanation/v1: fields are only ever added.
type Explanation struct {
	Schema      string       `json:"schema"`
	Runs        []Side       `json:"runs"`
	Comparisons []Comparison `json:"comparisons,omitempty"`
}
