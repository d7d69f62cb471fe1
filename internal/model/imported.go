package model

import "time"

// Imported is what was read from another tool's output. In a run that Loadline did not measure it
// replaces the samples: whatever is otherwise computed from samples is then computed from Figures, or
// is unknown.
type Imported struct {
	Schema string `json:"schema"`
	// System is what was measured, as named by the user or the source.
	System  string   `json:"system"`
	Sources []Source `json:"sources"`
	// At is when it was imported, Measured when it was measured according to the source; zero if the
	// source does not say.
	At       time.Time `json:"at,omitzero"`
	Measured time.Time `json:"measured,omitzero"`
	// Figures are in the order of the sources; a source with per-second data has none, because that
	// becomes ordinary samples.
	Figures []Figure `json:"figures,omitempty"`
	// Remarks are notes and warnings that only the reader of the source can give: what it left out,
	// which problems the source itself reports.
	Remarks []Finding `json:"remarks,omitempty"`
	// Observed holds process I/O rates observed alongside the figures.
	Observed []Observation `json:"observed,omitempty"`
}

// Observation is what a process read and wrote at one moment, in bytes/s, as shown by a monitor running
// alongside the load.
type Observation struct {
	// Group is the group of the figures it belongs to, Command the first word of the process's command
	// line.
	Group   string  `json:"group,omitempty"`
	Command string  `json:"command"`
	Read    float64 `json:"read"`
	Written float64 `json:"written"`
	// Source and Line are as in Figure.
	Source int `json:"source"`
	Line   int `json:"line"`
}

// ImportedSchema is the schema name of imported.json.
const ImportedSchema = "loadline.imported/v1"

// Source is one file that was read.
type Source struct {
	// Name is the file's name without its directory, Raw that of the copy under raw/.
	Name string `json:"name"`
	Raw  string `json:"raw"`
	// Formats are the formats that were found in it.
	Formats []string `json:"formats"`
	// As is the format that the user forced, Own the name by which the source itself lists the system;
	// both may be empty.
	As  string `json:"as,omitempty"`
	Own string `json:"own,omitempty"`
	// Lines is the number of lines of the whole source.
	Lines int `json:"lines"`
}

// Figure is what a source says about one run of one workload in one direction.
type Figure struct {
	Workload  string    `json:"workload"`
	Direction Direction `json:"direction"`
	// Group is the kind of test ("fio", "kafka", …, or a heading of the source): a ranking summarizes
	// by group.
	Group string `json:"group"`
	// Values holds every metric that the source gives, in base units.
	Values  map[Metric]float64 `json:"values"`
	Latency *LatencySummary    `json:"latency,omitempty"`
	// Tail is the latency distribution, if the source has one.
	Tail []TailPoint `json:"tail,omitempty"`
	// Seconds is the measured time; 0 is unknown.
	Seconds float64 `json:"seconds,omitempty"`
	// Clients is what the source says about an application's clients; nil if there are none.
	Clients *ClientFigure `json:"clients,omitempty"`
	// Traced is what a block I/O tracer observed, one "process" or a "disk"; empty if it is not a
	// trace. Latency.Count is then the number of I/Os it saw in Seconds.
	Traced string `json:"traced,omitempty"`
	// Outcome is set if the source says how the run went, so that no mention of failures means that
	// there were none.
	Outcome bool `json:"outcome,omitempty"`
	// Source is the index of the source, Line the line (from 1) where the figure begins.
	Source int `json:"source"`
	Line   int `json:"line"`
}

// ClientFigure is what a load tool reports about its clients. Rates are in 1/s, times in seconds; what
// the source does not give is 0.
type ClientFigure struct {
	Clients int `json:"clients,omitempty"`
	Threads int `json:"threads,omitempty"`
	// Done and Asked are numbers of transactions.
	Done  uint64 `json:"done,omitempty"`
	Asked uint64 `json:"asked,omitempty"`
	// Rate is the rate over the whole time, including connecting.
	Rate float64 `json:"rate,omitempty"`
	// Reconnect is set if each transaction opens a connection, Connect is how long that takes.
	Reconnect bool    `json:"reconnect,omitempty"`
	Connect   float64 `json:"connect,omitempty"`
	// Timed is set if the latency is the mean of individual timings, not computed from the clients and
	// the rate.
	Timed bool `json:"timed,omitempty"`
	// Offered is set if transactions were due at a given rate, so that clients wait by design.
	Offered bool `json:"offered,omitempty"`
}

// Import marks a report that was not measured by Loadline.
type Import struct {
	System  string    `json:"system"`
	Sources []Source  `json:"sources"`
	At      time.Time `json:"at,omitzero"`
	// Measured is zero if the source does not say when it was measured.
	Measured time.Time `json:"measured,omitzero"`
	// Series is set if the source has per-second data, so that there are intervals.
	Series bool `json:"series"`
}

// Foreign is the kind of a target known only from another tool's output.
const Foreign TargetKind = "imported"

// Unknown is the status of a run whose record does not say how it ended.
const Unknown Status = "unknown"

// Metrics of applications. Transactions and Records are in 1/s, Elapsed (the duration of a whole test)
// in s.
const (
	Transactions Metric = "tps"
	Records      Metric = "records"
	Elapsed      Metric = "elapsed"
)
