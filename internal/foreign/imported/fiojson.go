package imported

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// latest is the last second, since 1970, that a date in JSON (RFC 3339) can have: a later one is a damaged file's,
// and when it was measured is then unknown.
var latest = time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC).Unix()

var formatFioJSON = Format{
	Name:    "fio-json",
	Title:   "fio's JSON or JSON+ output",
	Example: `{"fio version": "fio-3.33", … "jobs": [{"jobname": "rand-read-iops", …`,
	words:   []string{`"fio version"`, `"jobname"`, `"clat_ns"`, `"lat_ns"`},
	read:    readFioJSON,
}

// fioDocument has the fields that are read from one of fio's JSON documents (fio's HOWTO, "JSON+
// output").
type fioDocument struct {
	Version string         `json:"fio version"`
	Time    int64          `json:"timestamp"`
	Global  map[string]any `json:"global options"`
	Jobs    fioJobs        `json:"jobs"`
}

// fioJobs are the jobs of one document.
type fioJobs []fioJob

// longestDocument is the maximum size of a document in bytes, with histograms; shortestJob is the
// minimum size of a job in bytes, in fio's shortest output. The histograms of 500 jobs of one run take
// 15 MB together.
const (
	longestDocument = 32 << 20
	shortestJob     = 256
	manyJobs        = 1000
)

// UnmarshalJSON decodes the jobs one by one, and no more than the text can contain: {} takes a kilobyte
// in memory.
func (l *fioJobs) UnmarshalJSON(data []byte) error {
	most := manyJobs + len(data)/shortestJob
	dec := json.NewDecoder(bytes.NewReader(data))
	if first, err := dec.Token(); err != nil || first != json.Delim('[') {
		// null, or something that is not from fio
		return err
	}
	for dec.More() {
		var j fioJob
		if err := dec.Decode(&j); err != nil {
			return err
		}
		if *l = append(*l, j); len(*l) > most {
			return fmt.Errorf("it has more than %d jobs in %s", most, units.FormatSize(int64(len(data))))
		}
	}
	return nil
}

type fioJob struct {
	Name       string             `json:"jobname"`
	Group      int                `json:"groupid"`
	Error      int                `json:"error"`
	TotalError uint64             `json:"total_err"`
	Elapsed    int64              `json:"elapsed"`
	Options    map[string]any     `json:"job options"`
	Read       fioFlow            `json:"read"`
	Write      fioFlow            `json:"write"`
	Sync       fioFlow            `json:"sync"`
	UserCPU    float64            `json:"usr_cpu"`
	SystemCPU  float64            `json:"sys_cpu"`
	Levels     map[string]float64 `json:"iodepth_level"`
}

// fioFlow is one direction. Bandwidth is in KiB/s, runtime in ms.
type fioFlow struct {
	IOs     float64    `json:"total_ios"`
	Bytes   float64    `json:"io_bytes"`
	KBytes  float64    `json:"io_kbytes"`
	BWBytes float64    `json:"bw_bytes"`
	BW      float64    `json:"bw"`
	IOPS    float64    `json:"iops"`
	Runtime float64    `json:"runtime"`
	Short   uint64     `json:"short_ios"`
	LatNS   fioLatency `json:"lat_ns"`
	ClatNS  fioLatency `json:"clat_ns"`
	Lat     fioLatency `json:"lat"`
	Clat    fioLatency `json:"clat"`
}

// fioLatency is a distribution, in ns (fio 3) or in µs (fio 2, under "lat").
type fioLatency struct {
	N          float64            `json:"N"`
	Mean       float64            `json:"mean"`
	Max        float64            `json:"max"`
	Percentile map[string]float64 `json:"percentile"`
	Bins       map[string]float64 `json:"bins"`
}

// readFioJSON reads one or several documents, with text around them: an interrupted fio writes lines of
// text before its JSON, and a status interval produces a stream of cumulative documents.
func readFioJSON(t *text, p *Part) (int, error) {
	begin := -1
	for i, l := range t.lines {
		if strings.HasPrefix(strings.TrimSpace(l), "{") {
			begin = i
			break
		}
	}
	if begin < 0 {
		return 0, nil
	}
	data := t.from(begin)
	docs, used, err := decodeFio(data)
	last := t.at(begin) + strings.Count(data[:used], "\n")
	if len(docs) == 0 {
		if err != nil && looksFio(data) {
			return last, err
		}
		if strings.Contains(data, `"loadline.`) {
			return last, errors.New("it is Loadline's own document: name the run directory to loadline report, analyze or compare")
		}
		return 0, nil
	}
	if err != nil {
		p.remark(model.SeverityWarning, nil, fmt.Sprintf("cut off: fio's JSON ends early at line %d, what stands before it was taken", last))
		p.status, p.reason = model.Interrupted, "its output is cut off"
	}
	for i := range docs {
		p.tool("fio", strings.TrimPrefix(docs[i].Version, "fio-"))
	}
	interrupted := strings.Contains(strings.Join(t.lines[:begin], "\n"), "terminating on signal")
	takeFio(t.at(begin), docs, interrupted, p)
	return last, nil
}

// looksFio reports whether invalid JSON comes from fio.
func looksFio(data string) bool {
	return strings.Contains(data, `"fio version"`) || strings.Contains(data, `"jobname"`)
}

// decodeFio decodes consecutive documents with jobs. Text between and after them (fio's own messages)
// is skipped. used is the number of bytes that were understood.
func decodeFio(data string) (docs []fioDocument, used int, err error) {
	jobs := 0
	for used < len(data) {
		next := strings.IndexByte(data[used:], '{')
		if next < 0 || len(docs) > 0 && !lineStart(data, used+next) {
			break
		}
		at := used + next
		end := min(len(data), at+longestDocument)
		dec := json.NewDecoder(strings.NewReader(data[at:end]))
		var d fioDocument
		if e := dec.Decode(&d); e != nil {
			used = at + int(dec.InputOffset())
			var syntax *json.SyntaxError
			if errors.As(e, &syntax) {
				used = at + int(syntax.Offset)
			}
			used = min(used, len(data))
			if errors.Is(e, io.ErrUnexpectedEOF) && end < len(data) {
				return docs, at, fmt.Errorf("a document of more than %s begins there, and fio writes none", units.FormatSize(longestDocument))
			}
			if errors.Is(e, io.ErrUnexpectedEOF) {
				return docs, len(data), errors.New("the JSON ends early")
			}
			return docs, used, fmt.Errorf("the JSON is broken there: %w", e)
		}
		used = at + int(dec.InputOffset())
		if d.Version == "" && len(d.Jobs) == 0 {
			return docs, used, nil
		}
		if jobs += max(1, len(d.Jobs)); jobs > manyJobs+used/shortestJob {
			return docs, at, fmt.Errorf("there are more than %d jobs up to there, and fio's take more text", jobs-1)
		}
		docs = append(docs, d)
	}
	return docs, used, nil
}

// lineStart reports whether only blanks precede data[i] on its line.
func lineStart(data string, i int) bool {
	for i--; i >= 0 && data[i] != '\n'; i-- {
		if data[i] != ' ' && data[i] != '\t' {
			return false
		}
	}
	return true
}

// takeFio adds the jobs of documents: as a stream if they are successive states of the same run, else
// as separate runs.
func takeFio(line int, docs []fioDocument, interrupted bool, p *Part) {
	groups := [][]fioDocument{}
	for _, d := range docs {
		n := len(groups)
		if n > 0 && continues(groups[n-1][len(groups[n-1])-1], d) {
			groups[n-1] = append(groups[n-1], d)
			continue
		}
		groups = append(groups, []fioDocument{d})
	}
	for _, g := range groups {
		d := g[len(g)-1]
		before := len(p.runs)
		for i, members := range sameJobs(d.Jobs) {
			takeJob(line, &d, i, members, p)
		}
		if len(g) > 1 {
			takeStream(g, p.runs[before:], interrupted, p)
		}
		if d.Time > 0 && d.Time <= latest && p.started.IsZero() {
			p.started = time.Unix(d.Time, 0).UTC()
		}
	}
	if len(p.runs) > 0 && p.status == "" {
		p.status = model.Complete
		if interrupted {
			p.status, p.reason = model.Interrupted, "fio was ended by a signal"
		}
	}
}

// continues reports whether b is a later state of the same run as a.
func continues(a, b fioDocument) bool {
	if len(a.Jobs) != len(b.Jobs) || len(a.Jobs) == 0 {
		return false
	}
	for i := range a.Jobs {
		x, y := &a.Jobs[i], &b.Jobs[i]
		if x.Name != y.Name || x.Group != y.Group || later(&x.Read, &y.Read) || later(&x.Write, &y.Write) {
			return false
		}
	}
	// Both are whole seconds. Elapsed counts from the start of fio, so in another process it does not grow with the
	// time of day. Old versions of fio print neither.
	n := len(a.Jobs) - 1
	apart := b.Time - a.Time - (b.Jobs[n].Elapsed - a.Jobs[n].Elapsed)
	return a.Time <= 0 || b.Time <= 0 || -2 <= apart && apart <= 2
}

// later reports whether x is a later state than y. During the ramp fio records no latencies, and at its
// end the counts restart.
func later(x, y *fioFlow) bool {
	return !x.ramping() && (y.IOs < x.IOs || y.Runtime < x.Runtime)
}

// ramping reports whether the direction is still in its ramp.
func (f *fioFlow) ramping() bool { return f.IOs > 0 && f.LatNS.N == 0 && f.Lat.Mean == 0 }

// sameJobs groups the jobs that are clones of each other (numjobs without group_reporting): the same
// name, and the same group.
func sameJobs(jobs []fioJob) [][]fioJob {
	var list [][]fioJob
next:
	for _, j := range jobs {
		for i := range list {
			if list[i][0].Name == j.Name && list[i][0].Group == j.Group {
				list[i] = append(list[i], j)
				continue next
			}
		}
		list = append(list, []fioJob{j})
	}
	return list
}

// takeJob adds one job, or the clones of one, which have this index in its document.
func takeJob(line int, d *fioDocument, member int, jobs []fioJob, p *Part) {
	options := fioOptions{}
	options.add(d.Global)
	options.add(jobs[0].Options)
	w := options.workload(jobs[0].Name, jobs)
	r := run{workload: w, step: fioStep(jobs, options), member: member}
	for _, way := range []struct {
		d model.Direction
		f func(*fioJob) *fioFlow
	}{{model.Read, func(j *fioJob) *fioFlow { return &j.Read }}, {model.Write, func(j *fioJob) *fioFlow { return &j.Write }}} {
		f, ok := fioFigure(jobs, way.f)
		if !ok {
			continue
		}
		f.Direction, f.Line, f.Group = way.d, line, "fio"
		f.Outcome = true
		r.figures = append(r.figures, f)
		r.step.Step.Seconds = math.Max(r.step.Step.Seconds, f.Seconds)
	}
	if len(r.figures) == 0 {
		p.remark(model.SeverityNote, nil, fmt.Sprintf("the job %q did no read and no write: it is left out", jobs[0].Name))
		return
	}
	options.volume(p)
	p.add(r)
}
