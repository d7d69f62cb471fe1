// Package tracepoint follows block I/Os by the events that Linux writes for perf: for
// kernels and users that BPF is closed to. Its opinion:
//
//   - Where a record has its fields is what the running kernel says (the format files of the
//     tracing filesystem), and never assumed.
//   - Events do not name the request, only its device, sector and kind. Two of the same in
//     flight at once cannot be told apart, and who uses this is told so.
//   - A record that found no room, and an event that was never written, are normal. They cost
//     the I/Os that they were of, counted where they can be, and leave the latencies of all
//     others as they are.
//   - What writes no records on some processors is refused before anything is traced.
//
// Nothing is written to the tracing filesystem, and a mount that it takes is one that no
// other process sees: all of it ends with the process.
package tracepoint
