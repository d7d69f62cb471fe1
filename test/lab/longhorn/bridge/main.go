// Command bridge shows a Longhorn volume as a network block device.
//
// Its opinion: it must not colour what is measured. It keeps no cache, merges and
// splits nothing, and promises no more than the engine does: an engine has no
// flush, so the bridge offers none, and nothing about durability can be claimed
// through it.
//
// The engine's controller speaks its own protocol (package dataconn) on a unix
// socket; the bridge speaks NBD, fixed newstyle, on another one. Each NBD
// connection has a connection of its own to the controller, with as many requests
// in flight as the client likes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
)

func main() {
	engine := flag.String("engine", "", "the unix socket of the engine's controller")
	listen := flag.String("listen", "", "the unix socket to listen on")
	size := flag.Uint64("size", 0, "the size of the volume in bytes")
	flag.Parse()
	if *engine == "" || *listen == "" || *size == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := serve(*engine, *listen, *size); err != nil {
		fmt.Fprintln(os.Stderr, "bridge:", err)
		os.Exit(1)
	}
}

// serve accepts NBD clients until the listener fails.
func serve(engine, listen string, size uint64) error {
	l, err := net.Listen("unix", listen)
	if err != nil {
		return err
	}
	for {
		client, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer client.Close()
			if err := session(client, engine, size); err != nil && !errors.Is(err, net.ErrClosed) {
				log.Print(err)
			}
		}()
	}
}

// session serves one client from its first byte to its last.
func session(client net.Conn, engine string, size uint64) error {
	n := newNBD(client, size)
	if transmission, err := n.negotiate(); err != nil || !transmission {
		return err
	}
	controller, err := net.Dial("unix", engine)
	if err != nil {
		return err
	}
	defer controller.Close()
	v := newVolume(controller, n)
	replies := make(chan error, 1)
	go func() {
		replies <- v.replies()
		// Without a controller no request will ever be answered.
		client.Close()
	}()
	if err := n.requests(v); err != nil {
		return err
	}
	// The client has said goodbye: what it still has in flight is finished first.
	v.drain()
	controller.Close()
	<-replies
	return nil
}
