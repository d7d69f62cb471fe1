package model

import (
	"fmt"
	"os"
	"slices"
)

// Volume is what a worker does its I/O on, with the properties that were determined.
type Volume struct {
	Target Target `json:"target"`
	// Path is the file or device that fio opens; empty for NBD, RBD and fakes.
	Path string `json:"path,omitempty"`
	// Owned is set if Loadline creates the file and removes it.
	Owned bool `json:"owned"`
	// Size is the number of bytes covered by the workloads.
	Size int64 `json:"size"`
	// SizeReason is a phrase saying how the size was chosen.
	SizeReason string `json:"size_reason,omitempty"`
	// Engine is fio's ioengine; Direct is whether the page cache is bypassed.
	Engine string `json:"engine"`
	Direct bool   `json:"direct"`
	// Prefill is set if the volume is written before it is measured.
	Prefill bool `json:"prefill"`
	// DestroyDataOn is what the user named to allow overwriting one of several volumes; for a single
	// volume the experiment holds it.
	DestroyDataOn string `json:"destroy_data_on,omitempty"`
	// Node is the machine that does the I/O, if there are several; "" is this one.
	Node string `json:"node,omitempty"`
	// NoFlush is set if the storage offers no flush, so that none is attempted.
	NoFlush bool `json:"no_flush,omitempty"`
	// Log is the volume that holds an application's log; nil if the log is with its data.
	Log *Volume `json:"log,omitempty"`
	// Root is our directory on the volume of a log, held open; it is not passed on by the worker.
	Root *os.Root `json:"-"`
	// Open is the file or device itself, which the worker holds open for the whole run and does not
	// pass on. I/O goes through it because Path may come to refer to something else. Nil for servers
	// and fakes, and outside of a worker.
	Open *os.File `json:"-"`
}

// Reach returns the name by which this process reopens the volume with other flags: the path of the
// held descriptor, if there is one (proc(5)), else the path of the volume.
func (v Volume) Reach() string {
	if v.Open == nil {
		return v.Path
	}
	return fmt.Sprintf("/proc/self/fd/%d", v.Open.Fd())
}

// SharedAs returns a name for the data that several volumes of a plan may share: an existing device,
// image, file or claim. It is empty for a volume with exclusive use: its own file, or a claim that was
// created for it.
func (v *Volume) SharedAs() string {
	c := v.Target.Cluster
	switch {
	case v.Owned || v.Target.Kind == Fake || c.Made():
		return ""
	case c != nil:
		// Pods on several nodes may use the same claim.
		return c.Namespace + "/" + c.Name
	}
	return v.Node + " " + string(v.Target.Kind) + " " + v.Target.Path + v.Target.URI
}

// DirectFor reports in words whether these workloads bypass the page cache on the volume: "direct=1". Those that
// only append to a log do not, and flush it.
func (v Volume) DirectFor(workloads []Workload) string {
	switch {
	case len(workloads) > 0 && !slices.ContainsFunc(workloads, func(w Workload) bool { return !w.Append }):
		return "direct=0 (a log, flushed)"
	case v.Direct:
		return "direct=1"
	}
	return "direct=0 (buffered)"
}
