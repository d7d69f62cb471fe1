// Command bridge exports a Longhorn volume as a network block device.
//
// Its assumptions: the bridge must not distort what is measured. It has no cache, merges and
// splits nothing, and promises no more than the engine does: an engine has no
// flush, so the bridge offers none, and nothing about durability can be claimed
// through it.
//
// The engine's controller speaks its own protocol (package dataconn) on a unix
// socket; the bridge speaks NBD, fixed newstyle, on another one. Each NBD
// connection has its own connection to the controller, with as many requests
// in flight as the client likes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"

	"github.com/loadline/loadline/test/lab/longhorn/nbd"
)

// block is the sector size of a Longhorn volume in bytes.
const block, preferred = 512, 4096

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

// session serves one client until it disconnects.
func session(client net.Conn, engine string, size uint64) error {
	// Several connections see each other's writes, because there is no cache.
	n := nbd.NewServer(client, nbd.Export{Size: size, Flags: nbd.MultiConn, MinBlock: block, PreferredBlock: preferred})
	if transmission, err := n.Negotiate(); err != nil || !transmission {
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
		// Without a controller no request will be answered.
		client.Close()
	}()
	if err := requests(n, v); err != nil {
		return err
	}
	// The client has disconnected: complete its requests in flight first.
	v.drain()
	controller.Close()
	<-replies
	return nil
}

// requests passes every request to the volume until the client disconnects.
func requests(n *nbd.Server, v *volume) error {
	for {
		r, err := n.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := v.submit(r); err != nil {
			return err
		}
	}
}
