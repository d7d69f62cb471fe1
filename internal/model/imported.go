package model

import "time"

// Imported is what was read out of another tool's output. In a run that Loadline did
// not measure it stands in for the samples: everything that is computed from samples
// is then computed from Figures, or is not known.
type Imported struct {
	Schema string `json:"schema"`
	// System is what was measured, as the user or the source names it.
	System  string   `json:"system"`
	Sources []Source `json:"sources"`
	// At is when it was imported, Measured when the source says that it was measured;
	// zero when the source does not say.
	At       time.Time `json:"at,omitzero"`
	Measured time.Time `json:"measured,omitzero"`
	// Figures are in the order of the sources; none for a source that holds seconds,
	// which become ordinary samples.
	Figures []Figure `json:"figures,omitempty"`
	// Remarks are notes and warnings that only the reader of the source can know: what
	// it left out, what the source says against itself.
	Remarks []Finding `json:"remarks,omitempty"`
	// Observed is what somebody saw of processes beside the figures.
	Observed []Observation `json:"observed,omitempty"`
}

// Observation is what a process read and wrote at one moment, in bytes/s, as a monitor beside
// the load showed it.
type Observation struct {
	// Group is that of the figures it stands with, Command the first word of the process's.
	Group   string  `json:"group,omitempty"`
	Command string  `json:"command"`
	Read    float64 `json:"read"`
	Written float64 `json:"written"`
	// Source and Line are as of Figure.
	Source int `json:"source"`
	Line   int `json:"line"`
}

// ImportedSchema is the schema name of imported.json.
const ImportedSchema = "loadline.imported/v1"

// Source is one file that was read.
type Source struct {
	// Name is the file's name without its folder, Raw that of the copy under raw/.
	Name string `json:"name"`
	Raw  string `json:"raw"`
	// Formats are those that were found in it.
	Formats []string `json:"formats"`
	// As is the format that the user forced, Own the name under which the source
	// itself lists the system; both may be empty.
	As  string `json:"as,omitempty"`
	Own string `json:"own,omitempty"`
	// Lines is the number of lines of the whole source.
	Lines int `json:"lines"`
}

// Figure is what a source says of one run of one workload in one direction.
type Figure struct {
	Workload  string    `json:"workload"`
	Direction Direction `json:"direction"`
	// Group is the kind of test ("fio", "kafka", …, or a heading of the source): a
	// ranking sums up by group.
	Group string `json:"group"`
	// Values hold every metric that the source gives, in base units.
	Values  map[Metric]float64 `json:"values"`
	Latency *LatencySummary    `json:"latency,omitempty"`
	// Tail is the distribution, where the source has one.
	Tail []TailPoint `json:"tail,omitempty"`
	// Seconds is the measured time; 0 is unknown.
	Seconds float64 `json:"seconds,omitempty"`
	// Clients is what the source says of an application's clients; nil where it has none.
	Clients *ClientFigure `json:"clients,omitempty"`
	// Traced is what a tracer of block I/O looked at, one "process" or a "disk"; empty for what
	// is no trace. Latency.Count is then how many I/Os it saw in Seconds.
	Traced string `json:"traced,omitempty"`
	// Outcome tells that the source says how the run went, so that silence about
	// failures means that there were none.
	Outcome bool `json:"outcome,omitempty"`
	// Source is the index of the source, Line the line (from 1) where it begins.
	Source int `json:"source"`
	Line   int `json:"line"`
}

// ClientFigure is what a load tool says of its clients. Rates are in 1/s, times in seconds;
// what the source does not say is 0.
type ClientFigure struct {
	Clients int `json:"clients,omitempty"`
	Threads int `json:"threads,omitempty"`
	// Done and Asked are transactions.
	Done  uint64 `json:"done,omitempty"`
	Asked uint64 `json:"asked,omitempty"`
	// Rate is that of all of the time, connecting included.
	Rate float64 `json:"rate,omitempty"`
	// Reconnect tells that each transaction opens a connection, Connect how long that takes.
	Reconnect bool    `json:"reconnect,omitempty"`
	Connect   float64 `json:"connect,omitempty"`
	// Timed tells that the latency is the mean of what was timed one by one, and is not
	// computed from the clients and the rate.
	Timed bool `json:"timed,omitempty"`
	// Offered tells that transactions were due at a rate, so that clients wait by design.
	Offered bool `json:"offered,omitempty"`
}

// Import is the mark of a report that was not measured by Loadline.
type Import struct {
	System  string    `json:"system"`
	Sources []Source  `json:"sources"`
	At      time.Time `json:"at,omitzero"`
	// Measured is zero when the source does not say when it was measured.
	Measured time.Time `json:"measured,omitzero"`
	// Series tells that the source holds the seconds, so that there are intervals.
	Series bool `json:"series"`
}

// Foreign is the kind of a target that is known only from another tool's output.
const Foreign TargetKind = "imported"

// Unknown is the status of a run whose record does not tell how it ended.
const Unknown Status = "unknown"

// Metrics of applications. Transactions and Records are in 1/s, Elapsed (the time
// that a whole test took) in s.
const (
	Transactions Metric = "tps"
	Records      Metric = "records"
	Elapsed      Metric = "elapsed"
)
