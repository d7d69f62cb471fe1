// Package volume is what a worker does its I/O on: it finds out what a target
// really is, decides whether it may be written, makes and removes Loadline's own
// data file, and proves that every byte of a file was written.
//
// Its opinion: nothing of the user's is at risk. Whatever cannot be proved to be
// free is taken to be in use; a filesystem keeps 5 % of its space; and what
// looks like a disk but is RAM says so. A refusal is a *model.WorkerError of
// class Refused, in sentences.
//
// Probing devices and proving files is Linux's business (mountinfo, sysfs,
// FIEMAP); elsewhere they say that they are not available.
package volume

import "github.com/loadline/loadline/internal/env"

// system is the time in which the kernel and udev let go of a device and caches count:
// theirs, whatever the clock of a run says.
var system env.Clock
