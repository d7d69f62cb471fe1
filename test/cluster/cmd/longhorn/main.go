// Command longhorn is a CSI driver whose volumes are real Longhorn engines: a process
// for each replica, on the disks of several nodes, a controller on the node of the pod,
// an NBD bridge, nbdfuse, a loop device, and ext4 or the raw device.
//
// It replaces Longhorn's own control plane, to the extent visible to a benchmark:
// it registers as driver.longhorn.io, writes the volumes, engines and replicas that
// Longhorn would write (longhorn.io/v1beta2), and rebuilds a replica that has died.
// It does not allow any conclusions about that control plane. One process runs on each node;
// they communicate over HTTP, on the bridge that only this machine can reach.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/loadline/loadline/test/cluster/plugin"
)

// name is that of Longhorn's own driver, so that programs that know Longhorn recognize these volumes.
const name = "driver.longhorn.io"

func main() {
	var d driver
	var node, socket, loops, kubeconfig string
	flag.StringVar(&node, "node", "", "name of the `NODE`")
	flag.StringVar(&d.address, "address", "", "the node's `IP` address")
	flag.StringVar(&d.data, "data", "", "`DIR` on the node's disk for the replicas")
	flag.StringVar(&d.state, "state", "", "`DIR` for sockets; its name must be short")
	flag.StringVar(&d.logs, "logs", "", "`DIR` for logs")
	flag.StringVar(&d.engine, "engine", "", "the engine's `PROGRAM`")
	flag.StringVar(&d.bridge, "bridge", "", "the NBD bridge's `PROGRAM`")
	flag.StringVar(&kubeconfig, "kubeconfig", "", "`FILE` that leads to the cluster")
	flag.StringVar(&loops, "loops", "", "`DIR` that remembers the loop devices in use")
	flag.StringVar(&socket, "socket", "", "`FILE` to listen on")
	flag.Parse()
	d.loops = plugin.Loops(loops)
	d.Plugin = plugin.Plugin{Name: name, Node: node, Controller: &d, Volumes: &d}
	d.copies, d.volumes, d.port = map[string]*replica{}, map[string]*volume{}, firstPort
	fmt.Fprintln(os.Stderr, "longhorn:", d.run(kubeconfig, socket))
	os.Exit(1)
}

func (d *driver) run(kubeconfig, socket string) (err error) {
	if err := os.MkdirAll(d.state, 0o755); err != nil {
		return err
	}
	if d.records, err = openRecords(kubeconfig, d.data); err != nil {
		return err
	}
	failed := make(chan error, 2)
	go func() { failed <- http.ListenAndServe(net.JoinHostPort(d.address, peerPort), d.peers()) }()
	go func() { failed <- d.Serve(socket) }()
	return <-failed
}
