package fio

import (
	"fmt"
	"syscall"

	"github.com/loadline/loadline/internal/model"
)

// failure returns a message that says what went wrong in an execution, given the last document that
// it printed (nil if none could be read). It is empty if nothing went wrong.
func failure(o *outcome, last *job) string {
	switch {
	case o.interrupted && o.stopped != "":
		return fmt.Sprintf("interrupted, and %s", o.stopped)
	case o.interrupted:
		return "interrupted"
	case o.stopped != "" && !(o.hungAfterSignal && o.outOfMemory()):
		return o.stopped + o.jobKilled() + fioMessage(o)
	case o.abortCause != nil:
		return fmt.Sprintf("%v", o.abortCause)
	case o.outOfMemory():
		return "fio was killed, most likely by the kernel's out-of-memory killer" + o.memory.why + fioMessage(o)
	case o.signal == syscall.SIGKILL:
		return "fio was killed by signal 9 (killed)" + o.memory.why + fioMessage(o)
	case o.signal == syscall.SIGABRT && o.jobEndedBySignal():
		// fio 3.33 may free memory twice after that.
		return "a signal ended a job of fio, which then ended itself" + o.jobKilled() + fioMessage(o)
	case o.signal != 0:
		return fmt.Sprintf("fio was killed by signal %d (%v)%s%s", int(o.signal), o.signal, o.jobKilled(), fioMessage(o))
	case last != nil && last.failures() > 0:
		return ioFailure(o, last)
	case o.exit != 0:
		return fmt.Sprintf("fio failed with exit code %d: %s%s", o.exit, o.message(), o.jobKilled())
	case o.truncated:
		return "fio's output ended in the middle of a document"
	case last == nil:
		return fmt.Sprintf("fio printed no result, but: %s", o.message())
	}
	return ""
}

// fioMessage returns fio's own message, if there is one.
func fioMessage(o *outcome) string {
	if quote(o.stderr.String()+o.text.String()) == "" {
		return ""
	}
	return fmt.Sprintf(" (fio said: %s)", o.message())
}

// ioFailure describes failed I/Os.
func ioFailure(o *outcome, last *job) string {
	code := last.Error
	if code == 0 {
		code = last.FirstError
	}
	cause := errnoMessage(syscall.Errno(code))
	if last.TotalError > 1 {
		return fmt.Sprintf("%d I/Os failed, the first with %s%s", last.TotalError, cause, fioMessage(o))
	}
	return fmt.Sprintf("an I/O failed with %s%s", cause, fioMessage(o))
}

// mostErrno is the largest number of an error of the kernel (MAX_ERRNO); fio's engines also return -1.
const mostErrno = 4095

// errnoMessage describes a kernel error.
func errnoMessage(e syscall.Errno) string {
	switch e {
	case syscall.EIO:
		return "EIO: the storage returned an input/output error"
	case syscall.ENOSPC:
		return "ENOSPC: no space is left on the storage"
	case syscall.EINVAL:
		return "EINVAL: the storage does not take this kind of I/O (block size or direct I/O)"
	case syscall.EROFS:
		return "EROFS: the filesystem is read-only"
	case syscall.EILSEQ:
		return "EILSEQ: the data read is not the data written"
	case 0:
		return "an unnamed error"
	}
	if e > mostErrno {
		return "an error without a number"
	}
	return fmt.Sprintf("error %d: %v", int(e), e)
}

// workerError returns a worker error with the formatted message.
func workerError(format string, args ...any) error {
	return model.BrokenError(fmt.Sprintf(format, args...), "")
}

// versionKilled says that a signal ended fio when it was asked for its version, before any I/O.
func versionKilled(path string, signal syscall.Signal, memory memoryVerdict) error {
	by := fmt.Sprintf("by signal %d (%v)", int(signal), signal)
	if signal != syscall.SIGKILL {
		return model.RefusedError(fmt.Sprintf("%s --version was ended %s.", path, by), "try it yourself: "+path+" --version; if it ends like that, "+installHint)
	}
	if memory.probable {
		by = "most likely by the kernel's out-of-memory killer"
	}
	return model.RefusedError(fmt.Sprintf("%s --version was killed, %s%s.", path, by, memory.why),
		"try it yourself: "+path+" --version; if that is killed too, see in dmesg by what, and whether memory is free")
}
