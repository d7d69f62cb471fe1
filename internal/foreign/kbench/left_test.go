package kbench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// Folders made for results go again if nothing was saved in them, and only those.
func TestFoldersWithoutResultsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	prefix := filepath.Join(dir, "a", "b", "device")
	release, err := writableBeside(prefix)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	release()
	if _, err := os.Stat(filepath.Join(dir, "a", "b")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a", "other")); err != nil {
		t.Error(err)
	}
	// One that was there before stays, also empty.
	if release, err = writableBeside(filepath.Join(dir, "device")); err != nil {
		t.Fatal(err)
	}
	release()
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}

// What a cycle has published before it was ended is named.
func TestTheFilesOfAnUnfinishedCycle(t *testing.T) {
	k := recorder{}
	var left *model.LeftError
	if err := k.unfinished(context.Canceled); errors.As(err, &left) {
		t.Errorf("%v", err)
	}
	k.published = []string{"out/p-iops.json", "out/p-bandwidth.json"}
	err := k.unfinished(context.Canceled)
	if !errors.Is(err, context.Canceled) || !errors.As(err, &left) || !strings.Contains(left.Message, "out/p-iops.json and out/p-bandwidth.json") {
		t.Errorf("%v", err)
	}
}
