package model

import (
	"fmt"
	"os"
)

// Volume is what a worker does its I/O on, and what was found out about it.
type Volume struct {
	Target Target `json:"target"`
	// Path is the file or device that fio opens; empty for NBD, RBD and fakes.
	Path string `json:"path,omitempty"`
	// Owned tells that Loadline makes the file and removes it.
	Owned bool `json:"owned"`
	// Size is the number of bytes that the workloads walk over.
	Size int64 `json:"size"`
	// SizeReason is one phrase that tells how the size was chosen.
	SizeReason string `json:"size_reason,omitempty"`
	// Engine is fio's ioengine; Direct reports whether the page cache is bypassed.
	Engine string `json:"engine"`
	Direct bool   `json:"direct"`
	// Prefill tells that the volume is written before it is measured.
	Prefill bool `json:"prefill"`
	// DestroyDataOn is what the user named to allow that the content of one of several
	// volumes is overwritten; of a single one, the experiment says it.
	DestroyDataOn string `json:"destroy_data_on,omitempty"`
	// Node is the machine that does the I/O, where there are several; "" is this one.
	Node string `json:"node,omitempty"`
	// NoFlush tells that the storage offers no flush, so none is tried.
	NoFlush bool `json:"no_flush,omitempty"`
	// Log is the volume that an application keeps its log on; nil where that is with its data.
	Log *Volume `json:"log,omitempty"`
	// Root is the directory of ours on the volume of a log, held open; it stays with the worker.
	Root *os.Root `json:"-"`
	// Open is the file or device itself, which the worker holds open for the whole run;
	// it stays with the worker. Who does I/O goes through it, as Path can come to name
	// something else. Nil for servers and fakes, and outside of a worker.
	Open *os.File `json:"-"`
}

// Reach is the name by which this process opens the volume again, with flags of its own:
// that of the held descriptor where there is one (proc(5)), else the path.
func (v Volume) Reach() string {
	if v.Open == nil {
		return v.Path
	}
	return fmt.Sprintf("/proc/self/fd/%d", v.Open.Fd())
}

// SharedAs is a name for what several volumes of a plan may have in common, all of
// their bytes: an existing device, image, file or claim. It is empty for a volume that
// is nobody else's: a file of its own, or a claim that was made for it.
func (v *Volume) SharedAs() string {
	c := v.Target.Cluster
	switch {
	case v.Owned || v.Target.Kind == Fake || c.Made():
		return ""
	case c != nil:
		// Pods on several nodes may use one claim.
		return c.Namespace + "/" + c.Name
	}
	return v.Node + " " + string(v.Target.Kind) + " " + v.Target.Path + v.Target.URI
}
