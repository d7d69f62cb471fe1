// Command csi is a small CSI driver whose volumes lie on their node's disk: a
// directory, or a file that is a block device (for volumeMode Block, and for a
// filesystem of the claim's own size). It registers itself with kubelet. Its volumes
// cannot leave their node, so its classes wait for the first consumer.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

const (
	driver  = "csi.loadline.test"
	plugins = "/var/lib/kubelet/plugins_registry/" + driver + "-reg.sock"
)

func main() {
	var d volumes
	var socket string
	flag.StringVar(&d.node, "node", "", "name of the `NODE`")
	flag.StringVar(&d.loops, "loops", "", "`DIR` that remembers the loop devices in use")
	flag.StringVar(&socket, "socket", "", "`FILE` to listen on")
	flag.Parse()
	d.root = "/mnt/csi"
	failed := make(chan error, 2)
	go func() {
		failed <- serve(socket, func(s *grpc.Server) {
			csi.RegisterIdentityServer(s, identity{})
			csi.RegisterControllerServer(s, &d)
			csi.RegisterNodeServer(s, &d)
		})
	}()
	go func() {
		failed <- serve(plugins, func(s *grpc.Server) { registration.RegisterRegistrationServer(s, registrar{endpoint: socket}) })
	}()
	fmt.Fprintln(os.Stderr, "csi:", <-failed)
	os.Exit(1)
}

func serve(path string, register func(*grpc.Server)) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	s := grpc.NewServer()
	register(s)
	return s.Serve(l)
}
