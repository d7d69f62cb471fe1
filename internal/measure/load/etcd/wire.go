package etcd

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// putMethod is the path of the call (etcd's api/etcdserverpb/rpc.proto).
const putMethod = "http://etcd/etcdserverpb.KV/Put"

// client is one client with its own connection.
type client struct{ http *http.Client }

// dial returns the function by which a transport connects to a socket.
func dial(socket string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}
}

// newClient returns a client of the server at a socket. It connects at first use.
func newClient(socket string) *client {
	var h2 http.Protocols
	h2.SetUnencryptedHTTP2(true)
	return &client{&http.Client{Transport: &http.Transport{DialContext: dial(socket), Protocols: &h2, DisableCompression: true}}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// putMessage returns the body of a call: gRPC's five bytes before each message (compression flag 0,
// its length), and a PutRequest, whose fields 1 and 2 are the key and the value.
func putMessage(key, value []byte) []byte {
	message := make([]byte, 5, 5+len(key)+len(value)+2*(1+binary.MaxVarintLen64))
	for tag, field := range [][]byte{key, value} {
		const bytesField = 2 // the wire type of bytes
		message = append(message, byte(tag+1)<<3|bytesField)
		message = binary.AppendUvarint(message, uint64(len(field)))
		message = append(message, field...)
	}
	binary.BigEndian.PutUint32(message[1:5], uint32(len(message)-5))
	return message
}

// put sends a message and waits until the server reports it as committed.
func (c *client) put(ctx context.Context, message []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, putMethod, bytes.NewReader(message))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/grpc")
	req.Header.Set("Te", "trailers")
	resp, err := c.http.Do(req)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %s", resp.Status)
	}
	// A call that fails immediately has its trailers in place of headers.
	status, said := resp.Trailer.Get("Grpc-Status"), resp.Trailer.Get("Grpc-Message")
	if status == "" {
		status, said = resp.Header.Get("Grpc-Status"), resp.Header.Get("Grpc-Message")
	}
	if status == "0" {
		return nil
	}
	if text, err := url.PathUnescape(said); err == nil {
		said = text
	}
	return fmt.Errorf("the server answered with gRPC status %q: %s", status, said)
}
