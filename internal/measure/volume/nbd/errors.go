package nbd

import (
	"fmt"
	"syscall"
)

// RefusedError is a server's refusal of a connection. Words is the server's message, or the meaning
// of its error code if it sent none.
type RefusedError struct {
	// Unknown is true if the server does not have the export, TLS if it requires TLS.
	Unknown, TLS bool
	Words        string
	// Exports are the names that the server lists, if it does.
	Exports []string
}

// Error returns the message in Words.
func (e *RefusedError) Error() string { return e.Words }

// IOError is the server's error reply to a request.
type IOError struct {
	// Op is "read", "write" or "flush"; Offset is in bytes.
	Op     string
	Offset int64
	// Code is the protocol's error number.
	Code uint32
}

// Error says what failed and where.
func (e *IOError) Error() string {
	return fmt.Sprintf("%s at %d: the server answered %v", e.Op, e.Offset, e.Unwrap())
}

// Unwrap returns the errno, whose numbers the protocol shares with Linux for
// the common ones (proto.md, "Error values").
func (e *IOError) Unwrap() error {
	names := map[uint32]syscall.Errno{
		1: syscall.EPERM, 5: syscall.EIO, 12: syscall.ENOMEM, 22: syscall.EINVAL, 28: syscall.ENOSPC,
		75: syscall.EOVERFLOW, 95: syscall.ENOTSUP, 108: syscall.ESHUTDOWN,
	}
	if errno, ok := names[e.Code]; ok {
		return errno
	}
	return fmt.Errorf("error %d", e.Code)
}
