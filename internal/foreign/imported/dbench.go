package imported

import (
	"regexp"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

var formatDbench = Format{
	Name:    "dbench",
	Title:   "dbench's summary",
	Example: "= FIO Summary =\nRandom Read/Write IOPS: 55.6k/10.9k. BW: 882MiB/s / 418MiB/s",
	words:   []string{"= FIO Summary =", "Random Read/Write IOPS", "Average Latency (usec)"},
	read:    readDbench,
}

// rates match "882MiB/s / 418MiB/s" and "882MiB/s/418MiB/s".
const rates = `([0-9.,]+\s*[KMGk]?i?B/s)\s*/\s*([0-9.,]+\s*[KMGk]?i?B/s)`

var (
	dbenchHead   = regexp.MustCompile(`^\s*(?:= )?(?:FIO|Dbench) Summary(?: =)?\s*$`)
	dbenchRandom = regexp.MustCompile(`^\s*Random Read/Write IOPS:\s*([0-9.,]+[kMG]?)\s*/\s*([0-9.,]*[0-9][kMG]?)\.?\s*BW:\s*` + rates)
	dbenchLat    = regexp.MustCompile(`^\s*Average Latency \((\w+)\) Read/Write:\s*([0-9.,]+)\s*/\s*([0-9.,]+)`)
	dbenchSeq    = regexp.MustCompile(`^\s*Sequential Read/Write:\s*` + rates)
	dbenchMix    = regexp.MustCompile(`^\s*Mixed Random Read/Write IOPS:\s*([0-9.,]+[kMG]?)\s*/\s*([0-9.,]+[kMG]?)`)
)

func readDbench(t *text, p *Part) (last int, err error) {
	d := dbenchReader{p: p}
	for i, l := range t.lines {
		line := t.at(i)
		switch {
		case dbenchHead.MatchString(l):
			last = line
		case dbenchRandom.MatchString(l):
			m := dbenchRandom.FindStringSubmatch(l)
			d.pair(line, "iops", model.IOPS, number, m[1], m[2])
			d.pair(line, "bw", model.Bandwidth, bandwidth, m[3], m[4])
			last = line
		case dbenchLat.MatchString(l):
			m := dbenchLat.FindStringSubmatch(l)
			d.pair(line, "latency", model.Latency, func(s string) (float64, error) { return span(s + m[1]) }, m[2], m[3])
			last = line
		case dbenchSeq.MatchString(l):
			m := dbenchSeq.FindStringSubmatch(l)
			d.pair(line, "seq", model.Bandwidth, bandwidth, m[1], m[2])
			last = line
		case dbenchMix.MatchString(l):
			m := dbenchMix.FindStringSubmatch(l)
			d.mix(line, m[1], m[2])
			last = line
		}
	}
	return last, nil
}

type dbenchReader struct{ p *Part }

// pair adds the read and the write test of one kind.
func (d dbenchReader) pair(line int, kind string, m model.Metric, read func(string) (float64, error), values ...string) {
	for i, way := range []model.Direction{model.Read, model.Write} {
		v, err := read(strings.TrimRight(values[i], "."))
		if err != nil || v == 0 {
			continue
		}
		w := model.Workload{Name: string(way) + "_" + kind, Access: model.Random, Direction: way, BlockSize: 4 << 10, Depth: 64, Metric: m}
		switch kind {
		case "bw":
			w.BlockSize = 128 << 10
		case "latency":
			w.Depth = 4
		case "seq":
			w.Access, w.BlockSize, w.Depth, w.Jobs, w.Threads, w.OffsetIncrement = model.Sequential, 1<<20, 16, 4, true, 500<<20
		}
		f := model.Figure{Direction: way, Group: "fio", Line: line, Values: map[model.Metric]float64{m: v}}
		d.p.profile = "dbench"
		d.p.add(run{workload: w, figures: []model.Figure{f}})
	}
}

// mix adds the mixed test.
func (d dbenchReader) mix(line int, values ...string) {
	w := model.Workload{Name: "rw_mix", Access: model.Random, Direction: model.Mixed, ReadPercent: 75, BlockSize: 4 << 10, Depth: 64, Metric: model.IOPS}
	r := run{workload: w}
	for i, way := range []model.Direction{model.Read, model.Write} {
		if v, err := number(values[i]); err == nil && v > 0 {
			r.figures = append(r.figures, model.Figure{Direction: way, Group: "fio", Line: line, Values: map[model.Metric]float64{model.IOPS: v}})
		}
	}
	if len(r.figures) > 0 {
		d.p.add(r)
	}
}
