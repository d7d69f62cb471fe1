package session

import (
	"fmt"
	"os"
	"syscall"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// refuseSame refuses two targets that are identical. Two directories on one disk are not refused: the
// comparison reports that they share it.
func refuseSame(a, b model.Target) error {
	if !isSame(a, b) {
		return nil
	}
	hint := "name two different targets"
	if a.Kind == model.Directory {
		hint = "to see how much one place varies, name two directories on it: mkdir " + safetext.ShellWord(a.Path+"/a") + " " + safetext.ShellWord(a.Path+"/b")
	}
	if a.Name == b.Name {
		return model.RefusedError(fmt.Sprintf("%s would be compared with itself", a.Name), hint)
	}
	return model.RefusedError(fmt.Sprintf("%s and %s are the same %s: it would be compared with itself", a.Name, b.Name, a.Kind.Words()), hint)
}

// refuseShared refuses a baseline on the same device as the target: it is the same storage, not the one
// below, and rules would judge one by the other. A device that is built on another one has its own name. In
// a cluster, two classes may share a node's disk, which may be just what is to be compared. typed is the command.
func refuseShared(a, b model.Target, inA, inB model.Environment, typed model.CommandLine) error {
	device := inA.Storage.Device
	if device == "" || device != inB.Storage.Device || a.Path == "" || b.Path == "" || a.Cluster != nil || b.Cluster != nil {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("%s and its baseline %s are on the same device, %s: a baseline is the storage that the target is built on, or another one", b.Name, a.Name, device),
		"to compare two places on one device: "+typed.Placed([]model.Target{a, b}).Comparing(a.InCommand(), b.InCommand()).String())
}

// isSame reports whether two targets are identical.
func isSame(a, b model.Target) bool {
	// Two claims created from one class are two volumes.
	if a.Cluster.Made() || b.Cluster.Made() {
		return false
	}
	if a.Kind == b.Kind && a.Path == b.Path && a.URI == b.URI {
		return true
	}
	if a.Path == "" || b.Path == "" {
		return false
	}
	// Hard links and device nodes: two names for the same thing.
	infoA, errA := os.Stat(a.Path)
	infoB, errB := os.Stat(b.Path)
	return errA == nil && errB == nil && (os.SameFile(infoA, infoB) || sameDevice(infoA, infoB))
}

// sameDevice reports whether two device nodes refer to one device.
func sameDevice(a, b os.FileInfo) bool {
	sa, okA := a.Sys().(*syscall.Stat_t)
	sb, okB := b.Sys().(*syscall.Stat_t)
	return okA && okB && a.Mode()&os.ModeDevice != 0 && b.Mode()&os.ModeDevice != 0 && sa.Rdev == sb.Rdev
}
