package trust

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// Rule is one thing that makes a number wrong, or limits what it means.
type Rule struct {
	// Name is the word that findings carry.
	Name string
	// Checks is a phrase that says what is checked, Evidence what it takes,
	// Severity what a finding does to the result, and Advice what to do about one.
	Checks, Evidence, Severity, Advice string
	// check returns at least one finding, unless the rule is about imported numbers and
	// these are not, about several volumes and there is one, or about a storage system
	// that keeps no replicas; Check fills in the rule's name.
	check func(Evidence) []model.Finding
}

// rules judge every run, in the order in which their findings are reported; before
// them comes the one that speaks only of imported numbers.
var rules = []Rule{
	ruleInterrupted,
	ruleErrors,
	ruleReplaced,
	ruleMemory,
	ruleSparse,
	ruleBuffered,
	ruleSize,
	ruleCache,
	ruleDepth,
	ruleRate,
	ruleLate,
	ruleClient,
	ruleCPU,
	ruleClock,
	ruleBytes,
	ruleMerge,
	ruleForeign,
	ruleSettled,
	ruleCap,
	ruleStall,
	rulePrecision,
	ruleSustained,
	ruleTail,
	ruleWarmUp,
	ruleBurst,
	ruleCliff,
	ruleModes,
	ruleDrift,
	ruleFasterReads,
	ruleFasterWrites,
	ruleAboveDisks,
}

// multiVolumeRules judge runs that load several volumes at once, and say nothing of others.
var multiVolumeRules = []Rule{
	ruleSync,
	ruleSum,
	ruleFairness,
	ruleNetwork,
}

// systemRules judge runs on volumes of which a storage system tells more than its disks
// do, and say nothing of others.
var systemRules = []Rule{ruleReplicas}

// Rules lists all rules in the order in which their findings are reported.
func Rules() []Rule {
	return slices.Concat([]Rule{ruleImported}, importedRules, rules, multiVolumeRules, systemRules, applicationRules, existingRules)
}
