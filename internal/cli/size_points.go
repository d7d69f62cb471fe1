package cli

import (
	"errors"
	"fmt"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/judge/results"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/study"
)

// points reads the input of size: a file of points, or runs; and the hardware,
// if it is described in a separate file.
func (f *sizeFlags) points(runs []string) (*study.Published, error) {
	switch {
	case f.from != "" && len(runs) > 0:
		return nil, model.RefusedError("--from replaces runs, but both are given", "leave one of them out")
	case f.from != "":
		p, err := results.ReadPoints("--from", f.from)
		if err != nil {
			return nil, err
		}
		return p, results.AddSystem(p, f.system)
	case len(runs) > 0:
		p, reports, err := results.PointsOf(runs, f.system)
		if err != nil {
			return nil, err
		}
		if len(p.Scales) == 0 && len(p.Rebuilds) == 0 && !results.KnowsDisk(&p.System) {
			return nil, model.RefusedError(fmt.Sprintf("%s contains no scaling: it was not measured by loadline scale", reports[0].Run.Directory),
				"measure it: loadline scale TARGET --volumes 1,2,4,8; or describe the hardware: --system FILE.yaml")
		}
		return p, nil
	case f.system != "" && len(f.need) == 0 && f.needs == "":
		return nil, model.RefusedError("--system describes the hardware, but there is no need and no measurement to compare with it", "add --need, a RUN or --from FILE.yaml")
	case f.system != "":
		p := &study.Published{Name: f.system}
		return p, results.AddSystem(p, f.system)
	}
	return nil, usage.New(errors.New("loadline size takes runs of loadline scale, --from FILE.yaml, or --system FILE.yaml with a need"), "loadline size --help")
}
