package model

import (
	"strings"

	"github.com/loadline/loadline/internal/model/external"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/model/waits"
)

// Postgres is the target kind of a PostgreSQL server: one that Loadline runs in the directory
// Target.Path, or an existing one whose URL is Target.URI.
const Postgres TargetKind = "postgres"

// Etcd is the target kind of an etcd that Loadline runs in the directory Target.Path.
const Etcd TargetKind = "etcd"

// Application reports whether the target is an application, loaded through its own clients, and not the
// storage below it: every kind is one that is not a kind of storage.
func (k TargetKind) Application() bool {
	switch k {
	case "", Directory, File, BlockDevice, NBD, RBD, Fake, StorageClass, VolumeClaim, Foreign:
		return false
	}
	return true
}

// AppLoad is the load that a workload puts on an application. The zero value means that the workload
// loads storage. Otherwise Workload.Depth is the number of clients, RateIOPS the rate at which
// transactions are due for all of them together, and OpenLoop is set if there is such a rate. A
// workload's direction says whether its transactions write; it has one flow, which counts transactions.
type AppLoad struct {
	// Tool is the load tool: "pgbench", "etcd". Empty if there is no application.
	Tool string `json:"tool,omitempty"`
	// Threads is the number of threads of the load tool, at least 1.
	Threads int `json:"threads,omitempty"`
	// Options are the load tool's options, one per line, passed to it unchanged.
	Options string `json:"options,omitempty"`
	// Reconnect is set if each transaction opens its own connection.
	Reconnect bool `json:"reconnect,omitempty"`
	// Script is the text of the user's own script; empty for a built-in one.
	Script string `json:"script,omitempty"`
	// Limit is the latency in seconds beyond which a due transaction is skipped; 0 means no limit.
	Limit float64 `json:"limit,omitempty"`
	// Published is the number of transactions that a published test of this load ran, over all clients,
	// and PublishedScale the size of its data in the tool's own scale; 0 if the load does not represent
	// a published test.
	Published      int `json:"published,omitempty"`
	PublishedScale int `json:"published_scale,omitempty"`
}

// OptionList returns Options as a list.
func (l AppLoad) OptionList() []string {
	if l.Options == "" {
		return nil
	}
	return strings.Split(l.Options, "\n")
}

// Loads reports whether the workload loads an application.
func (w Workload) Loads() bool { return w.App.Tool != "" }

// AppRequest specifies how to set up an application.
type AppRequest struct {
	// Name is the name of the application: "postgres", "etcd".
	Name string `json:"name"`
	// Program is the path of the server program if the user gave one; empty means the one installed on
	// this machine.
	Program string `json:"program,omitempty"`
	// Image is the container image with the application's programs if it runs in a pod; empty means the
	// application's official image.
	Image string `json:"image,omitempty"`
	// Fit says whether the data fits into memory ("cached") or not ("disk"). Scale is its size in the
	// tool's own scale, chosen by the plan if the user gave none (0).
	Fit   string `json:"fit,omitempty"`
	Scale int    `json:"scale,omitempty"`
	// Set holds server settings, as NAME=VALUE.
	Set []string `json:"set,omitempty"`
	// Log is the location of the server's log, written like a target; empty means with its data.
	// BaselineLog is the same for the baseline.
	Log         string `json:"wal,omitempty"`
	BaselineLog string `json:"baseline_wal,omitempty"`
	// Client says where in a cluster the load tool runs: in the server's pod ("" or ClientInPod), in
	// its own pod on the server's node (ClientSame) or on another node (ClientOther), or on the node
	// with this name. BaselineClient is the same for the baseline.
	Client         string `json:"client_node,omitempty"`
	BaselineClient string `json:"baseline_client_node,omitempty"`
	// Clients is the largest number of clients of any workload.
	Clients int `json:"clients,omitempty"`
	// Ask is the load that the user specified instead of a profile; if only Options is set, it applies
	// to every load of the profile.
	Ask AppAsk `json:"ask,omitzero"`
}

// AppAsk is a load specified by the user; the zero value of a field means the default.
type AppAsk struct {
	// Load is the kind of transaction, Script the text of the user's own script.
	Load    string `json:"load,omitempty"`
	Script  string `json:"script,omitempty"`
	Clients []int  `json:"clients,omitempty"`
	Threads int    `json:"threads,omitempty"`
	// Connect opens a connection for each transaction.
	Connect bool `json:"connect,omitempty"`
	// Rate is the rate in 1/s at which transactions are due, Limit the latency in seconds beyond which
	// a due transaction is skipped.
	Rate  float64 `json:"rate,omitempty"`
	Limit float64 `json:"limit,omitempty"`
	// Options are options for the load tool.
	Options []string `json:"options,omitempty"`
}

// Given reports whether anything was asked for.
func (a AppAsk) Given() bool {
	return a.Load != "" || a.Script != "" || len(a.Clients) > 0 || a.Threads > 0 || a.Connect || a.Rate > 0 || a.Limit > 0 || len(a.Options) > 0
}

// OwnLoad reports whether it replaces a profile. Options alone do not: they apply to a profile's loads.
func (a AppAsk) OwnLoad() bool {
	a.Options = nil
	return a.Given()
}

// Setting is a server setting as reported by the server. Values use the syntax of its configuration,
// with units.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Default is the value if it is not set. Source says where it was set: "command line",
	// "configuration file", "default" …
	Default string `json:"default,omitempty"`
	Source  string `json:"source,omitempty"`
}

// Differs reports whether the value is not the program's default.
func (s Setting) Differs() bool { return s.Value != s.Default }

// AppState is the state of an application once it was ready.
type AppState struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Assumed is set if nobody has asked the programs, which are in an image: Version and the settings'
	// defaults are those of the version in the image's name.
	Assumed bool `json:"assumed,omitempty"`
	Scale   int  `json:"scale,omitempty"`
	// Data is the size of its data in bytes, Cache the size of its own cache.
	Data  int64 `json:"data,omitempty"`
	Cache int64 `json:"cache,omitempty"`
	// Seconds is how long it took to load the data.
	Seconds float64 `json:"seconds,omitempty"`
	// RoundTrip is how long the load tool waits for the answer to an empty query over an open
	// connection, and Connection how long opening a connection takes, in seconds; 0 if not measured.
	RoundTrip  float64   `json:"round_trip,omitempty"`
	Connection float64   `json:"connection,omitempty"`
	Settings   []Setting `json:"settings,omitempty"`
	// Server is set if the server is not ours: it existed before and stays.
	Server *external.Server `json:"server,omitempty"`
}

// Elsewhere reports whether the application runs where neither its storage nor its machine can be
// observed: the counters of this machine are then the client's.
func (s *AppState) Elsewhere() bool { return s != nil && s.Server != nil && s.Server.Data == "" }

// Setting returns the value of a setting; known is false if it is not listed.
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

// AppCounts holds the counters of an application and its load tool from the beginning to the end of a
// step, ramp included. Times are in seconds, sizes in bytes.
type AppCounts struct {
	// Transactions is how many completed, Failed how many ended with an error, Skipped how many were
	// due but never begun because they were already late.
	Transactions uint64 `json:"transactions"`
	Failed       uint64 `json:"failed,omitempty"`
	Skipped      uint64 `json:"skipped,omitempty"`
	// Seconds is the time from the beginning of the first transaction to the end of the last.
	Seconds float64 `json:"seconds"`
	// LatencySum is the sum of the latencies of completed transactions, in seconds: divided by Seconds
	// it is the number in progress (Little's law).
	LatencySum float64 `json:"latency_sum,omitempty"`
	// ToolTransactions and ToolRate (1/s) are what the tool reported at its end.
	ToolTransactions uint64  `json:"tool_transactions,omitempty"`
	ToolRate         float64 `json:"tool_rate,omitempty"`
	// Connect is the mean time to open a connection; 0 if not reported.
	Connect float64 `json:"connect,omitempty"`
	// Flushes is the number of flushes of the log, FlushSeconds their total time; nil if unknown.
	Flushes      *float64 `json:"flushes,omitempty"`
	FlushSeconds *float64 `json:"flush_seconds,omitempty"`
	// FlushTimes are pairs of a time in seconds and the number of flushes that took at most that long,
	// by increasing times, if the application has such counters.
	FlushTimes [][2]float64 `json:"flush_times,omitempty"`
	// Commits is the number of commits of the data behind the log, CommitSeconds their total time.
	Commits       *float64 `json:"commits,omitempty"`
	CommitSeconds *float64 `json:"commit_seconds,omitempty"`
	// LogBytes is the number of bytes written to the log, PageImages the number of full-page images in
	// them.
	LogBytes   *float64 `json:"log_bytes,omitempty"`
	PageImages *float64 `json:"page_images,omitempty"`
	// Hits is the number of pages found in the application's own cache, Reads of those that were not,
	// ReadSeconds the time taken to read them.
	Hits        *float64 `json:"hits,omitempty"`
	Reads       *float64 `json:"reads,omitempty"`
	ReadSeconds *float64 `json:"read_seconds,omitempty"`
	// Checkpoints is how many began or ended in the step, Vacuums how many runs the server started by
	// itself.
	Checkpoints *float64 `json:"checkpoints,omitempty"`
	Vacuums     *float64 `json:"vacuums,omitempty"`
	// Processor is the clients' CPU accounting by the scheduler; nil if not available.
	Processor *AppProcessor `json:"processor,omitempty"`
	// Waits is the wait events sampled in the clients' sessions; nil if an older version measured, or
	// if the application's server does not expose them.
	Waits *waits.Sampled `json:"waits,omitempty"`
	// Others is the number of transactions by other users of an existing server, Busy the maximum
	// number of their sessions active at once (polled once a second), nil if unknown. Tasks are the
	// operations with progress reporting that the server ran meanwhile, such as "vacuum".
	Others *float64 `json:"others,omitempty"`
	Busy   *float64 `json:"busy,omitempty"`
	Tasks  []string `json:"tasks,omitempty"`
}

// AppProcessor is how long the application's processes for clients, and the load tool's threads, were
// running on a CPU (CPU), and how long they were runnable and waiting for one (Wait), in a part of a
// step in which all clients were connected. All values are seconds, summed over the processes.
type AppProcessor struct {
	Seconds    float64 `json:"seconds"`
	ServerCPU  float64 `json:"server_cpu"`
	ServerWait float64 `json:"server_wait"`
	ClientCPU  float64 `json:"client_cpu"`
	ClientWait float64 `json:"client_wait"`
}

// Each returns the same per transaction of the step, at the step's overall rate. It is zero for nil, or
// for a step without transactions.
func (p *AppProcessor) Each(c *AppCounts) AppProcessor {
	if p == nil || c == nil || c.Transactions == 0 || p.Seconds <= 0 {
		return AppProcessor{}
	}
	each := c.Seconds / float64(c.Transactions) / p.Seconds
	return AppProcessor{Seconds: p.Seconds * each, ServerCPU: p.ServerCPU * each, ServerWait: p.ServerWait * each, ClientCPU: p.ClientCPU * each, ClientWait: p.ClientWait * each}
}

// Describe returns a short description of the load of a workload: "16 clients, 2 threads".
func (l AppLoad) Describe(w Workload) string {
	parts := []string{units.FormatCount(w.Depth, "client")}
	if l.Threads > 1 {
		parts = append(parts, units.FormatCount(l.Threads, "thread"))
	}
	if l.Reconnect {
		parts = append(parts, "connecting each time")
	}
	if w.OpenLoop {
		parts = append(parts, "offered "+units.FormatRate(w.RateIOPS)+" tps")
	}
	return strings.Join(parts, ", ")
}

// AppResult is what a workload's transactions cost the application and its storage, over all repeats
// that count, ramps included. Costs are per transaction; an unknown one is nil. The device's I/Os
// include those of its other users.
type AppResult struct {
	Transactions uint64 `json:"transactions"`
	Failed       uint64 `json:"failed,omitempty"`
	Skipped      uint64 `json:"skipped,omitempty"`
	// UnderWay is the mean number of transactions in progress, by Little's law.
	UnderWay float64 `json:"in_flight,omitempty"`
	// Connect is the mean time to open a connection in seconds, 0 if not reported.
	Connect float64 `json:"connect,omitempty"`
	// Flushes is the number of flushes of the log per transaction, FlushTime the mean time of one in
	// seconds, and Flushing the fraction of time in which one was in progress.
	Flushes   *float64 `json:"flushes,omitempty"`
	FlushTime *float64 `json:"flush_time,omitempty"`
	Flushing  *float64 `json:"flushing,omitempty"`
	// LogBytes and PageImages are what was written to the log per transaction.
	LogBytes   *float64 `json:"log_bytes,omitempty"`
	PageImages *float64 `json:"page_images,omitempty"`
	// Reads is the number of pages read per transaction that missed the application's own cache,
	// HitRate the fraction of all that hit it, Reading the fraction of the clients' time spent on those
	// reads.
	Reads   *float64 `json:"reads,omitempty"`
	HitRate *float64 `json:"hit_rate,omitempty"`
	Reading *float64 `json:"reading,omitempty"`
	// DeviceReads, DeviceWrites and DeviceFlushes are I/Os of the block device per transaction,
	// DeviceWritten is bytes per transaction.
	DeviceReads   *float64 `json:"device_reads,omitempty"`
	DeviceWrites  *float64 `json:"device_writes,omitempty"`
	DeviceFlushes *float64 `json:"device_flushes,omitempty"`
	DeviceWritten *float64 `json:"device_written_bytes,omitempty"`
	// LogDeviceReads, LogDeviceWrites, LogDeviceFlushes and LogDeviceWritten are the same for the log's
	// device, if it has its own.
	LogDeviceReads   *float64 `json:"log_device_reads,omitempty"`
	LogDeviceWrites  *float64 `json:"log_device_writes,omitempty"`
	LogDeviceFlushes *float64 `json:"log_device_flushes,omitempty"`
	LogDeviceWritten *float64 `json:"log_device_written_bytes,omitempty"`
	// Checkpoints and Vacuums are how many the server started by itself in all these repeats.
	Checkpoints *float64 `json:"checkpoints,omitempty"`
	Vacuums     *float64 `json:"vacuums,omitempty"`
}
