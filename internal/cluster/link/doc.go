// Package link is one lossless stream of bytes in both directions over as many connections as it
// takes: between a server, which stays in a pod, and a client, which reconnects. It connects to
// workers in pods, and fetches the results of a Job.
//
// Its assumptions: work in a cluster outlives the network path to it, so nothing may depend on a single
// connection; and a client says how many bytes it has received and is told how many arrived, which
// is all that has to be agreed on. What the bytes mean is up to those who send them.
//
// A connection begins with a line of JSON from the client (hello) and one from the server
// (welcome). Then both send frames (four bytes of length, big-endian, and that many bytes),
// beginning with the byte after those that have arrived. A frame of length 0 is a heartbeat of the
// server. One of length endMark, without bytes, is the end of the stream; the client answers it
// with the same, so that the server need not stay any longer.
package link
