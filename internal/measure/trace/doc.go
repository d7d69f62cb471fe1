// Package trace looks at the block layer of this machine while something runs: how many
// I/Os each device did, for which process and cgroup, of which kind and size, and how long
// the device took for each. Its opinion:
//
//   - A trace that cannot be held against the device's own counters is an anecdote. Every
//     trace reads them at the same instants and says how much it did not see.
//   - What is counted is counted in the kernel, in maps of bounded size; no event leaves it.
//     The program reads once a second, so a fast device costs no more memory than a slow one.
//   - A latency is what the device took, from the last time that the request was issued to
//     its completion; the wait before that is kept beside it and never added to it.
//   - What a request was for is known when it is queued, and unknown when it ends. So it
//     is remembered by the request's address from the first moment on, and never by device
//     and sector, which two requests can share.
//   - A flush that the device gets has no owner. It is attributed to whoever waits for one
//     while it is issued, as far as that is one process or one cgroup, and is else a row of
//     its own, "unowned flushes". Who asked for flushes, and waited how long, is exact.
//   - A method that sees less says what it cannot see, and shows nothing in its place.
//
// The programs are written as instructions, in Go, and not compiled from C: their field
// offsets come from the running kernel's own type information (BTF), and the events that
// older kernels lack are left out, at the moment of loading. That takes no compiler, neither
// here nor at the user's, no object in the repository that nobody can read, and no relocation.
// The programs end with the process that loaded them, also when that is killed: nothing is
// pinned, and no file of the tracing filesystem is written.
package trace
