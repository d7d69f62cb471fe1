package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	containers "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// epoch is the time of everything in an image, so that the same files give the
// same image.
var epoch = time.Unix(0, 0).UTC()

// writeArchive writes the image as an OCI image layout that is also a docker-archive
// (both refer to the same blobs), so that every engine finds the format
// that it reads.
func writeArchive(w io.Writer, t tree, c config, arch, tag string) error {
	full, err := parseTag(tag)
	if err != nil {
		return err
	}
	layer, err := layerOf(t)
	if err != nil {
		return err
	}
	image, err := imageOf(t, c, arch, layer)
	if err != nil {
		return err
	}
	index := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{Add: image, Descriptor: containers.Descriptor{
		Platform: &containers.Platform{Architecture: arch, OS: "linux"},
		Annotations: map[string]string{
			"io.containerd.image.name":          canonical(full),
			"org.opencontainers.image.ref.name": full.TagStr(),
			"org.opencontainers.image.licenses": t.licences(),
		},
	}})

	a := archive{tar: tar.NewWriter(w)}
	config := a.blob(image.ConfigName, image.RawConfigFile)
	packed := a.blob(layer.Digest, func() ([]byte, error) {
		r, err := layer.Compressed()
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(r)
	})
	a.blob(image.Digest, image.RawManifest)
	a.file("oci-layout", func() ([]byte, error) { return []byte(`{"imageLayoutVersion":"1.0.0"}`), nil })
	a.file("index.json", index.RawManifest)
	a.file("manifest.json", func() ([]byte, error) {
		return json.Marshal(tarball.Manifest{{Config: config, RepoTags: []string{tag}, Layers: []string{packed}}})
	})
	if a.err != nil {
		return a.err
	}
	return a.tar.Close()
}

// imageOf returns the image of one layer.
func imageOf(t tree, c config, arch string, layer containers.Layer) (containers.Image, error) {
	created := containers.Time{Time: epoch}
	base, err := mutate.ConfigFile(empty.Image, &containers.ConfigFile{
		Architecture: arch, OS: "linux", Created: created, RootFS: containers.RootFS{Type: "layers"},
		Config: containers.Config{
			User: c.user, WorkingDir: c.workdir, Entrypoint: c.entrypoint, Env: []string{"PATH=" + searchPath, "HOME=/tmp"},
			Labels: map[string]string{"org.opencontainers.image.title": "loadline", "org.opencontainers.image.licenses": t.licences()},
		},
	})
	if err != nil {
		return nil, err
	}
	base = mutate.ConfigMediaType(mutate.MediaType(base, types.OCIManifestSchema1), types.OCIConfigJSON)
	return mutate.Append(base, mutate.Addendum{Layer: layer, History: containers.History{Created: created, CreatedBy: "loadline deploy/image"}})
}

// layerOf packs the tree.
func layerOf(t tree) (containers.Layer, error) {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	for _, name := range t.names() {
		n := t[name]
		head := &tar.Header{Name: name, Mode: n.mode, ModTime: epoch, Format: tar.FormatUSTAR}
		var data []byte
		switch {
		case n.dir:
			head.Typeflag, head.Name = tar.TypeDir, name+"/"
		case n.link != "":
			head.Typeflag, head.Linkname, head.Mode = tar.TypeSymlink, n.link, 0o777
		default:
			var err error
			if data, err = n.content(); err != nil {
				return nil, err
			}
			head.Typeflag, head.Size = tar.TypeReg, int64(len(data))
		}
		if err := w.WriteHeader(head); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if _, err := w.Write(data); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.DefaultCompression), tarball.WithCompressedCaching)
}

// archive writes files one after the other and keeps the first error.
type archive struct {
	tar *tar.Writer
	err error
}

func (a *archive) file(path string, content func() ([]byte, error)) {
	var data []byte
	if a.err == nil {
		data, a.err = content()
	}
	if a.err == nil {
		a.err = a.tar.WriteHeader(&tar.Header{Name: path, Mode: 0o644, Size: int64(len(data)), ModTime: epoch, Format: tar.FormatUSTAR})
	}
	if a.err == nil {
		_, a.err = a.tar.Write(data)
	}
}

// blob writes content under its digest, and returns its path.
func (a *archive) blob(digest func() (containers.Hash, error), content func() ([]byte, error)) string {
	h, err := digest()
	if a.err == nil {
		a.err = err
	}
	path := "blobs/" + strings.Replace(h.String(), ":", "/", 1)
	a.file(path, content)
	return path
}
