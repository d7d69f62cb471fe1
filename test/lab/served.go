package lab

import (
	"net"
	"os"
	"path/filepath"
)

// served exports a disk that this process simulates, in memory and fully written, over NBD.
// build makes the disk from its contents; end is called when no client is served any more.
func served(t T, name string, size int64, build func(contents *os.File) disk, end func()) Device {
	t.Helper()
	Lock(t)
	dir := memory(t, size)
	image, socket := filepath.Join(dir, "raw.img"), filepath.Join(dir, "nbd.sock")
	fill(t, image, size)
	contents, err := os.OpenFile(image, os.O_RDWR, 0)
	if err != nil {
		t.Fatalf("the lab cannot open a backing file: %v", err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatalf("the lab cannot listen: %v", err)
	}
	t.Cleanup(func() {
		l.Close()
		end()
		contents.Close()
	})
	go serveNBD(l, build(contents), size)
	return Device{Name: name, URI: nbdURI("vol", socket), Size: size}
}
