// Package nbd implements the NBD protocol: a small client (fixed newstyle negotiation with
// NBD_OPT_GO, simple replies, one request at a time), and the server's end of a connection for the
// devices of test/lab.
//
// Its assumptions: the protocol's numbers and frames are defined in one place (wire.go and server.go do
// not depend on the client, and the module in test/lab/longhorn links to them). The client exists to
// inspect an export and to check whether flushed data stays, not to be fast (fio generates the load),
// so it is simple enough to be read in one sitting. A request interrupted by its context leaves the
// connection unusable, which every later call reports; nothing runs in the background.
//
// The protocol is defined in the NBD project's "doc/proto.md", the URI in "doc/uri.md".
package nbd
