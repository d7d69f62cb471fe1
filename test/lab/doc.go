// Package lab starts real storage devices whose speed, latency and faults are
// known, on one Linux machine, from Debian packages, for the length of a test.
//
// Its opinion: a tool that measures is tested on a device whose answer is known
// beforehand, and what the device is set to is the truth. The machine's own disk
// is shared and noisy; nothing absolute is ever asserted on it.
//
// Every device ends with the test that started it, in the right order (unmount,
// detach, end the daemon, remove the files), and also when the test fails,
// panics, times out or is killed with SIGKILL: see janitor.go. Where a device
// cannot run, the test is skipped with the reason, or fails when the environment
// has LOADLINE_LAB=required.
package lab

// T is what the lab needs of a test; *testing.T and *testing.B have it, and so
// can a program.
type T interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
	Logf(format string, args ...any)
}
