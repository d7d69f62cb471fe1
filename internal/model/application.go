package model

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model/external"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/model/waits"
)

// Postgres is the target kind of a PostgreSQL server: of our own in a directory, which
// Target.Path names, or one that exists, whose URL is Target.URI.
const Postgres TargetKind = "postgres"

// Etcd is the target kind of an etcd of our own in a directory, which Target.Path names.
const Etcd TargetKind = "etcd"

// Application reports whether the target is an application that is loaded through its own
// clients, on storage below it, and not the storage itself.
func (k TargetKind) Application() bool { return k == Postgres || k == Etcd }

// AppLoad is what a workload asks of an application's load tool. The zero value is the load
// of a storage. Workload.Depth is then the number of clients, RateIOPS the rate at which all
// of them together are offered transactions, OpenLoop that there is such a rate. A workload's
// direction tells whether its transactions write; it has one flow, which counts transactions.
type AppLoad struct {
	// Tool is the load tool: "pgbench", "etcd". Empty means that there is no application.
	Tool string `json:"tool,omitempty"`
	// Threads are those of the load tool, at least 1.
	Threads int `json:"threads,omitempty"`
	// Options are the tool's own, one per line, as they are given to it.
	Options string `json:"options,omitempty"`
	// Reconnect tells that each transaction opens a connection of its own.
	Reconnect bool `json:"reconnect,omitempty"`
	// Script is the text of the user's own script; empty for a built-in one.
	Script string `json:"script,omitempty"`
	// Limit is the latency in seconds beyond which a transaction that is due is skipped; 0
	// is none.
	Limit float64 `json:"limit,omitempty"`
	// Published is how many transactions a published test of this load ran, all clients
	// together, and PublishedScale how large its data were in the tool's own measure; 0 where it
	// stands for none.
	Published      int `json:"published,omitempty"`
	PublishedScale int `json:"published_scale,omitempty"`
}

// OptionList are the options one by one.
func (l AppLoad) OptionList() []string {
	if l.Options == "" {
		return nil
	}
	return strings.Split(l.Options, "\n")
}

// Loads reports whether the workload loads an application.
func (w Workload) Loads() bool { return w.App.Tool != "" }

// AppRequest says how an application is to be set up.
type AppRequest struct {
	// Name is the application's: "postgres", "etcd".
	Name string `json:"name"`
	// Program is the path of the server's program where the user named one; empty is the one of
	// this machine.
	Program string `json:"program,omitempty"`
	// Image has the application's programs where it runs in a pod; empty is the application's official one.
	Image string `json:"image,omitempty"`
	// Fit says whether the data fit into memory ("cached") or not ("disk"); Scale is the
	// tool's own measure of their size, chosen by the plan where the user gave none (0).
	Fit   string `json:"fit,omitempty"`
	Scale int    `json:"scale,omitempty"`
	// Set are settings of the server's, as NAME=VALUE.
	Set []string `json:"set,omitempty"`
	// Log is where the server's log is, in the words of a target; empty is with its data.
	// BaselineLog is the same of the baseline's.
	Log         string `json:"wal,omitempty"`
	BaselineLog string `json:"baseline_wal,omitempty"`
	// Client is where in a cluster the load tool runs: in the server's pod ("" or ClientInPod), in
	// one of its own on the server's node (ClientSame) or on another one (ClientOther), or on
	// the node of this name. BaselineClient is the same of the baseline's.
	Client         string `json:"client_node,omitempty"`
	BaselineClient string `json:"baseline_client_node,omitempty"`
	// Clients is the largest number of clients of any workload.
	Clients int `json:"clients,omitempty"`
	// Ask is the load in the user's own words, in the place of a profile; with Options alone
	// they are for every load of the profile.
	Ask AppAsk `json:"ask,omitzero"`
}

// AppAsk is a load in the user's own words; the zero value of a field is the default.
type AppAsk struct {
	// Load is the kind of transaction, Script the text of the user's own.
	Load    string `json:"load,omitempty"`
	Script  string `json:"script,omitempty"`
	Clients []int  `json:"clients,omitempty"`
	Threads int    `json:"threads,omitempty"`
	// Connect opens a connection for each transaction.
	Connect bool `json:"connect,omitempty"`
	// Rate is the rate in 1/s at which transactions are due, Limit the latency in seconds
	// beyond which one that is due is skipped.
	Rate  float64 `json:"rate,omitempty"`
	Limit float64 `json:"limit,omitempty"`
	// Options are the load tool's own.
	Options []string `json:"options,omitempty"`
}

// Given reports whether anything was asked for.
func (a AppAsk) Given() bool {
	return a.Load != "" || a.Script != "" || len(a.Clients) > 0 || a.Threads > 0 || a.Connect || a.Rate > 0 || a.Limit > 0 || len(a.Options) > 0
}

// OwnLoad reports whether it takes the place of a profile: options alone go with a profile's
// loads.
func (a AppAsk) OwnLoad() bool {
	a.Options = nil
	return a.Given()
}

// Setting is one of a server's, as it said itself. Values are in the words of its
// configuration, with units.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Default is what it would be if nobody had set it. Source tells who has: "command line",
	// "configuration file", "default" …
	Default string `json:"default,omitempty"`
	Source  string `json:"source,omitempty"`
}

// Differs reports whether it is not what the program would choose.
func (s Setting) Differs() bool { return s.Value != s.Default }

// AppState is what an application was when it had been made ready.
type AppState struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Scale   int    `json:"scale,omitempty"`
	// Data is how large its data were, in bytes; Cache its own cache.
	Data  int64 `json:"data,omitempty"`
	Cache int64 `json:"cache,omitempty"`
	// Seconds is how long it took to fill it.
	Seconds float64 `json:"seconds,omitempty"`
	// RoundTrip is how long the load tool waits for the answer to an empty query over an open
	// connection, and Connection how long it takes to open one, in seconds; 0 where that was not
	// measured.
	RoundTrip  float64   `json:"round_trip,omitempty"`
	Connection float64   `json:"connection,omitempty"`
	Settings   []Setting `json:"settings,omitempty"`
	// Server is set where the server is not ours: it was there before, and stays.
	Server *external.Server `json:"server,omitempty"`
}

// Elsewhere reports whether the application runs where neither its storage nor its machine can be
// seen: what this machine counts is then the client's.
func (s *AppState) Elsewhere() bool { return s != nil && s.Server != nil && s.Server.Data == "" }

// Setting is the value of a setting; known is false where it is not listed.
func (s *AppState) Setting(name string) (value string, known bool) {
	if s == nil {
		return "", false
	}
	for _, x := range s.Settings {
		if x.Name == name {
			return x.Value, true
		}
	}
	return "", false
}

// AppCounts is what an application and its load tool counted from the begin to the end of a
// step, ramp included. Times are in seconds, sizes in bytes.
type AppCounts struct {
	// Transactions were done, Failed ended with an error, Skipped were due and never begun,
	// because they were late already.
	Transactions uint64 `json:"transactions"`
	Failed       uint64 `json:"failed,omitempty"`
	Skipped      uint64 `json:"skipped,omitempty"`
	// Seconds is from the first transaction's begin to the last one's end.
	Seconds float64 `json:"seconds"`
	// LatencySum is the sum of the latencies of those that were done, in seconds: by Little's
	// law, over Seconds it is how many were in progress.
	LatencySum float64 `json:"latency_sum,omitempty"`
	// ToolTransactions and ToolRate (1/s) are what the tool said at its end.
	ToolTransactions uint64  `json:"tool_transactions,omitempty"`
	ToolRate         float64 `json:"tool_rate,omitempty"`
	// Connect is the mean time that a connection took; 0 where it was not told.
	Connect float64 `json:"connect,omitempty"`
	// Flushes of the log, and how long they took together; nil counts are not known.
	Flushes      *float64 `json:"flushes,omitempty"`
	FlushSeconds *float64 `json:"flush_seconds,omitempty"`
	// FlushTimes are pairs of a time in seconds and of how many flushes took at most that, by
	// increasing times, as far as the application counts them so.
	FlushTimes [][2]float64 `json:"flush_times,omitempty"`
	// Commits of the data behind the log, and how long they took together.
	Commits       *float64 `json:"commits,omitempty"`
	CommitSeconds *float64 `json:"commit_seconds,omitempty"`
	// LogBytes were written to the log, with PageImages whole pages in them.
	LogBytes   *float64 `json:"log_bytes,omitempty"`
	PageImages *float64 `json:"page_images,omitempty"`
	// Hits are the pages found in the application's own cache, Reads those that were not,
	// ReadSeconds how long reading them took.
	Hits        *float64 `json:"hits,omitempty"`
	Reads       *float64 `json:"reads,omitempty"`
	ReadSeconds *float64 `json:"read_seconds,omitempty"`
	// Checkpoints that began or ended in the step, and runs of Vacuums, as the server started
	// them itself.
	Checkpoints *float64 `json:"checkpoints,omitempty"`
	Vacuums     *float64 `json:"vacuums,omitempty"`
	// Processor is what the scheduler says of the clients; nil where it does not.
	Processor *AppProcessor `json:"processor,omitempty"`
	// Waits is what the clients' sessions waited for, as sampled; nil where an older version
	// measured, or an application whose server does not tell.
	Waits *waits.Sampled `json:"waits,omitempty"`
	// Others are the transactions of others on a server that exists, Busy the most of their
	// sessions that worked at once (looked at once a second), nil where that is not known; Tasks are
	// what the server did meanwhile of what it shows the progress of, such as "vacuum".
	Others *float64 `json:"others,omitempty"`
	Busy   *float64 `json:"busy,omitempty"`
	Tasks  []string `json:"tasks,omitempty"`
}

// AppProcessor is how long the application's processes for clients, and the load tool's
// threads, were on a processor (CPU), and how long they were ready to run and waited for one
// (Wait), in a stretch of a step in which all clients were connected. All are seconds, summed
// up over the processes.
type AppProcessor struct {
	Seconds    float64 `json:"seconds"`
	ServerCPU  float64 `json:"server_cpu"`
	ServerWait float64 `json:"server_wait"`
	ClientCPU  float64 `json:"client_cpu"`
	ClientWait float64 `json:"client_wait"`
}

// Each is the same for one transaction of the step, at the rate of all of it. Of a nil one, or
// a step without transactions, it is zero.
func (p *AppProcessor) Each(c *AppCounts) AppProcessor {
	if p == nil || c == nil || c.Transactions == 0 || p.Seconds <= 0 {
		return AppProcessor{}
	}
	each := c.Seconds / float64(c.Transactions) / p.Seconds
	return AppProcessor{Seconds: p.Seconds * each, ServerCPU: p.ServerCPU * each, ServerWait: p.ServerWait * each, ClientCPU: p.ClientCPU * each, ClientWait: p.ClientWait * each}
}

// Describe is the load of a workload that has it in short: "16 clients, 2 threads".
func (l AppLoad) Describe(w Workload) string {
	parts := []string{count(w.Depth, "client")}
	if l.Threads > 1 {
		parts = append(parts, count(l.Threads, "thread"))
	}
	if l.Reconnect {
		parts = append(parts, "connecting each time")
	}
	if w.OpenLoop {
		parts = append(parts, "offered "+units.FormatRate(w.RateIOPS)+"/s")
	}
	return strings.Join(parts, ", ")
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// AppResult is what the transactions of a workload cost an application and its storage, over
// all repeats that count, ramps included. Costs are for each transaction; one that is not known
// is nil. The device's I/Os are those of everybody who uses it.
type AppResult struct {
	Transactions uint64 `json:"transactions"`
	Failed       uint64 `json:"failed,omitempty"`
	Skipped      uint64 `json:"skipped,omitempty"`
	// UnderWay is how many transactions were in progress on average, by Little's law.
	UnderWay float64 `json:"under_way,omitempty"`
	// Connect is the mean time of a connection in seconds, 0 where none was told.
	Connect float64 `json:"connect,omitempty"`
	// Flushes of the log for each transaction, FlushTime the mean time of one in seconds, and
	// Flushing the share of the time in which one was in progress.
	Flushes   *float64 `json:"flushes,omitempty"`
	FlushTime *float64 `json:"flush_time,omitempty"`
	Flushing  *float64 `json:"flushing,omitempty"`
	// LogBytes and PageImages went to the log for each transaction.
	LogBytes   *float64 `json:"log_bytes,omitempty"`
	PageImages *float64 `json:"page_images,omitempty"`
	// Reads of pages that the application's own cache did not hold, for each transaction,
	// HitRate the share of all that it did hold, Reading the share of the clients' time that
	// those reads took.
	Reads   *float64 `json:"reads,omitempty"`
	HitRate *float64 `json:"hit_rate,omitempty"`
	Reading *float64 `json:"reading,omitempty"`
	// DeviceReads, DeviceWrites and DeviceFlushes are I/Os of the block device for each
	// transaction, DeviceWritten bytes.
	DeviceReads   *float64 `json:"device_reads,omitempty"`
	DeviceWrites  *float64 `json:"device_writes,omitempty"`
	DeviceFlushes *float64 `json:"device_flushes,omitempty"`
	DeviceWritten *float64 `json:"device_written_bytes,omitempty"`
	// LogDeviceReads, LogDeviceWrites, LogDeviceFlushes and LogDeviceWritten are the same of the
	// log's device, where it has one of its own.
	LogDeviceReads   *float64 `json:"log_device_reads,omitempty"`
	LogDeviceWrites  *float64 `json:"log_device_writes,omitempty"`
	LogDeviceFlushes *float64 `json:"log_device_flushes,omitempty"`
	LogDeviceWritten *float64 `json:"log_device_written_bytes,omitempty"`
	// Checkpoints and Vacuums are how many the server made itself in all these repeats.
	Checkpoints *float64 `json:"checkpoints,omitempty"`
	Vacuums     *float64 `json:"vacuums,omitempty"`
}
