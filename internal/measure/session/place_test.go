package session

import (
	"errors"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestErrorsNameWhatTheUserNamed(t *testing.T) {
	at := &placed{target: model.Target{Name: "pvc:prod/data", Path: "/volume"}, cluster: &model.Cluster{}}
	err := at.named(model.RefusedError("/volume cannot be written", "hint"))
	var w *model.WorkerError
	if !errors.As(err, &w) || w.Message != "pvc:prod/data cannot be written" || w.Hint != "hint" || w.Class != model.Refused {
		t.Errorf("%#v", err)
	}
	here := &placed{target: model.Target{Name: "x", Path: "/volume"}}
	if err := here.named(errors.New("/volume is gone")); err.Error() != "/volume is gone" {
		t.Errorf("%v", err)
	}
}
