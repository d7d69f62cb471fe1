package nbd

import (
	"encoding/binary"
	"errors"
)

// ReplySize is the length in bytes of what precedes a reply's data in the transmission phase (proto.md,
// "Transmission phase").
const ReplySize = 16

// errReply is a reply that is not one of this protocol.
var errReply = errors.New("the server's reply is not the expected one")

// AppendRead appends the request to read length bytes at an offset. The cookie comes back in the reply.
func AppendRead(b []byte, cookie uint64, offset int64, length uint32) []byte {
	return appendRequest(b, cmdRead, 0, cookie, offset, length)
}

// AppendWrite appends the head of the request to write length bytes at an offset; the data follow it.
func AppendWrite(b []byte, cookie uint64, offset int64, length uint32) []byte {
	return appendRequest(b, cmdWrite, 0, cookie, offset, length)
}

// AppendDisconnect appends the request to end the connection, to which there is no reply.
func AppendDisconnect(b []byte) []byte { return appendRequest(b, cmdDisc, 0, 0, 0, 0) }

// ParseReply reads the head of a simple reply, the first ReplySize bytes: the request's cookie, and the number of
// its error, which is 0 for success and otherwise one of Linux. The data of a read follow it.
func ParseReply(head []byte) (cookie uint64, code uint32, err error) {
	if len(head) < ReplySize || binary.BigEndian.Uint32(head) != magicSimpleReply {
		return 0, 0, errReply
	}
	return binary.BigEndian.Uint64(head[8:]), binary.BigEndian.Uint32(head[4:]), nil
}

func appendRequest(b []byte, cmd, flags uint16, cookie uint64, offset int64, length uint32) []byte {
	b = binary.BigEndian.AppendUint32(b, magicRequest)
	b = binary.BigEndian.AppendUint16(b, flags)
	b = binary.BigEndian.AppendUint16(b, cmd)
	b = binary.BigEndian.AppendUint64(b, cookie)
	b = binary.BigEndian.AppendUint64(b, uint64(offset))
	return binary.BigEndian.AppendUint32(b, length)
}
