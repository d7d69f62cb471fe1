package load

import (
	"context"
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

// Unanswered returns the result of a step whose server does not answer: that it was stopped if ctx is
// done, else why the server is gone, or what failed and how. gone returns "" while the server runs.
func Unanswered(ctx context.Context, res model.StepResult, gone func() string, what string, err error) (model.StepResult, error) {
	if ctx.Err() != nil {
		res.Error = model.StoppedStep
		return res, nil
	}
	if why := gone(); why != "" {
		return res, model.BrokenError(why, "")
	}
	return res, model.BrokenError(fmt.Sprintf("%s: %v", what, err), "")
}
