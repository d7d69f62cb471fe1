package postgres

import (
	"errors"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// Image is the default image for PostgreSQL's programs in a pod: the official one.
const Image = "docker.io/library/postgres:17"

// Foreseen returns what is known of a server before there is a pod with its programs: the settings
// that it would be given, without their defaults, and no version. An argument that is not a setting
// is refused here; a setting that PostgreSQL does not have is refused later by its programs.
func Foreseen(ask model.AppRequest) (*model.AppState, error) {
	if err := enoughConnections(ask); err != nil {
		return nil, err
	}
	state := &model.AppState{Name: "postgres"}
	at := map[string]int{}
	for _, one := range own(ask) {
		name, value, err := parseSetting(one)
		if err != nil {
			return nil, err
		}
		i, twice := at[strings.ToLower(name)]
		if !twice {
			i = len(state.Settings)
			state.Settings, at[strings.ToLower(name)] = append(state.Settings, model.Setting{Name: name, Source: "command line"}), i
		}
		state.Settings[i].Value = value
	}
	return state, nil
}

// inImage rewords a refusal of the programs that were found, if they come from a pod's image.
func inImage(t model.Target, err error) error {
	var w *model.WorkerError
	if t.Cluster == nil || !errors.As(err, &w) || w.Class != model.Refused {
		return err
	}
	return model.RefusedError("the pod's image has no PostgreSQL to measure: "+w.Message, "name one that has the server and pgbench: --image postgres:17")
}
