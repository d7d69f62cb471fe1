package trust

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// Rule describes one thing that makes a number wrong or limits its meaning.
type Rule struct {
	// Name identifies the rule in findings.
	Name string
	// Checks is a phrase that says what is checked, Evidence what it requires, Severity the effect of a
	// finding on the result, and Advice what to do about one.
	Checks, Evidence, Severity, Advice string
	// check returns at least one finding, unless the rule is about imported numbers and these are not,
	// about several volumes and there is one, or about a storage system that keeps no replicas; Check
	// fills in the rule's name, and does not call it for a kind of run that the rule is not about (applies).
	check func(Evidence) []model.Finding
}

// rules judge every run that loads storage directly, and most of them other runs too, in the order in which their
// findings are reported; those that apply only to imported numbers come before them.
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

// multiVolumeRules judge runs that load several volumes at once, and do not apply to others.
var multiVolumeRules = []Rule{
	ruleSync,
	ruleSum,
	ruleFairness,
	ruleNetwork,
}

// systemRules judge runs on volumes about which a storage system reports more than its disks do, and do
// not apply to others.
var systemRules = []Rule{ruleReplicas}

// Rules lists all rules in the order in which their findings are reported.
func Rules() []Rule {
	return slices.Concat([]Rule{ruleImported}, importedRules, rules, multiVolumeRules, systemRules, applicationRules, existingRules)
}
