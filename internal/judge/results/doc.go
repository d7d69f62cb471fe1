// Package results makes a report of what lies in a directory of results: of a run, an
// import, two runs that are compared, a ranking of several systems, a durability test.
//
// Its opinion: a report is computed from what was saved and from nothing else, so that
// measuring, analyzing, comparing and serving cannot disagree. It puts the parts together
// (estimates, findings, goals, laws) and judges nothing itself: analyze, trust and capacity
// do. What it computes it saves beside the raw data, and what cannot be saved is returned
// whole with the reason. It prints nothing and chooses no exit code.
package results
