// Package observe tells what the machine is and what it did meanwhile: hardware,
// kernel and limits, and over a step the CPU's idle and stolen time, the time
// that a cgroup limit held us, and what the block device counted.
//
// Its opinion: a figure that could not be read is left empty, never guessed, and
// observing costs two readings of a few small files, not a running sampler.
// Everything is parsed from an fs.FS that looks like "/", so that text fixtures
// stand for machines that are not here.
package observe
