// Package results makes a report from a directory of results: of a run, an import, two runs that are
// compared, a ranking of several systems, or a durability test.
//
// Its assumptions: a report is computed from what was saved and from nothing else, so that measuring,
// analyzing, comparing and serving cannot disagree. The package combines the parts (estimates,
// findings, goals, laws) and judges nothing itself: analyze, trust and capacity do. What it computes it
// saves beside the raw data; what cannot be saved is returned in full with the reason. It prints
// nothing and chooses no exit code.
package results
