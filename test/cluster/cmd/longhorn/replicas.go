package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	// peerPort is where a node's driver answers the others.
	peerPort = "9500"
	// An engine's process has one port, and a replica two more plus those of its syncs.
	firstPort, portsEach, syncPorts = 10000, 20, 10
	// startTime bounds the start of a process.
	startTime = time.Minute
)

// replica is a copy of a volume that is kept on this node.
type replica struct {
	*process
	address string
}

// freePort returns the first of portsEach consecutive ports that are unused on this node.
func (d *driver) freePort() int {
	d.port += portsEach
	return d.port
}

// startReplica starts the volume's replica here, unless it is running, and returns its
// address. A fresh one is empty.
func (d *driver) startReplica(volume string, s settings, fresh bool) (string, error) {
	d.keeping.Lock()
	defer d.keeping.Unlock()
	if r := d.copies[volume]; r != nil && r.alive() {
		return r.address, nil
	}
	dir := filepath.Join(d.data, volume)
	if fresh {
		if err := os.RemoveAll(dir); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	port := d.freePort()
	at := func(offset int) string { return net.JoinHostPort(d.address, strconv.Itoa(port+offset)) }
	p, err := d.start("replica-"+volume, append([]string{d.engine, "replica", dir, "--listen", at(0), "--size", s.size, "--sync-agent-port-count", strconv.Itoa(syncPorts)}, s.counter()...)...)
	if err != nil {
		return "", err
	}
	// The control, the data and the sync agent each have a port.
	if !wait(startTime, func() bool { return p.alive() && listens(at(0)) && listens(at(1)) && listens(at(2)) }) {
		p.end(time.Second)
		return "", fmt.Errorf("the replica of %s does not listen on %s", volume, at(0))
	}
	d.copies[volume] = &replica{p, at(0)}
	return at(0), nil
}

// stopReplica ends the volume's replica here; its data stays.
func (d *driver) stopReplica(volume string) {
	d.keeping.Lock()
	defer d.keeping.Unlock()
	if r := d.copies[volume]; r != nil {
		r.end(time.Second)
		delete(d.copies, volume)
	}
}

func listens(address string) bool {
	c, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// peers returns the handler for requests from the drivers of the other nodes.
func (d *driver) peers() http.Handler {
	mux := http.NewServeMux()
	handle := func(path string, do func(volume string, q url.Values) (string, error)) {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			words, err := do(filepath.Base(r.URL.Query().Get("volume")), r.URL.Query())
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			_, _ = io.WriteString(w, words)
		})
	}
	handle("/start", func(volume string, q url.Values) (string, error) {
		return d.startReplica(volume, settings{size: q.Get("size"), uncounted: q.Get("uncounted") == "true"}, q.Get("fresh") == "true")
	})
	handle("/stop", func(volume string, _ url.Values) (string, error) {
		d.stopReplica(volume)
		return "", nil
	})
	handle("/remove", func(volume string, _ url.Values) (string, error) {
		d.stopReplica(volume)
		return "", os.RemoveAll(filepath.Join(d.data, volume))
	})
	return mux
}

// ask sends a request to the driver of another node, or of this one.
func ask(address, path, volume string, more url.Values) (string, error) {
	q := url.Values{"volume": {volume}}
	for key, values := range more {
		q[key] = values
	}
	client := http.Client{Timeout: 3 * startTime}
	r, err := client.Post("http://"+net.JoinHostPort(address, peerPort)+path+"?"+q.Encode(), "", nil)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", err
	}
	if r.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the driver at %s: %s", address, strings.TrimSpace(string(body)))
	}
	return string(body), nil
}
