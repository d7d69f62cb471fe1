// Package analyze turns the samples of a run into results: what each workload did in each direction,
// with an interval. During a run it judges whether a workload has been measured often enough.
//
// Its assumptions: the unit of evidence is the repeat, not the I/O. Sums are added before they are
// divided, histograms are merged before a percentile is read from them, and an interval says how much
// the next repeat may differ. It is a pure function of what was recorded, so an old run can be
// analysed again.
package analyze
