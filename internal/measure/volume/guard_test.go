package volume

import (
	"errors"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// A durability test has no workloads to choose.
func TestAdviceWithoutWorkloads(t *testing.T) {
	file := model.Target{Kind: model.File, Name: "/etc/passwd", Path: "/etc/passwd"}
	for want, err := range map[string]error{
		"if its content may go, add: --destroy-data-on /etc/passwd": named(file, ""),
		"serve it writable":                 inUse(file, "is read-only, by its server's word", "serve it writable, or "+readOnly),
		"name a target that can be written": inUse(file, "is read-only", readOnly),
		"detach it":                         inUse(file, "is in use", "detach it"),
	} {
		var refused *model.WorkerError
		if !errors.As(WithoutWorkloads(err), &refused) || refused.Hint != want || refused.Message != err.Error() {
			t.Errorf("%v: %+v, want %q", err, refused, want)
		}
	}
	if WithoutWorkloads(nil) != nil {
		t.Error("what is permitted is refused")
	}
}
