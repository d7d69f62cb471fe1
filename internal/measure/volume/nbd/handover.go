package nbd

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// HandOver returns the connected socket to a caller that sends its own requests, and closes the
// connection here without sending a disconnect. It must be called before any request.
func (c *Conn) HandOver() (*os.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil || c.handle > 0 || c.in.Buffered() > 0 {
		return nil, errors.New("the connection was used already")
	}
	c.broken = net.ErrClosed
	sock, ok := c.sock.(interface{ File() (*os.File, error) })
	if !ok {
		return nil, fmt.Errorf("a connection of type %T has no socket to hand over", c.sock)
	}
	f, err := sock.File()
	return f, errors.Join(err, c.sock.Close())
}
