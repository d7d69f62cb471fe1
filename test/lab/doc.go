// Package lab starts real storage devices whose speed, latency and faults are
// known, on one Linux machine, from Debian packages, for the duration of a test.
//
// Its assumptions: a measuring tool is tested on a device whose answer is known
// beforehand, and the device's settings are the truth. The machine's own disk
// is shared and noisy; nothing absolute is ever asserted on it.
//
// Every device ends with the test that started it, in the right order (unmount,
// detach, end the daemon, remove the files), even if the test fails,
// panics, times out or is killed with SIGKILL: see janitor.go. If a device
// cannot run, the test is skipped with the reason, or fails if the environment
// has LOADLINE_LAB=required.
package lab

// T is the part of a test that the lab needs; *testing.T and *testing.B implement it, and a
// program can do so too.
type T interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
	Logf(format string, args ...any)
}
