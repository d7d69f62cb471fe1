package lab

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const (
	// guestLimit is how long a guest may run.
	guestLimit = 8 * time.Minute
	// guestOutput is the room, in bytes, for what a guest's script leaves.
	guestOutput = 64 * mebi
)

// GuestDisk is a device of the lab as a SCSI disk of a guest: /dev/disk0, /dev/disk1, … in this order. A second path to the
// first of them is /dev/disk0b. They are links, as the kernel gives its own names in any order.
type GuestDisk struct {
	Device
	// Rotating says so to the guest's kernel.
	Rotating bool
	// Paths is how many disks of the guest lead to the device, as with multipath; 0 means one.
	Paths int
}

// Guest boots a virtual machine with Debian's kernel, which has what that of the test machine may lack: MD, device mapper,
// multipath. It lets a shell (busybox) run a script in it as root, with fio, mdadm, dmsetup and the named programs of this machine,
// and returns the directory with what the script left in /out. The test fails with the guest's console if the script does.
//
// Its processors are emulated, about ten times as slow as real ones, so its disks should be slow as well.
func Guest(t T, programs []string, script string, disks ...GuestDisk) string {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		Unavailable(t, "the guest's kernel is built for amd64")
	}
	Need(t, "qemu-system-x86_64", "busybox", "fio", "tar")
	Lock(t)
	kernel, base := guestKernel(t)
	dir := memory(t, 600*mebi)
	initrd, output, console := filepath.Join(dir, "initrd"), filepath.Join(dir, "output"), filepath.Join(dir, "console")
	packGuest(t, dir, base, initrd, script, programs)
	hollow(t, output, guestOutput)
	args := []string{"-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1536", "-nodefaults", "-nographic", "-no-reboot",
		"-serial", "file:" + console, "-kernel", kernel, "-initrd", initrd, "-append", "console=ttyS0 quiet panic=-1",
		"-drive", "if=virtio,format=raw,file=" + output, "-device", "virtio-scsi-pci"}
	for i, d := range disks {
		args = append(args, d.attach(t, i)...)
	}
	booted := func() bool { _, err := os.Stat(console); return err == nil }
	vm := start(t, dir, booted, "qemu-system-x86_64", args...)
	select {
	case <-vm.done:
	case <-time.After(guestLimit):
		vm.kill()
	}
	said, err := os.ReadFile(console)
	if err != nil {
		t.Fatalf("the guest's console: %v; qemu said: %s", err, vm.output())
	}
	if !strings.Contains(string(said), guestPassed) {
		t.Fatalf("the guest's script did not succeed; its console: %s; qemu said: %s", said, vm.output())
	}
	left := filepath.Join(dir, "out")
	err = errors.Join(os.Mkdir(left, 0o700), command("tar", "-xf", output, "-C", left))
	if err != nil {
		t.Fatalf("what the guest left cannot be read: %v", err)
	}
	return left
}

// attach returns QEMU's arguments for a disk.
func (d GuestDisk) attach(t T, i int) []string {
	t.Helper()
	node := fmt.Sprintf("disk%d", i)
	backend := "driver=file,filename=" + d.Path
	if d.URI != "" {
		u, err := url.Parse(d.URI)
		if err != nil {
			t.Fatalf("%s is not an address: %v", d.URI, err)
		}
		backend = "driver=nbd,server.type=unix,server.path=" + u.Query().Get("socket") + ",export=" + strings.TrimPrefix(u.Path, "/")
	}
	speed := 1 // not a rotating medium (SCSI Block Commands, "Block Device Characteristics")
	if d.Rotating {
		speed = 7200
	}
	args := []string{"-blockdev", backend + ",node-name=" + node}
	for range max(1, d.Paths) {
		args = append(args, "-device", fmt.Sprintf("scsi-hd,drive=%s,serial=%[1]s,share-rw=on,rotation_rate=%d", node, speed))
	}
	return args
}

// packGuest makes a guest's first filesystem: the kept base, and behind it its own programs and script.
func packGuest(t T, dir, base, initrd, script string, programs []string) {
	t.Helper()
	root := filepath.Join(dir, "root")
	err := os.MkdirAll(root, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(root, "script"), []byte(script), 0o700)
	}
	for _, program := range programs {
		err = errors.Join(err, withLibraries(root, program, filepath.Join("/bin", filepath.Base(program))))
	}
	if err != nil {
		t.Fatalf("the guest's programs: %v", err)
	}
	own := filepath.Join(dir, "own")
	archive(t, root, own)
	out, err := os.Create(initrd)
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer out.Close()
	for _, part := range []string{base, own} {
		in, err := os.Open(part)
		if err == nil {
			_, err = io.Copy(out, in)
			err = errors.Join(err, in.Close())
		}
		if err != nil {
			t.Fatalf("the guest's first filesystem: %v", err)
		}
	}
	_ = errors.Join(os.Remove(own), os.RemoveAll(root))
}

// command runs a program, and returns what it said if it fails.
func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(out)))
	}
	return nil
}
