// Package timeline puts the samples of a run's workers onto one time axis: which samples count, which
// of them belong to one repeat, and what all workers of a repeat did together in each second.
//
// Its assumptions: rates of several workers may be added up only over the window in which all of them
// ran, and by the clock, not by the number of the sample. What is published and what the rules of
// package trust judge are the same seconds, because both come from here.
package timeline
