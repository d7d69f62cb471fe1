package volume

import (
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// Several workers of one run may be separate processes on one machine (over ssh, for example) that
// share a target. The first one holds it; the others get a copy of its descriptor through a socket in
// the abstract namespace, whose name identifies what is shared. Both ends check the other's user, and
// the receiver checks what it got.

// shareAddress returns the address of the socket.
func shareAddress(t model.Target, share string) *net.UnixAddr {
	return &net.UnixAddr{Net: "unix", Name: fmt.Sprintf("@loadline/%s/%s", share, t.Path)}
}

// shareDescriptor passes the descriptor to other workers of the run until the returned function is
// called. If there can be no such socket, no other worker gets it.
func shareDescriptor(f *os.File, t model.Target, write bool, share string) func() {
	address := shareAddress(t, share)
	if !write || len(address.Name) > 107 { // the length of sun_path, unix(7)
		return func() {}
	}
	listener, err := net.ListenUnix("unix", address)
	if err != nil {
		return func() {}
	}
	go func() {
		for {
			conn, err := listener.AcceptUnix()
			if err != nil {
				return
			}
			if sameUser(conn) {
				_, _, _ = conn.WriteMsgUnix([]byte{0}, unix.UnixRights(int(f.Fd())), nil)
			}
			_ = conn.Close()
		}
	}()
	return func() { _ = listener.Close() }
}

// sharedDescriptor gets the descriptor from another worker of the run; nil if there is none.
func sharedDescriptor(t model.Target, write bool, share string) (*os.File, error) {
	if !write {
		return nil, nil
	}
	conn, err := net.DialUnix("unix", nil, shareAddress(t, share))
	if err != nil {
		return nil, nil
	}
	defer conn.Close()
	if !sameUser(conn) {
		return nil, nil
	}
	rights := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := conn.ReadMsgUnix(make([]byte, 1), rights)
	if err != nil {
		return nil, nil
	}
	f, err := received(rights[:n])
	if err != nil {
		return nil, inUse(t, "could not be shared with another worker of this run ("+err.Error()+")", "")
	}
	own, ok := inodeOf(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	named, known := inodeOf(t.Path)
	if !ok || !known || !own.same(named) {
		_ = f.Close()
		return nil, inUse(t, "is not what another worker of this run has opened under this name", "look at it: ls -l "+safetext.ShellWord(t.Path))
	}
	return f, nil
}

// received takes the one descriptor out of a message.
func received(rights []byte) (*os.File, error) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		descriptors, err := unix.ParseUnixRights(&m)
		if err != nil || len(descriptors) != 1 {
			continue
		}
		unix.CloseOnExec(descriptors[0])
		return os.NewFile(uintptr(descriptors[0]), "shared"), nil
	}
	return nil, errors.New("no descriptor came")
}

// sameUser reports whether the process at the other end belongs to our own user.
func sameUser(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	same := false
	err = raw.Control(func(fd uintptr) {
		peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		same = err == nil && int(peer.Uid) == os.Geteuid()
	})
	return err == nil && same
}
