// Package trace observes the block layer of this machine while something runs: how many I/Os each
// device did, for which process and cgroup, of which kind and size, and how long the device took for
// each.
//
// Its assumptions:
//
//   - A trace that cannot be compared with the device's own counters is anecdotal. Every trace
//     reads them at the same instants and reports how much it did not see.
//   - Counting is done in the kernel, in maps of bounded size; no event is copied to user space.
//     The program reads them once a second, so a fast device takes no more memory than a slow one.
//   - A latency is the time that the device took, from when the request was last issued to its
//     completion; the wait before that is kept separately and never added to it.
//   - What a request is for is known when it is queued, but not when it completes. So it is tracked
//     by the request's address from the start, and never by device and sector, which two requests
//     can share.
//   - A flush sent to the device has no owner. It is attributed to the process or cgroup that is
//     waiting for one when it is issued, if there is only one; otherwise it gets a row of its own,
//     "unowned flushes". Which processes requested flushes, and how long they waited, is exact.
//   - A method that sees less reports what it cannot see, and shows nothing in its place.
//
// The programs are written as instructions, in Go, and not compiled from C: their field offsets come
// from the running kernel's own type information (BTF), and events that older kernels lack are left
// out when the programs are loaded. That needs no compiler, neither here nor on the user's machine,
// no unreadable object file in the repository, and no relocation. The programs end with the process
// that loaded them, even if it is killed: nothing is pinned, and no file of the tracing filesystem is
// written.
package trace
