package durability

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/suggest"
)

// The ways to make a write durable; syncNone promises nothing.
const (
	syncFsync     = "fsync"
	syncFdatasync = "fdatasync"
	syncDsync     = "dsync"
	syncFlush     = "flush"
	syncFUA       = "fua"
	syncNone      = "none"
)

// Syncs lists all sync methods, for help texts.
func Syncs() []string {
	return []string{syncFsync, syncFdatasync, syncDsync, syncFlush, syncFUA, syncNone}
}

// syncsOf lists the sync methods for a kind of target, the default first.
func syncsOf(kind model.TargetKind) []string {
	if kind == model.NBD {
		return []string{syncFlush, syncFUA, syncNone}
	}
	return []string{syncFsync, syncFdatasync, syncDsync, syncNone}
}

// chooseSync checks the user's choice for the target; "" selects the default.
func chooseSync(word string, t model.Target) (string, error) {
	known := syncsOf(t.Kind)
	if word == "" {
		return known[0], nil
	}
	word = strings.ToLower(word)
	if word == "o_dsync" {
		word = syncDsync
	}
	if slices.Contains(known, word) {
		return word, nil
	}
	if slices.Contains(Syncs(), word) {
		return "", model.RefusedError(fmt.Sprintf("--sync %s does not apply to %s", word, t.Name), "choose one of: "+strings.Join(known, ", "))
	}
	hint := "choose one of: " + strings.Join(known, ", ")
	// Without flushes there is nothing to test, so that is never what was meant.
	durable := slices.DeleteFunc(slices.Clone(known), func(s string) bool { return s == syncNone })
	if near := suggest.Nearest(word, durable); near != "" {
		hint = "--sync " + near + "; the choices are " + strings.Join(known, ", ")
	}
	return "", model.RefusedError(fmt.Sprintf("--sync %q is not known", word), hint)
}
