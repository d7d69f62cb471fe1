package serve

import (
	"context"
	"net"
)

// Opened is a server that listens.
type Opened struct {
	*Server
	// Address is what to open in a browser.
	Address string
	// Made is a token that was made for this server; "" if the user chose one, or none is needed.
	Made string
	// Loopback is set if only this machine can reach the server.
	Loopback bool

	listener net.Listener
}

// Open returns a server that listens on an address, protected by the token that is asked for. terminal is set if somebody can read
// a token that is made.
func Open(listen, asked string, terminal bool, o Options) (*Opened, error) {
	loopback, err := isLoopback(listen)
	if err != nil {
		return nil, err
	}
	token, made, err := chooseToken(asked, listen, loopback, terminal)
	if err != nil {
		return nil, err
	}
	o.Token, o.Loopback = token, loopback
	s, err := New(o)
	if err != nil {
		return nil, err
	}
	ln, err := listenAt(listen)
	if err != nil {
		s.Close()
		return nil, err
	}
	opened := &Opened{Server: s, Address: address(ln, o.Hosts), Loopback: loopback, listener: ln}
	if made {
		opened.Made = token
	}
	return opened, nil
}

// Run answers until ctx is done.
func (o *Opened) Run(ctx context.Context) error { return o.Serve(ctx, o.listener) }
