package fio

import (
	"path/filepath"
	"testing"

	"github.com/loadline/loadline/internal/model/modeltest"
)

// Without a directory for temporary files, a target is refused before anything is measured.
func TestWithoutATemporaryDirectoryNothingIsMeasured(t *testing.T) {
	if err := checkTemporary(); err != nil {
		t.Error(err)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	modeltest.Refused(t, checkTemporary(), "fio's job file needs a temporary directory")
}
