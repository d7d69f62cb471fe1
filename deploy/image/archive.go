package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// epoch is the time of everything in an image, so that the same files give the
// same image.
var epoch = time.Unix(0, 0).UTC()

// The media types of an OCI image layout (image-spec 1.0).
const (
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// descriptor points to a blob of the layout.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int64             `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// writeArchive writes the image as an OCI image layout that is a docker-archive at
// the same time (both name the same blobs), so that every engine finds the form
// that it reads.
func writeArchive(w io.Writer, t tree, c config, arch, name string) error {
	layer, diff, err := layerOf(t)
	if err != nil {
		return err
	}
	image := map[string]any{
		"architecture": arch, "os": "linux", "created": epoch,
		"config": map[string]any{
			"User": c.user, "WorkingDir": c.workdir, "Entrypoint": c.entrypoint, "Env": []string{"PATH=" + searchPath, "HOME=/tmp"},
			"Labels": map[string]string{"org.opencontainers.image.title": "loadline", "org.opencontainers.image.licenses": t.licences()},
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{diff}},
		"history": []map[string]any{{"created": epoch, "created_by": "loadline deploy/image"}},
	}
	a := archive{tar: tar.NewWriter(w)}
	config := a.blob(typeConfig, marshal(image))
	packed := a.blob(typeLayer, layer)
	manifest := a.blob(typeManifest, marshal(map[string]any{"schemaVersion": 2, "mediaType": typeManifest, "config": config, "layers": []descriptor{packed}}))
	manifest.Platform = &platform{Architecture: arch, OS: "linux"}
	manifest.Annotations = map[string]string{"io.containerd.image.name": canonical(name), "org.opencontainers.image.ref.name": tagOf(name), "org.opencontainers.image.licenses": t.licences()}
	a.file("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`))
	a.file("index.json", marshal(map[string]any{"schemaVersion": 2, "manifests": []descriptor{manifest}}))
	a.file("manifest.json", marshal([]map[string]any{{"Config": blobPath(config.Digest), "RepoTags": []string{name}, "Layers": []string{blobPath(packed.Digest)}}}))
	if a.err != nil {
		return a.err
	}
	return a.tar.Close()
}

// layerOf packs the tree, and returns the digest of what is packed as well.
func layerOf(t tree) (layer []byte, diff string, err error) {
	var packed bytes.Buffer
	hash := sha256.New()
	zip := gzip.NewWriter(&packed)
	w := tar.NewWriter(io.MultiWriter(zip, hash))
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
			if data, err = n.content(); err != nil {
				return nil, "", err
			}
			head.Typeflag, head.Size = tar.TypeReg, int64(len(data))
		}
		if err := w.WriteHeader(head); err != nil {
			return nil, "", fmt.Errorf("%s: %w", name, err)
		}
		if _, err := w.Write(data); err != nil {
			return nil, "", fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	if err := zip.Close(); err != nil {
		return nil, "", err
	}
	return packed.Bytes(), "sha256:" + hex.EncodeToString(hash.Sum(nil)), nil
}

// archive writes files one after the other and keeps the first error.
type archive struct {
	tar *tar.Writer
	err error
}

func (a *archive) file(name string, data []byte) {
	if a.err == nil {
		a.err = a.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(data)), ModTime: epoch, Format: tar.FormatUSTAR})
	}
	if a.err == nil {
		_, a.err = a.tar.Write(data)
	}
}

// blob writes content under its digest.
func (a *archive) blob(mediaType string, data []byte) descriptor {
	sum := sha256.Sum256(data)
	d := descriptor{MediaType: mediaType, Digest: "sha256:" + hex.EncodeToString(sum[:]), Size: int64(len(data))}
	a.file(blobPath(d.Digest), data)
	return d
}

func blobPath(digest string) string { return "blobs/sha256/" + digest[len("sha256:"):] }

// marshal writes maps of this file, which cannot fail; their keys come sorted.
func marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
