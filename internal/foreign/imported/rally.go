package imported

import (
	"cmp"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

var formatRally = Format{
	Name:    "rally",
	Title:   "the result lines of esrally",
	Example: "[INFO] SUCCESS (took 1420 seconds)",
	words:   []string{"[INFO] SUCCESS", "esrally", "Racing on track", "(took "},
	read:    readRally,
}

var (
	rallyTrack = regexp.MustCompile(`Racing on track \[([^\]]+)\]`)
	rallyEnd   = regexp.MustCompile(`^\s*\[INFO\] (SUCCESS|FAILURE|ABORTED) \(took (\d+) seconds\)`)
	oneWord    = regexp.MustCompile(`^[A-Za-z][\w.-]*$`)
)

// readRally reads how long each race took. A race is named after its track, else after a label before
// it, else after the file.
func readRally(t *text, p *Part) (last int, err error) {
	track := ""
	for i, l := range t.lines {
		if m := rallyTrack.FindStringSubmatch(l); m != nil {
			track, last = m[1], t.at(i)
			continue
		}
		m := rallyEnd.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		last = t.at(i)
		seconds, err := number(m[2])
		if err != nil || seconds <= 0 {
			continue
		}
		name, label := track, t.label(i)
		if name == "" && oneWord.MatchString(label) {
			name = label
		}
		if name == "" {
			name = strings.TrimSuffix(filepath.Base(t.name), filepath.Ext(t.name))
		}
		r := run{workload: model.Workload{Name: cmp.Or(slug(name), "race"), Direction: model.Mixed, Metric: model.Elapsed, Words: "search track " + name}}
		r.label = label
		r.figures = []model.Figure{{Direction: model.Mixed, Group: "rally", Line: t.at(i), Seconds: seconds, Outcome: true,
			Values: map[model.Metric]float64{model.Elapsed: seconds}}}
		r.step.Step.Seconds = seconds
		if m[1] != "SUCCESS" {
			r.step.Error = "esrally says " + m[1]
		}
		p.status = cmp.Or(p.status, model.Complete)
		p.add(r)
		track = ""
	}
	return last, nil
}
