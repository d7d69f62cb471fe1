// Package nbd is the NBD protocol: a small client (fixed newstyle negotiation with
// NBD_OPT_GO, simple replies, one request at a time), and the server's end of a connection
// for the devices of test/lab.
//
// Its opinion: the protocol's numbers and frames stand in one place (wire.go and server.go
// know nothing of the client, and the module in test/lab/longhorn links to them). The client exists to look at an export and to ask whether flushed data
// stays, not to be fast (fio does the load), so it is simple enough to be read
// in one sitting. A request that the context ends leaves the connection
// unusable, and it says so from then on; nothing runs in the background.
//
// The protocol is that of the NBD project's "doc/proto.md"; the URI that of "doc/uri.md".
package nbd
