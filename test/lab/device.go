package lab

import "strings"

// Device is something to measure whose behaviour is known.
type Device struct {
	// Name describes its settings, such as "3000 IOPS" or "1ms read delay".
	Name string
	// URI is its NBD address ("nbd+unix:///vol?socket=…") or its Ceph image
	// ("rbd:pool/image"); Path is its file or block device. One of them is set.
	URI, Path string
	// Size is its capacity in bytes.
	Size int64
}

// At returns the device or file at path, for Verify and Fio.
func At(path string, size int64) Device { return Device{Name: path, Path: path, Size: size} }

// Target returns the device's name on Loadline's command line.
func (d Device) Target() string {
	if d.URI != "" {
		return d.URI
	}
	return d.Path
}

// engine returns the fio options that select the engine and the device.
func (d Device) engine() []string {
	if image, ok := strings.CutPrefix(d.URI, "rbd:"); ok {
		pool, name, _ := strings.Cut(image, "/")
		return []string{"--ioengine=rbd", "--clientname=admin", "--pool=" + pool, "--rbdname=" + name}
	}
	if d.URI != "" {
		return []string{"--ioengine=nbd", "--uri=" + d.URI}
	}
	return []string{"--ioengine=libaio", "--direct=1", "--filename=" + d.Path}
}

// nbdURI returns the address of an export on a unix socket.
func nbdURI(export, socket string) string { return "nbd+unix:///" + export + "?socket=" + socket }
