package durability

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

func TestChooseSync(t *testing.T) {
	dir := model.Target{Kind: model.Directory, Name: "d"}
	for word, want := range map[string]string{"": syncFsync, "FDATASYNC": syncFdatasync, "o_dsync": syncDsync, "none": syncNone} {
		if got, err := chooseSync(word, dir); got != want || err != nil {
			t.Errorf("%q: %q, %v", word, got, err)
		}
	}
	// A mistyped word must not lead to a test that tests nothing.
	for word, next := range map[string]string{"nope": "choose one of: fsync, fdatasync, dsync, none", "fsnc": "--sync fsync; the choices are fsync, fdatasync, dsync, none"} {
		_, err := chooseSync(word, dir)
		modeltest.Refused(t, err, "is not known", next)
	}
}
