package main

import (
	"context"
	_ "embed" // the script that unpacks a Debian root
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// architectures are those that the image is published for.
var architectures = []string{"amd64", "arm64"}

//go:embed debian
var unpackDebian string

// every makes the image for all architectures: an archive of each in a folder and, if
// requested, all of them in a registry. At the end it prints how to use them.
func (r *request) every(ctx context.Context, c config, out io.Writer) error {
	if r.bin != "" || r.rootfs != "" || r.archive != "" {
		return fmt.Errorf("-every builds the programs of each architecture itself and names the archives: leave out -bin, -rootfs and -o")
	}
	to, err := destination("registry.example/loadline", r.version)
	if r.push != "" {
		to, err = destination(r.push, r.version)
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.folder, 0o755); err != nil {
		return err
	}
	var all []made
	for _, arch := range architectures {
		m, err := r.one(ctx, c, arch, out)
		if err != nil {
			return fmt.Errorf("the image for %s: %w", arch, err)
		}
		all = append(all, m)
	}
	pushed := ""
	if r.push != "" {
		if pushed, err = push(ctx, to, all, out); err != nil {
			return err
		}
	}
	r.ways(out, all, pushed)
	return nil
}

// one makes the image of one architecture and writes its archive.
func (r *request) one(ctx context.Context, c config, arch string, out io.Writer) (made, error) {
	dir, err := os.MkdirTemp("", "loadline-image-")
	if err != nil {
		return made{}, err
	}
	defer os.RemoveAll(dir)
	root := r.root
	if arch != runtime.GOARCH {
		fmt.Fprintf(out, "%s: unpacking its Debian packages\n", arch)
		root = filepath.Join(dir, "debian")
		cmd := exec.CommandContext(ctx, "bash", "-s", arch, root)
		cmd.Stdin = strings.NewReader(unpackDebian)
		if said, err := cmd.CombinedOutput(); err != nil {
			return made{}, fmt.Errorf("its Debian packages cannot be unpacked (%v); that needs apt-get and dpkg-deb, so a Debian or Ubuntu:\n%s", err, said)
		}
	}
	fmt.Fprintf(out, "%s: building loadline and loadline-agent\n", arch)
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return made{}, err
	}
	if err := compile(bin, arch, r.version); err != nil {
		return made{}, err
	}
	tree, err := gather(root, arch, bin, r.version)
	if err != nil {
		return made{}, err
	}
	archive := filepath.Join(r.folder, c.name+"-"+arch+".tar")
	if err := writeFile(archive, func(w io.Writer) error { return writeArchive(w, tree, c, arch, r.name) }); err != nil {
		return made{}, err
	}
	if err := writeFile(archive+".spdx.json", func(w io.Writer) error {
		_, err := io.WriteString(w, tree[billPath].text)
		return err
	}); err != nil {
		return made{}, err
	}
	layer, err := layerOf(tree)
	if err != nil {
		return made{}, err
	}
	image, err := imageOf(tree, c, arch, layer)
	return made{arch: arch, licences: tree.licences(), image: image, archive: archive}, err
}

// ways prints how to get the image to where pods find it, and what to call it there.
func (r *request) ways(out io.Writer, all []made, pushed string) {
	for _, m := range all {
		fmt.Fprintf(out, "%s\n", m.archive)
	}
	if pushed != "" {
		fmt.Fprintf(out, "\npushed: %s\n\n  export LOADLINE_IMAGE=%s\n  loadline run sc:NAME\n", pushed, pushed)
		return
	}
	archive := all[0].archive
	for _, m := range all {
		if m.arch == runtime.GOARCH {
			archive = m.archive
		}
	}
	fmt.Fprintf(out, `
To where the pods find it (nodes of this architecture; of the other, the other archive):
  kind        kind load image-archive %[1]s
  k3s         sudo k3s ctr images import %[1]s              on every node
  containerd  sudo ctr -n k8s.io images import %[1]s        on every node
  minikube    minikube image load %[1]s
  a registry  make image PUSH=registry.example/loadline

Then:
  export LOADLINE_IMAGE=%[2]s
  loadline run sc:NAME
`, archive, r.name)
}
