package worker

import (
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

// TestEveryTargetHasItsTool: the registry's correct tool carries out a workload, and one tool prepares the
// volumes of each kind of target.
func TestEveryTargetHasItsTool(t *testing.T) {
	tools := Tools(env.OS())
	names := map[string]bool{}
	for _, tool := range tools {
		if names[tool.Name] {
			t.Errorf("two tools are called %s", tool.Name)
		}
		names[tool.Name] = true
	}
	for _, kind := range []model.TargetKind{model.Directory, model.File, model.BlockDevice, model.NBD, model.RBD, model.Fake} {
		closed, open, filler := "fio", "open", "fio"
		if kind == model.Fake {
			closed, open, filler = "fake", "fake", "fake"
		}
		for want, w := range map[*string]model.Workload{&closed: {}, &open: {OpenLoop: true}} {
			if tool, err := tools.For(kind, w); err != nil || tool.Name != *want {
				t.Errorf("%s: %q carries out %+v, not %q (%v)", kind, tool.Name, w, *want, err)
			}
		}
		if tool, err := tools.Filler(kind); err != nil || tool.Name != filler || tool.Filler == nil {
			t.Errorf("%s: %q makes it ready, not %q (%v)", kind, tool.Name, filler, err)
		}
	}
	_, err := (load.Tools{}).For(model.NBD, model.Workload{})
	modeltest.Refused(t, err)
	_, err = (load.Tools{}).Filler(model.NBD)
	modeltest.Refused(t, err)
}
