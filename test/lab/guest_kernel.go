package lab

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// guestPassed is what a guest's console says when its script has succeeded.
const guestPassed = "the script has passed"

// guestInit is a guest's first program.
const guestInit = `#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/root
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
for at in /tmp /run /dev/shm; do mkdir -p $at; mount -t tmpfs tmpfs $at; done
hostname guest; ip link set lo up
for m in virtio_pci virtio_blk virtio_scsi sd_mod; do modprobe $m; done
for d in /sys/block/sd*; do
	at=/dev/$(tail -c +5 $d/device/vpd_pg80)
	while [ -e $at ]; do at=${at}b; done
	ln -s $(basename $d) $at
done
mkdir -p /out
sh -e /script && tar -cf /dev/vda -C /out . && sync && echo '` + guestPassed + `'
poweroff -f
`

// guestModules are the folders of the kernel's modules that a guest gets.
var guestModules = []string{"crypto", "lib", "fs", "drivers/md", "drivers/scsi", "drivers/block", "drivers/virtio", "drivers/char", "arch"}

// guestPrograms are the programs of this machine that all guests get.
var guestPrograms = []string{"fio", "mkfs.ext4", "blkid"}

// guestPackages are Debian's packages that are unpacked into a guest and not installed here, where they would bring a
// kernel to boot from and a service that watches arrays.
var guestPackages = []string{"mdadm", "dmsetup", "libdevmapper1.02.1"}

// guestKernel returns Debian's kernel for virtual machines, and the part of a first filesystem that all guests share. Both are made
// once for each version of the kernel, and kept.
func guestKernel(t T) (kernel, base string) {
	t.Helper()
	Need(t, "apt-get", "dpkg-deb", "busybox", "fio")
	name := guestImage()
	if name == "" {
		_ = command("apt-get", "update", "-qq")
		name = guestImage()
	}
	if name == "" {
		missing(t, "no package of a kernel for virtual machines is known (linux-image-cloud-amd64; apt-get update)")
	}
	at := kept(t, "a kernel for guests", "guest-"+name+"-"+guestVersion(), func(into string) string {
		whole := filepath.Join(into, "whole")
		root := filepath.Join(into, "root")
		target := filepath.Join(into, "guest")
		// A guest is a hundred megabytes, and an update of the kernel or of fio makes another.
		outdated, _ := filepath.Glob(filepath.Join(filepath.Dir(into), "guest-*"))
		for _, old := range outdated {
			_ = os.RemoveAll(old)
		}
		err := errors.Join(os.Mkdir(whole, 0o700), os.Mkdir(root, 0o700), os.Mkdir(target, 0o700))
		if err == nil {
			err = unpackDebian(into, whole, name)
		}
		if err != nil {
			missing(t, "the guest's kernel cannot be downloaded: %v", err)
		}
		version := strings.TrimPrefix(name, "linux-image-")
		if err := guestRoot(into, whole, root, version); err != nil {
			t.Fatalf("the guest's first filesystem: %v", err)
		}
		archive(t, root, filepath.Join(target, "base"))
		if err := os.Rename(filepath.Join(whole, "boot", "vmlinuz-"+version), filepath.Join(target, "kernel")); err != nil {
			t.Fatalf("the guest's kernel: %v", err)
		}
		return target
	})
	return filepath.Join(at, "kernel"), filepath.Join(at, "base")
}

// guestImage returns the name of the package that has Debian's current kernel for virtual machines, "" if none is known.
func guestImage() string {
	list := exec.Command("apt-cache", "depends", "linux-image-cloud-amd64")
	list.Env = append(os.Environ(), "LC_ALL=C") // its words are searched
	depends, _ := list.Output()
	if image := regexp.MustCompile(`Depends: (linux-image-\S+)`).FindSubmatch(depends); image != nil {
		return string(image[1])
	}
	return ""
}

// guestVersion identifies what else the base is made of.
func guestVersion() string {
	sum := sha256.New()
	fmt.Fprint(sum, guestInit, guestModules, guestPackages)
	for _, name := range append([]string{"busybox"}, guestPrograms...) {
		if info, err := os.Stat(program(name)); err == nil {
			fmt.Fprint(sum, name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:8]
}

// guestRoot fills the base of a guest's first filesystem.
func guestRoot(into, whole, root, version string) error {
	tree := filepath.Join(root, "lib", "modules", version)
	err := os.MkdirAll(filepath.Join(tree, "kernel", "drivers"), 0o755)
	from := filepath.Join(whole, "lib", "modules", version)
	if _, missing := os.Stat(from); missing != nil {
		from = filepath.Join(whole, "usr", "lib", "modules", version) // in later releases
	}
	for _, folder := range guestModules {
		err = errors.Join(err, command("cp", "-r", filepath.Join(from, "kernel", folder), filepath.Join(tree, "kernel", folder)))
	}
	for _, list := range []string{"modules.builtin", "modules.order"} {
		err = errors.Join(err, command("cp", filepath.Join(from, list), tree))
	}
	for _, folder := range []string{"bin", "dev", "proc", "sys", "tmp", "run", "mnt", "root", "etc"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(root, folder), 0o755))
	}
	err = errors.Join(err, unpackDebian(into, root, guestPackages...),
		os.WriteFile(filepath.Join(root, "init"), []byte(guestInit), 0o755),
		withLibraries(root, program("busybox"), "/bin/busybox"),
		command("busybox", "depmod", "-b", root, version))
	for _, name := range guestPrograms {
		err = errors.Join(err, withLibraries(root, program(name), program(name)))
	}
	for _, name := range []string{"mdadm", "dmsetup"} {
		unpacked, _ := filepath.Glob(filepath.Join(root, "*", name)) // sbin/, and usr/sbin/ in later releases
		more, _ := filepath.Glob(filepath.Join(root, "usr", "*", name))
		if unpacked = append(unpacked, more...); len(unpacked) == 0 {
			err = errors.Join(err, errors.New(name+" is not in its package"))
			continue
		}
		err = errors.Join(err, withLibraries(root, unpacked[0], ""))
	}
	return err
}

// unpackDebian downloads packages of the machine's own distribution and unpacks them into a directory.
func unpackDebian(into, root string, packages ...string) error {
	for _, name := range packages {
		download := func() error { return command("sh", "-c", `cd "$1" && apt-get download -qq "$2"`, "sh", into, name) }
		// The lists may name a package that a newer one has replaced.
		if download() != nil {
			_ = command("apt-get", "update", "-qq")
			if err := download(); err != nil {
				return err
			}
		}
		found, err := filepath.Glob(filepath.Join(into, name+"_*.deb"))
		if err != nil || len(found) != 1 {
			return fmt.Errorf("%d packages %s were downloaded", len(found), name)
		}
		if err := command("dpkg-deb", "-x", found[0], root); err != nil {
			return err
		}
	}
	return nil
}

// program returns the path of a program of this machine.
func program(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return "/usr/sbin/" + name // an administrator's, which is not on every user's PATH
	}
	return path
}

// withLibraries copies a program into a guest's root, at a path of its own, or nowhere if that is empty, and with it the libraries that it
// is linked with and that are not there.
func withLibraries(root, path, at string) error {
	put := func(from, to string) error {
		to = filepath.Join(root, to)
		if _, err := os.Stat(to); err == nil {
			return nil
		}
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), command("cp", "-L", from, to))
	}
	var err error
	if at != "" {
		err = put(path, at)
	}
	// A program that is linked with nothing makes ldd fail.
	list := exec.Command("ldd", path)
	list.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Join(root, "lib/x86_64-linux-gnu")+":"+filepath.Join(root, "usr/lib/x86_64-linux-gnu"))
	libraries, _ := list.Output()
	for _, from := range regexp.MustCompile(`(?m)(/\S+) \(0x`).FindAllSubmatch(libraries, -1) {
		library := string(from[1])
		err = errors.Join(err, put(library, strings.TrimPrefix(library, root)))
	}
	return err
}

// archive packs a directory in the format of a kernel's first filesystem.
func archive(t T, root, file string) {
	t.Helper()
	pack := exec.Command("sh", "-c", `find . | busybox cpio -o -H newc > "$1"`, "sh", file)
	pack.Dir = root
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("the guest's first filesystem cannot be packed: %v: %s", err, out)
	}
}
