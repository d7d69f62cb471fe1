package results

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/study"
)

// PointsAsked names the points that a sizing starts from: either a file of points or runs, and a file that describes the
// hardware; Needs is set if there are needs to size for.
type PointsAsked struct {
	From, System string
	Runs         []string
	Needs        bool
}

// Points reads the points of a sizing; nil if none are named.
func Points(o PointsAsked) (*study.Published, error) {
	switch {
	case o.From != "" && len(o.Runs) > 0:
		return nil, model.RefusedError("--from replaces runs, but both are given", "leave one of them out")
	case o.From != "":
		p, err := readPoints("--from", o.From)
		if err != nil {
			return nil, err
		}
		return p, addSystem(p, o.System)
	case len(o.Runs) > 0:
		p, reports, err := PointsOf(o.Runs, o.System)
		if err != nil {
			return nil, err
		}
		if len(p.Scales) == 0 && len(p.Rebuilds) == 0 && !knowsDisk(&p.System) {
			return nil, model.RefusedError(fmt.Sprintf("%s contains no scaling: it was not measured by loadline scale", reports[0].Run.Directory),
				"measure it: loadline scale TARGET --volumes 1,2,4,8; or describe the hardware: --system FILE.yaml")
		}
		return p, nil
	case o.System != "" && !o.Needs:
		return nil, model.RefusedError("--system describes the hardware, but there is no need and no measurement to compare with it", "add --need, a RUN or --from FILE.yaml")
	case o.System != "":
		p := &study.Published{Name: o.System}
		return p, addSystem(p, o.System)
	}
	return nil, nil
}

// knowsDisk reports whether any figure of one disk is known.
func knowsDisk(s *hardware.System) bool { return s.Disk.IOPS > 0 || s.Disk.Bandwidth > 0 }

// addSystem replaces what is known of the hardware by the contents of a file.
func addSystem(p *study.Published, file string) error {
	if file == "" {
		return nil
	}
	s, err := readPoints("--system", file)
	if err != nil {
		return err
	}
	if len(s.Scales) > 0 {
		return model.RefusedError(fmt.Sprintf("--system %s holds points, too", file), "use it with --from, or leave its scales out")
	}
	p.System = s.System
	if len(p.Rebuilds) == 0 {
		p.Rebuilds = s.Rebuilds
	}
	if len(p.Control) == 0 {
		p.Control = s.Control
	}
	return nil
}

// readPoints reads a file of points that the user named with a flag.
func readPoints(flag, name string) (*study.Published, error) {
	data, err := spec.Read(env.ReadFile, flag, name)
	if err != nil {
		return nil, err
	}
	p, err := spec.ParsePublished(name, data)
	return &p, err
}

// PointsOf collects the scales of saved runs, and of one file of points that may be among them; system
// names a file that describes the hardware.
func PointsOf(names []string, system string) (*study.Published, []*model.Report, error) {
	p := &study.Published{Name: strings.Join(names, ", ")}
	d := &Documents{}
	file := ""
	for _, name := range names {
		if extension := strings.ToLower(filepath.Ext(name)); extension == ".yaml" || extension == ".yml" {
			if file != "" {
				return nil, nil, model.RefusedError(fmt.Sprintf("%s and %s are both files of points", file, name), "put the points of one system into one file")
			}
			read, err := readPoints("RUN", name)
			if err != nil {
				return nil, nil, err
			}
			p, file = read, name
			continue
		}
		if err := d.add(name, false); err != nil {
			return nil, nil, err
		}
	}
	if len(d.Comparisons) > 0 || len(d.Durability) > 0 {
		return nil, nil, model.RefusedError("a comparison or a durability test tells nothing about how much there is", "name runs of one system")
	}
	if file == "" {
		p.System = known(d)
	}
	if err := addSystem(p, system); err != nil {
		return nil, nil, err
	}
	seen := map[string]string{}
	for _, s := range p.Scales {
		seen[s.Workload+" "+string(s.Direction)] = file
	}
	for i, r := range d.Reports {
		for _, s := range r.Scales {
			describe(&s, r.Run.Workloads)
			key := s.Workload + " " + string(s.Direction)
			if other := seen[key]; other != "" {
				return nil, nil, model.RefusedError(fmt.Sprintf("%s and %s both scale %s", other, d.name(i), key), "name one run for each workload")
			}
			seen[key] = d.name(i)
			p.Scales = append(p.Scales, study.PublishedScale{Scale: s})
		}
	}
	return p, d.Reports, nil
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
