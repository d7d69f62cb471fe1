package results

import (
	"fmt"
	"github.com/loadline/loadline/internal/judge/explain"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/prediction"
	"strings"
)

// PredictOptions say what to predict.
type PredictOptions struct {
	// From is the directory of a run of a storage, Like that of a run of PostgreSQL.
	From, Like string
	explain.Ask
}

// Predict says what PostgreSQL would do on a storage that was measured directly. Remarks are sentences
// on what could not be read.
func Predict(o PredictOptions) (p *prediction.Prediction, remarks []string, err error) {
	if sameDirectory(o.From, o.Like) {
		return nil, nil, model.RefusedError("--from and --like name the same run: one measured the storage, the other PostgreSQL on some other", "measure what is missing: loadline run DIR --profile postgres, or loadline app postgres DIR --profile small")
	}
	var both [2]explain.Evidence
	for i, dir := range []string{o.From, o.Like} {
		ev, said, err := evidence("predict", dir)
		if err != nil {
			return nil, nil, err
		}
		if damage := ev.Recorded.Damage; len(damage) > 0 {
			return nil, nil, model.RefusedError(fmt.Sprintf("%s is damaged: %s", dir, strings.Join(damage, "; ")), "copy it again from where it was measured, or measure again")
		}
		both[i], remarks = ev, append(remarks, said...)
	}
	p, err = explain.Predict(both[0], both[1], o.Ask)
	return p, remarks, err
}
