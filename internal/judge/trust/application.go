package trust

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// Rules about applications look at what a server and its load tool counted. They say nothing of
// runs without one; and those about storage that is loaded by itself say nothing of an
// application, whose own I/O nobody sees one by one.

// ofStorage names the rules that only speak of storage loaded by itself: they need its I/Os.
var ofStorage = []*Rule{
	&ruleSparse, &ruleBuffered, &ruleSize, &ruleCache, &ruleDepth, &ruleLate, &ruleBytes, &ruleMerge, &ruleForeign, &ruleSettled, &ruleCap,
	&ruleSustained, &ruleFasterReads, &ruleFasterWrites, &ruleAboveDisks,
}

// applicationRules judge runs that load an application, and say nothing of others.
var applicationRules = []Rule{ruleDurable, ruleClients, ruleSkipped, ruleConnecting, ruleHotRows, ruleStorageBound, ruleFullCPU, ruleMaintenance, ruleFit, ruleFewTransactions}

// ofDatabases names the rules that only speak of databases with tables, caches and connections
// made anew, and not of an etcd.
var ofDatabases = []*Rule{&ruleConnecting, &ruleHotRows, &ruleMaintenance, &ruleFit}

// puts reports whether all that the run loads is an etcd.
func (ev Evidence) puts() bool {
	return !slices.ContainsFunc(ev.Recorded.Plan.Workloads, func(w model.Workload) bool { return w.App.Tool != string(model.Etcd) })
}

// application reports whether the run loads one.
func (ev Evidence) application() bool {
	return slices.ContainsFunc(ev.Recorded.Plan.Workloads, model.Workload.Loads)
}

// speaks reports whether a rule is about this kind of run.
func (ev Evidence) speaks(r Rule) bool {
	named := func(o *Rule) bool { return o.Name == r.Name }
	if r.Name == ruleFewTransactions.Name {
		return ev.fewAsked()
	}
	if slices.ContainsFunc(existingRules, func(o Rule) bool { return o.Name == r.Name }) {
		return ev.application() && ev.existing()
	}
	if ev.application() {
		return !slices.ContainsFunc(ofStorage, named) && !(ev.puts() && slices.ContainsFunc(ofDatabases, named))
	}
	if r.Name == ruleConnecting.Name && ev.Recorded.Imported != nil {
		return slices.ContainsFunc(ev.Recorded.Imported.Figures, connects)
	}
	return !slices.ContainsFunc(applicationRules, func(o Rule) bool { return o.Name == r.Name })
}

// state is what the application was when it had been made ready; nil where nobody knows.
func (ev Evidence) state() *model.AppState {
	if p := ev.Recorded.Run.Prepare; p != nil {
		return p.App
	}
	return nil
}

// loads calls look for each workload that has a result, with what its transactions cost; those
// of which that is not known are missed.
func (ev Evidence) loads(o *outcome, look func(w model.Workload, r model.Result, cost model.AppResult)) {
	for _, r := range ev.Results {
		w, known := ev.Recorded.Plan.Workload(r.Workload)
		if !known || !w.Loads() {
			continue
		}
		if r.App == nil {
			o.miss(r.Workload, "the server's counts are not known")
			continue
		}
		look(w, r, *r.App)
	}
}

// noLoad is why a rule about applications looked at nothing.
const noLoad = "there is no result to judge"
