// Package etcd loads etcd: it finds the program of this machine, starts a member of its own in a
// directory, puts into it with a client of its own and reads what the server counts.
//
// Its opinion: etcd is a log that is flushed before anything is answered, so the flushes that the
// server counted stand beside each put; the client takes times from when a put was due, because
// a server that stands still must not make fewer puts late; and a member of ours listens on
// sockets in a directory that nobody else can use, does not run as root where it need not, and
// is gone when the run is.
//
// The client speaks gRPC over HTTP/2 as net/http has it. A put is two fields of bytes, and the
// server's own client would bring gRPC, protobuf and logging, some 70 packages, into each binary.
//
// What is relied on is documented: gRPC's protocol (grpc.io, "gRPC over HTTP2"), the messages of
// etcd's rpc.proto (KV.Put: key 1, value 2), its flags, and its metrics
// (etcd_disk_wal_fsync_duration_seconds, etcd_disk_backend_commit_duration_seconds).
package etcd
