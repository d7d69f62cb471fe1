package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/spec"
)

// points reads what size works from: a file of points, or runs; and what the hardware
// is, where a file of its own says so.
func (f *sizeFlags) points(runs []string) (*model.Published, error) {
	var p *model.Published
	var err error
	switch {
	case f.from != "" && len(runs) > 0:
		return nil, model.RefusedError("--from takes the place of runs, and both are given", "leave one of them out")
	case f.from != "":
		p, err = readPoints("--from", f.from)
	case len(runs) > 0:
		p, err = scalesOf(runs)
	case f.system != "" && len(f.need) == 0 && f.needs == "":
		return nil, model.RefusedError("--system says what the hardware is, but there is no need and no measurement to hold against it", "add --need, a RUN or --from FILE.yaml")
	case f.system != "":
		p = &model.Published{Name: f.system}
	default:
		return nil, usageError{fmt.Errorf("loadline size takes runs of loadline scale, --from FILE.yaml, or --system FILE.yaml with a need\n  next: loadline size --help")}
	}
	if err != nil || f.system == "" {
		return p, err
	}
	s, err := readPoints("--system", f.system)
	if err != nil {
		return nil, err
	}
	if len(s.Scales) > 0 {
		return nil, model.RefusedError(fmt.Sprintf("--system %s holds points, too", f.system), "use it with --from, or leave its scales out")
	}
	p.System = s.System
	if len(p.Rebuilds) == 0 {
		p.Rebuilds = s.Rebuilds
	}
	return p, nil
}

func readPoints(flag, name string) (*model.Published, error) {
	data, err := readOwn(flag, name)
	if err != nil {
		return nil, err
	}
	p, err := spec.ParsePublished(name, data)
	return &p, err
}

// scalesOf gathers the scales of saved runs.
func scalesOf(dirs []string) (*model.Published, error) {
	p := &model.Published{Name: strings.Join(dirs, ", ")}
	seen := map[string]string{}
	for _, dir := range dirs {
		r, err := readReport(dir)
		if err != nil {
			return nil, err
		}
		if len(r.Scales) == 0 {
			return nil, model.RefusedError(fmt.Sprintf("%s holds no scaling: it was not measured by loadline scale", dir), "measure one: loadline scale TARGET --volumes 1,2,4,8")
		}
		for _, s := range r.Scales {
			describe(&s, r.Run.Workloads)
			key := s.Workload + " " + string(s.Direction)
			if other := seen[key]; other != "" {
				return nil, model.RefusedError(fmt.Sprintf("%s and %s both scale %s", other, dir, key), "name one run for each workload")
			}
			seen[key] = dir
			p.Scales = append(p.Scales, model.PublishedScale{Scale: s})
		}
	}
	return p, nil
}

// describe fills in what a scale leaves to its workload.
func describe(s *model.Scale, workloads []model.Workload) {
	for _, w := range workloads {
		if w.Name != s.Workload {
			continue
		}
		if s.Access == "" {
			s.Access = w.Access
		}
		if s.BlockSize == 0 {
			s.BlockSize = w.BlockSize
		}
		if s.Depth == 0 {
			s.Depth = w.Depth * w.JobCount()
		}
	}
}

// readReport reads the report of a saved run.
func readReport(dir string) (*model.Report, error) {
	name := filepath.Join(dir, "report.json")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, model.RefusedError(fmt.Sprintf("%s has no report: %v", dir, err), "name a folder under loadline-results/, or compute its report with loadline analyze")
	}
	var r model.Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, model.RefusedError(fmt.Sprintf("%s cannot be read: %v", name, err), "compute it again with loadline analyze "+dir)
	}
	return &r, nil
}

func trimPerSecond(s string) string { return strings.TrimSuffix(strings.TrimSpace(s), "/s") }
