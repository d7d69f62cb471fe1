package harm

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// Hostile replies of a server, through every verb that queries it.
func TestHostileServer(t *testing.T) {
	for name, text := range hostiles {
		t.Run(name, func(t *testing.T) {
			target := "nbd+unix:///vol?socket=" + nbdServer(t, text)
			for _, args := range [][]string{{"run", target}, {"plan", target}, {"doctor", target}, {"sweep", target}, {"compare", target, t.TempDir()},
				{"durability", target, "--destroy-data-on", target}, {"scale", target, "--volumes", "1"}} {
				o := loadline(t, args...)
				if o.code == 0 {
					t.Errorf("%s believes the server", args[0])
				}
				readable(t, o)
			}
		})
	}
}

// nbdServer refuses every export with the given words, and lists one with that name.
func nbdServer(t *testing.T, words string) (socket string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "nbd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket = filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go refuse(c, words)
		}
	}()
	return socket
}

// refuse speaks the fixed newstyle handshake (the NBD project's proto.md).
func refuse(c net.Conn, words string) {
	defer c.Close()
	reply := func(option, kind uint32, data []byte) {
		head := binary.BigEndian.AppendUint64(nil, 0x3e889045565a9)
		for _, v := range []uint32{option, kind, uint32(len(data))} {
			head = binary.BigEndian.AppendUint32(head, v)
		}
		_, _ = c.Write(append(head, data...))
	}
	_, _ = c.Write([]byte("NBDMAGICIHAVEOPT\x00\x03"))
	_, _ = io.CopyN(io.Discard, c, 4)
	for {
		var head [16]byte
		if _, err := io.ReadFull(c, head[:]); err != nil {
			return
		}
		option, length := binary.BigEndian.Uint32(head[8:]), binary.BigEndian.Uint32(head[12:])
		if _, err := io.CopyN(io.Discard, c, int64(length)); err != nil {
			return
		}
		const (
			list, server, ack = 3, 2, 1
			unknown           = 0x80000006
		)
		if option == list {
			reply(option, server, append(binary.BigEndian.AppendUint32(nil, uint32(len(words))), words...))
			reply(option, ack, nil)
			continue
		}
		reply(option, unknown, []byte("no such export "+words))
	}
}
