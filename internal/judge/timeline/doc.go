// Package timeline puts what the workers of a run have sampled onto one time: which samples
// count, which of them belong to one repeat, and what all workers of a repeat did together in
// each second.
//
// Its opinion: rates of several workers may be added up only over the window in which all of
// them ran, and by the clock, not by the number of the sample. What is published and what the
// rules of trust judge are the same seconds, because both are made here.
package timeline
