package open

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/measure/volume/nbd"
	"github.com/loadline/loadline/internal/model"
)

// network does I/O on an NBD export, with many concurrent requests on one connection. Data that the
// server does not take from the socket are queued here, and their I/Os become late.
type network struct {
	sock  *os.File
	fd    int
	block int64
	// payload is the data of the writes.
	payload []byte
	// out is what the socket has not accepted yet; in is an incomplete reply.
	out, in []byte
	// skip is how many bytes of a read's data are still to come, for the slot reading.
	skip    int64
	reading int
	writes  []bool
	places  []int64
	// unanswered are the slots whose reply is still to come.
	unanswered []bool
	// broken is why nothing more will be answered.
	broken error
}

// openNBD takes over the socket of a negotiated connection.
func openNBD(sock *os.File, w model.Workload) (device, error) {
	fd := int(sock.Fd())
	if err := unix.SetNonblock(fd, true); err != nil {
		sock.Close()
		return nil, model.BrokenError(fmt.Sprintf("the connection to the server cannot be used: %v", err), "")
	}
	n := &network{sock: sock, fd: fd, block: w.BlockSize, writes: make([]bool, w.Depth), places: make([]int64, w.Depth), unanswered: make([]bool, w.Depth)}
	if w.Writes() {
		n.payload = make([]byte, w.BlockSize)
		randomize(n.payload)
	}
	return n, nil
}

func (n *network) submit(slot int, write bool, offset int64) error {
	n.writes[slot], n.places[slot], n.unanswered[slot] = write, offset, true
	if write {
		scramble(n.payload)
		n.out = append(nbd.AppendWrite(n.out, uint64(slot), offset, uint32(n.block)), n.payload...)
	} else {
		n.out = nbd.AppendRead(n.out, uint64(slot), offset, uint32(n.block))
	}
	return n.flush()
}

// flush writes as much to the socket as it accepts.
func (n *network) flush() error {
	sent := 0
	for sent < len(n.out) {
		k, err := unix.Write(n.fd, n.out[sent:])
		if err == syscall.EAGAIN {
			break
		}
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return fmt.Errorf("the connection to the server broke: %w", err)
		}
		sent += k
	}
	n.out = append(n.out[:0], n.out[sent:]...)
	return nil
}

// reap fails at once if it has failed before: whoever waits for the rest would wait for replies that have been dropped.
func (n *network) reap(wait time.Duration, ended func(int, error)) error {
	if n.broken == nil {
		n.broken = n.wait(wait, ended)
	}
	return n.broken
}

func (n *network) wait(wait time.Duration, ended func(int, error)) error {
	poll := []unix.PollFd{{Fd: int32(n.fd), Events: unix.POLLIN}}
	if len(n.out) > 0 {
		poll[0].Events |= unix.POLLOUT
	}
	limit := unix.NsecToTimespec(wait.Nanoseconds())
	ready, err := unix.Ppoll(poll, &limit, nil)
	if err == syscall.EINTR || err == nil && ready == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("waiting for the server failed: %w", err)
	}
	if poll[0].Revents&unix.POLLOUT != 0 {
		if err := n.flush(); err != nil {
			return err
		}
	}
	if poll[0].Revents&(unix.POLLIN|unix.POLLHUP|unix.POLLERR) == 0 {
		return nil
	}
	return n.receive(ended)
}

// receive reads once from the socket: any more is read at the next reap.
func (n *network) receive(ended func(int, error)) error {
	var room [256 << 10]byte
	k, err := unix.Read(n.fd, room[:])
	switch {
	case err == syscall.EAGAIN || err == syscall.EINTR:
		return nil
	case err != nil:
		return fmt.Errorf("the connection to the server broke: %w", err)
	case k == 0:
		return fmt.Errorf("the server hung up")
	}
	data := room[:k]
	for {
		if n.skip > 0 {
			part := min(n.skip, int64(len(data)))
			n.skip -= part
			data = data[part:]
			if n.skip > 0 {
				return nil
			}
			ended(n.reading, nil)
		}
		need := nbd.ReplySize - len(n.in)
		if len(data) < need {
			n.in = append(n.in, data...)
			return nil
		}
		n.in = append(n.in, data[:need]...)
		data = data[need:]
		if err := n.reply(ended); err != nil {
			return err
		}
		n.in = n.in[:0]
	}
}

// reply parses the header of one reply.
func (n *network) reply(ended func(int, error)) error {
	slot, code, err := nbd.ParseReply(n.in)
	if err != nil {
		return err
	}
	if slot >= uint64(len(n.writes)) || !n.unanswered[slot] {
		return fmt.Errorf("the server answers a request that was not made, or that it has answered already")
	}
	n.unanswered[slot] = false
	switch {
	case code != 0:
		what := "read"
		if n.writes[slot] {
			what = "write"
		}
		// NBD's error numbers are those of Linux.
		ended(int(slot), fmt.Errorf("%s of %d bytes at %d: the server answered: %w", what, n.block, n.places[slot], syscall.Errno(code)))
	case n.writes[slot]:
		ended(int(slot), nil)
	default:
		n.reading, n.skip = int(slot), n.block
	}
	return nil
}

// close disconnects properly if nothing is in flight.
func (n *network) close(idle bool) {
	if idle && len(n.out) == 0 {
		_, _ = unix.Write(n.fd, nbd.AppendDisconnect(nil))
	}
	_ = n.sock.Close()
}
