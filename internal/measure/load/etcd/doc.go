// Package etcd loads etcd: it finds the program on this machine, starts a member of its own in a
// directory, writes to it with a client of its own and reads the server's counters.
//
// Its assumptions: etcd is a log that is flushed before any request is answered, so the flushes that
// the server counted are reported beside the puts; the client measures latency from when a put was
// due, because a stalled server must not reduce the number of late puts; and a member that we start
// listens on sockets in a directory that nobody else can use, does not run as root unless it has
// to, and is removed at the end of the run.
//
// The client speaks gRPC over net/http's HTTP/2. A put consists of two byte fields, and etcd's own
// client would bring gRPC, protobuf and logging, some 70 packages, into each binary.
//
// Everything relied on is documented: gRPC's protocol (grpc.io, "gRPC over HTTP2"), the messages of
// etcd's rpc.proto (KV.Put: key 1, value 2), its flags, and its metrics
// (etcd_disk_wal_fsync_duration_seconds, etcd_disk_backend_commit_duration_seconds).
package etcd
