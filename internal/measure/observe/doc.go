// Package observe describes the machine and what happened on it during a measurement: hardware,
// kernel and limits, and, over a step, the CPU's idle and stolen time, the time that a cgroup limit
// throttled us, and the block device's counters.
//
// Its assumptions: a figure that could not be read is left empty, never guessed, and observing costs two
// readings of a few small files, not a running sampler. Everything is parsed from an fs.FS that looks
// like "/", so that text fixtures can stand in for other machines.
package observe
