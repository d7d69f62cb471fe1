package plugin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Loops records the loop devices in use, in a directory that is read when the node
// is ended: each file is named after a device and contains its volume.
type Loops string

// Attach makes a loop device of the file, for the volume.
func (l Loops) Attach(volume, file string) (string, error) {
	out, err := losetup("--sector-size", "4096", "--direct-io=on", "--show", "-f", file)
	if err != nil {
		return "", err
	}
	return out, os.WriteFile(filepath.Join(string(l), filepath.Base(out)), []byte(volume), 0o600)
}

// Of returns the volume's devices.
func (l Loops) Of(volume string) []string {
	notes, _ := filepath.Glob(filepath.Join(string(l), "*"))
	var devices []string
	for _, note := range notes {
		if text, err := os.ReadFile(note); err == nil && string(text) == volume {
			devices = append(devices, "/dev/"+filepath.Base(note))
		}
	}
	return devices
}

// Detach detaches the volume's devices.
func (l Loops) Detach(volume string) error {
	for _, device := range l.Of(volume) {
		if _, err := losetup("-d", device); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(string(l), filepath.Base(device))); err != nil {
			return err
		}
	}
	return nil
}

func losetup(args ...string) (string, error) {
	out, err := exec.Command("losetup", args...).CombinedOutput()
	words := strings.TrimSpace(string(out))
	if err != nil {
		return "", fmt.Errorf("losetup %s: %w: %s", strings.Join(args, " "), err, words)
	}
	return words, nil
}
