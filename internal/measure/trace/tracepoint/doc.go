// Package tracepoint follows block I/Os through the events that Linux writes for perf: for kernels
// and users without access to BPF.
//
// Its assumptions:
//
//   - The offsets of a record's fields are read from the running kernel (the format files of the
//     tracing filesystem), and never assumed.
//   - Events do not identify the request, only its device, sector and kind. Two identical ones in
//     flight at once cannot be told apart, which is reported to the user.
//   - Records that did not fit into the ring, and events that were never written, are normal. They
//     lose the I/Os to which they belong, which are counted where possible, and do not affect the
//     latencies of all others.
//   - A kernel that writes no records on some processors is refused before anything is traced.
//
// Nothing is written to the tracing filesystem, and if it has to be mounted, no other process sees
// the mount: all of it ends with the process.
package tracepoint
