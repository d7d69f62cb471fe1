// Package apps says what every step needs to know of an application: its names, its load tool, and what
// its numbers can show.
//
// Its assumptions: of an application that was measured, perhaps long ago, a workload names the load tool
// and no more, so that is the key; and what is needed only to measure one is in the package of its load
// tool (package application), which those who judge and render do not import.
package apps

import "github.com/loadline/loadline/internal/model"

// App is an application as those know it who did not measure it.
type App struct {
	// Kind is the kind of its targets, and its name on the command line; Title is how it is written in a
	// sentence.
	Kind  model.TargetKind
	Title string
	// Tool is its load tool: AppLoad.Tool of its workloads. Process is what the names of the processes of
	// its server begin with.
	Tool, Process string
	// Database is set if it has tables, a cache and maintenance of its own, and clients that may reconnect.
	Database bool
	// Unsafe are settings with which it may lose what it has acknowledged.
	Unsafe []model.Setting
	// FlushTimes is set if its server counts how long flushes of its log take, so that a goal can ask for
	// their p99. LogProfile is then the built-in profile that measures such flushes one by one.
	FlushTimes bool
	LogProfile string
	// TimeProcessors, TimeReads, TimeFlushes and SampleWaits say how to measure what a run may lack: how long client and
	// server were on a processor, how long reads and flushes took, and what sessions waited for. "" if it has no such thing,
	// or always measures it.
	TimeProcessors, TimeReads, TimeFlushes, SampleWaits string
	// RoundTrips returns the number of round trips between client and server in a transaction, 0 if it is
	// unknown; nil if it always is.
	RoundTrips func(model.AppLoad) float64
}

// all lists the applications. A new one is a file, and a line here.
var all = []App{Postgres, Etcd}

// Of returns the application that a workload loads. One that is not known, because another version measured
// it, has the name of its load tool; storage has none.
func Of(w model.Workload) App {
	for _, a := range all {
		if a.Tool == w.App.Tool {
			return a
		}
	}
	return App{Title: w.App.Tool, Tool: w.App.Tool, Process: w.App.Tool}
}
