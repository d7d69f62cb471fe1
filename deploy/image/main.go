// Command image makes Loadline's container image without a container engine: an
// archive for docker load, podman load, ctr images import and kind load, or
// the same files as a directory, which is what the Dockerfile beside it copies.
//
// Its assumptions: an image is a list of files and a little JSON. It contains what a
// measurement needs (fio with its libraries, a shell, loadline and its agent) and nothing else, and
// the same files give the same bytes, whoever builds them.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "image:", err)
		}
		os.Exit(1)
	}
}

// request is what to build, and from what.
type request struct {
	arch, root, bin, version string
	archive, rootfs, name    string
	kbench                   bool
	// folder gets an archive for each architecture; push is where they are also sent.
	folder, push string
}

func run(args []string, out io.Writer) error {
	f := flag.NewFlagSet("image", flag.ContinueOnError)
	f.SetOutput(out)
	var r request
	f.StringVar(&r.arch, "arch", runtime.GOARCH, "`architecture` of the image: amd64 or arm64")
	f.StringVar(&r.root, "root", "/", "Debian `DIR` that fio, bash and busybox are taken from, with their libraries")
	f.StringVar(&r.bin, "bin", "", "`DIR` with a loadline and a loadline-agent that are built already; else they are built here")
	f.StringVar(&r.version, "version", described(), "`version` that those built here say they have")
	f.StringVar(&r.archive, "o", "", "write the image to this archive `FILE`")
	f.StringVar(&r.rootfs, "rootfs", "", "write only the files, to this `DIR`")
	f.StringVar(&r.name, "name", "", "`name:tag` of the image (default: loadline:VERSION, with -kbench loadline-kbench:VERSION)")
	f.StringVar(&r.folder, "every", "", "write an archive for each architecture to this `DIR`, and say how to use them")
	f.StringVar(&r.push, "push", "", "with -every: push them under one name to this `REPOSITORY`, as registry.example/loadline")
	f.BoolVar(&r.kbench, "kbench", false, "the image in the place of Kbench's: its entry point, and root")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%q is not understood: there are only flags, see -help", f.Arg(0))
	}
	if r.folder == "" && (r.archive == "") == (r.rootfs == "") {
		return errors.New("nothing to write to: give -o FILE for an archive, -rootfs DIR for its files, or -every DIR for the archives of all architectures")
	}
	if r.push != "" && r.folder == "" {
		return errors.New("-push needs -every DIR: what is pushed has an image for each architecture")
	}
	c := plain
	if r.kbench {
		c = kbench
	}
	r.name = cmp.Or(r.name, c.name+":"+tagFor(r.version))
	if _, err := parseTag(r.name); err != nil {
		return err
	}
	if r.folder != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		return r.every(ctx, c, out)
	}
	if r.bin == "" {
		dir, err := os.MkdirTemp("", "loadline-image-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if err := compile(dir, r.arch, r.version); err != nil {
			return err
		}
		r.bin = dir
	}
	tree, err := gather(r.root, r.arch, r.bin, r.version)
	if err != nil {
		return err
	}
	// The bill of materials is in the image, and also beside it, for easy reading.
	beside := cmp.Or(r.archive, filepath.Clean(r.rootfs)) + ".spdx.json"
	err = writeFile(beside, func(w io.Writer) error {
		_, err := io.WriteString(w, tree[billPath].text)
		return err
	})
	if err != nil {
		return err
	}
	if r.rootfs != "" {
		return tree.lay(r.rootfs)
	}
	return writeFile(r.archive, func(w io.Writer) error { return writeArchive(w, tree, c, r.arch, r.name) })
}

// writeFile writes a file completely or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	tmp, err := os.Create(path + ".part")
	if err != nil {
		return err
	}
	err = errors.Join(write(tmp), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}
