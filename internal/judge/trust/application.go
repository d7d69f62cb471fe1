package trust

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
)

// Rules about applications use the counters of a server and its load tool. They do not apply to runs
// without an application; and rules about storage that is loaded directly do not apply to an
// application, whose individual I/Os are not observed.

// ofStorage names the rules that apply only to storage that is loaded directly: they need its I/Os.
var ofStorage = []*Rule{
	&ruleSparse, &ruleBuffered, &ruleSize, &ruleCache, &ruleDepth, &ruleLate, &ruleBytes, &ruleMerge, &ruleForeign, &ruleSettled, &ruleCap,
	&ruleSustained, &ruleFasterReads, &ruleFasterWrites, &ruleAboveDisks,
}

// applicationRules judge runs that load an application, and do not apply to others.
var applicationRules = []Rule{ruleDurable, ruleClients, ruleSkipped, ruleConnecting, ruleHotRows, ruleStorageBound, ruleFullCPU, ruleMaintenance, ruleFit, ruleFewTransactions}

// ofDatabases names the rules that apply only to databases (App.Database).
var ofDatabases = []*Rule{&ruleConnecting, &ruleHotRows, &ruleMaintenance, &ruleFit}

// app is the application that the run loads; zero if it loads storage.
func (ev Evidence) app() apps.App {
	for _, w := range ev.Recorded.Plan.Workloads {
		if w.Loads() {
			return apps.Of(w)
		}
	}
	return apps.App{}
}

// application reports whether the run loads one.
func (ev Evidence) application() bool {
	return slices.ContainsFunc(ev.Recorded.Plan.Workloads, model.Workload.Loads)
}

// applies reports whether a rule applies to this kind of run.
func (ev Evidence) applies(r Rule) bool {
	named := func(o *Rule) bool { return o.Name == r.Name }
	if r.Name == ruleFewTransactions.Name {
		return ev.fewAsked()
	}
	if slices.ContainsFunc(existingRules, func(o Rule) bool { return o.Name == r.Name }) {
		return ev.application() && ev.existing()
	}
	if ev.application() {
		return !slices.ContainsFunc(ofStorage, named) && (ev.app().Database || !slices.ContainsFunc(ofDatabases, named))
	}
	if r.Name == ruleConnecting.Name && ev.Recorded.Imported != nil {
		return slices.ContainsFunc(ev.Recorded.Imported.Figures, connects)
	}
	return !slices.ContainsFunc(applicationRules, func(o Rule) bool { return o.Name == r.Name })
}

// state is the state of the prepared application; nil if unknown.
func (ev Evidence) state() *model.AppState {
	if p := ev.Recorded.Run.Prepare; p != nil {
		return p.App
	}
	return nil
}

// loads calls look for each workload that has a result, with the cost of its transactions; workloads
// without known costs are reported as missing.
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

// noLoad is why a rule about applications had nothing to judge.
const noLoad = "there is no result to judge"
