package postgres

import (
	"errors"

	"github.com/loadline/loadline/internal/model"
)

// Image is what a pod has PostgreSQL's programs from where nobody names an image: the official one.
const Image = "docker.io/library/postgres:17"

// Foreseen is what is known of a server before there is a pod with its programs: the settings that
// it would be given, without their defaults, and no version. A setting that is none is refused; one
// that PostgreSQL does not have is refused by its programs.
func Foreseen(ask model.AppRequest) (*model.AppState, error) {
	state := &model.AppState{Name: "postgres"}
	at := map[string]int{}
	for _, one := range own(ask) {
		name, value, err := parseSetting(one)
		if err != nil {
			return nil, err
		}
		i, twice := at[name]
		if !twice {
			i = len(state.Settings)
			state.Settings, at[name] = append(state.Settings, model.Setting{Name: name, Source: "command line"}), i
		}
		state.Settings[i].Value = value
	}
	return state, nil
}

// inImage is a refusal of the programs that were found, where they are those of a pod's image.
func inImage(t model.Target, err error) error {
	var w *model.WorkerError
	if t.Cluster == nil || !errors.As(err, &w) || w.Class != model.Refused {
		return err
	}
	return model.RefusedError("the pod's image has no PostgreSQL to measure: "+w.Message, "name one that has the server and pgbench: --image postgres:17")
}
