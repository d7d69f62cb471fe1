// Command csi is a small CSI driver whose volumes are on their node's disk: a
// directory, or a file used as a block device (for volumeMode Block, and for a
// filesystem with the claim's size). It registers itself with kubelet. Such volumes
// cannot leave their node, so its classes wait for the first consumer. If a class names
// a GlusterFS server, its volumes are directories there, which every node may use.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/loadline/loadline/test/cluster/plugin"
)

func main() {
	var d volumes
	var node, socket, loops string
	flag.StringVar(&node, "node", "", "name of the `NODE`")
	flag.StringVar(&loops, "loops", "", "`DIR` that remembers the loop devices in use")
	flag.StringVar(&d.logs, "logs", "", "`DIR` for logs")
	flag.StringVar(&socket, "socket", "", "`FILE` to listen on")
	flag.Parse()
	d.root, d.loops, d.state = "/mnt/csi", plugin.Loops(loops), filepath.Dir(socket)
	d.Plugin = plugin.Plugin{Name: "csi.loadline.test", Node: node, Controller: &d, Volumes: &d}
	fmt.Fprintln(os.Stderr, "csi:", d.Serve(socket))
	os.Exit(1)
}
