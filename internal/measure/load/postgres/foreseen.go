package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/measure/load/postgres/defaults"
	"github.com/loadline/loadline/internal/model"
)

// Image is the default image for PostgreSQL's programs in a pod: the official one.
const Image = "docker.io/library/postgres:17"

// Foreseen returns what is known of a server before there is a pod with its programs: the settings that it
// would be given and, if the image's name says which version it has, all others with their defaults. An argument that is not a setting is refused here; a
// setting that PostgreSQL does not have is refused later by its programs, as minor versions add some.
func Foreseen(ask model.AppRequest) (*model.AppState, error) {
	if err := enoughConnections(ask); err != nil {
		return nil, err
	}
	state := &model.AppState{Name: "postgres"}
	major := imageMajor(cmp.Or(ask.Image, Image))
	if major > 0 && (major < oldest || major > newest) {
		return nil, model.RefusedError(fmt.Sprintf("--image %s is PostgreSQL %d, and Loadline measures %d to %d", ask.Image, major, oldest, newest), fmt.Sprintf("name another image: --image postgres:%d", newest))
	}
	if list := defaults.Of(major); len(list) > 0 {
		state.Version, state.Assumed, state.Settings = strconv.Itoa(major), true, list
	}
	return state, give(state, ask)
}

// give sets what a server is given among its settings.
func give(state *model.AppState, ask model.AppRequest) error {
	at := map[string]int{}
	for i, s := range state.Settings {
		at[strings.ToLower(s.Name)] = i
	}
	complete := len(state.Settings) > 0 && !state.Assumed
	for _, one := range own(ask) {
		name, value, err := parseSetting(one)
		if err != nil {
			return err
		}
		i, known := at[strings.ToLower(name)]
		switch {
		case known:
		case complete && !strings.Contains(name, "."):
			return model.RefusedError(fmt.Sprintf("--set %s: PostgreSQL %s has no setting %q that can be set", one, state.Version, name), "loadline plan app postgres DIR --format json lists them all")
		default:
			i = len(state.Settings)
			state.Settings, at[strings.ToLower(name)] = append(state.Settings, model.Setting{Name: name}), i
		}
		state.Settings[i].Value, state.Settings[i].Source = value, "command line"
	}
	return nil
}

// official matches the name of the official image, or of a mirror's copy, with the major version in its tag.
var official = regexp.MustCompile(`(?:^|/)postgres:(\d+)(?:[.-][^/]*)?$`)

// imageMajor returns the major version in the name of an official image; 0 if there is none.
func imageMajor(image string) int {
	image, _, _ = strings.Cut(image, "@")
	if m := official.FindStringSubmatch(image); m != nil {
		major, _ := strconv.Atoi(m[1]) // digits
		return major
	}
	return 0
}

// inImage rewords a refusal of the programs that were found, if they come from a pod's image.
func inImage(t model.Target, err error) error {
	var w *model.WorkerError
	if t.Cluster == nil || !errors.As(err, &w) || w.Class != model.Refused {
		return err
	}
	return model.RefusedError("the pod's image has no PostgreSQL to measure: "+w.Message, "name one that has the server and pgbench: --image postgres:17")
}
