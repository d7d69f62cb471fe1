package trust

import "github.com/loadline/loadline/internal/model"

// rule is one thing that makes a number wrong. check returns at least one
// finding; Check fills in the rule's name.
type rule struct {
	name  string
	check func(Evidence) []model.Finding
}

// rules are in the order in which their findings are reported.
var rules = []rule{
	{"interrupted", checkInterrupted},
	{"errors", checkErrors},
	{"memory", checkMemory},
	{"sparse", checkSparse},
	{"buffered", checkBuffered},
	{"size", checkSize},
	{"depth", checkDepth},
	{"precision", checkPrecision},
	{"clock", checkClock},
	{"cpu", checkCPU},
}
