package cluster

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// pauseImage is the image of the program that keeps a pod's namespaces.
const pauseImage = "loadline.test/pause:1"

func (c *Cluster) pauseArchive() string { return filepath.Join(c.dir, "pause.tar") }

// makePause writes the image: one file in one layer.
func (c *Cluster) makePause() error {
	program, err := os.ReadFile(c.Program("pause"))
	if err != nil {
		return err
	}
	layer, err := archived([]file{{"pause", program, 0o755}})
	if err != nil {
		return err
	}
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux", "config": map[string]any{"Entrypoint": []string{"/pause"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + digest(layer)}},
	})
	if err != nil {
		return err
	}
	return writeImage(c.pauseArchive(), pauseImage, config, layer)
}

// writeImage writes the archive of an image of one layer.
func writeImage(archive, name string, config, layer []byte) error {
	manifest, err := json.Marshal([]any{map[string]any{"Config": "config.json", "RepoTags": []string{name}, "Layers": []string{"layer.tar"}}})
	if err != nil {
		return err
	}
	image, err := archived([]file{{"manifest.json", manifest, 0o644}, {"config.json", config, 0o644}, {"layer.tar", layer, 0o644}})
	if err != nil {
		return err
	}
	return os.WriteFile(archive, image, 0o600)
}

type file struct {
	name string
	data []byte
	mode int64
}

func archived(files []file) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.data))}); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func digest(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }
