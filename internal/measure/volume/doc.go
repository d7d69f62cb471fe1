// Package volume manages the files and devices on which a worker does its I/O: it finds out what a
// target really is, decides whether it may be written, creates and removes Loadline's own data file,
// and proves that every byte of a file was written.
//
// Its assumptions: the user's data is never at risk. Whatever cannot be proved to be free is treated as
// in use; 5 % of a filesystem stays free; and what looks like a disk but is RAM is reported as RAM. A
// refusal is a *model.WorkerError of class Refused, worded in full sentences.
//
// Probing devices and proving files are only implemented on Linux (mountinfo, sysfs, FIEMAP);
// elsewhere they report that they are not available.
package volume

import "github.com/loadline/loadline/internal/env"

// system is the clock for waiting until the kernel and udev release a device and cache counters are
// updated: real time, whatever clock the run uses.
var system env.Clock
