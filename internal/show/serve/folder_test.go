package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

// site is a folder of runs served by a test server.
type site struct {
	t      *testing.T
	folder string
	server *Server
	http   *httptest.Server
	logged *bytes.Buffer
}

// newSite serves an empty folder; change adjusts the options.
func newSite(t *testing.T, change func(*Options)) *site {
	t.Helper()
	s := &site{t: t, folder: filepath.Join(t.TempDir(), "results"), logged: &bytes.Buffer{}}
	if err := os.Mkdir(s.folder, 0o755); err != nil {
		t.Fatal(err)
	}
	o := Options{Folder: s.folder, Loopback: true, assemble: assembled, compare: compared, Now: time.Now,
		Log: log.New(s.logged, "", 0), Pace: 20 * time.Millisecond}
	if change != nil {
		change(&o)
	}
	var err error
	if s.server, err = New(o); err != nil {
		t.Fatal(err)
	}
	s.http = httptest.NewServer(s.server.Handler())
	t.Cleanup(func() {
		s.server.stop()
		s.http.Close()
		if err := s.server.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// assembled is a report with one result and one course for each workload: the sum of the I/Os in
// its samples.
func assembled(rec *model.Recorded) *model.Report {
	r := &model.Report{Schema: model.ReportSchema, Run: model.RunInfo{ID: rec.Run.ID, Started: rec.Run.Started, Finished: rec.Run.Finished,
		Status: rec.Run.Status, Reason: rec.Run.Reason, Target: rec.Plan.Volume.Target, Note: rec.Plan.Experiment.Note, Labels: rec.Run.Labels}}
	for i, w := range rec.Plan.Workloads {
		c := model.Course{Workload: w.Name, Direction: model.Read, Workers: 1, Thinned: 1}
		total := 0.0
		for _, s := range rec.Samples {
			if s.Step == i+1 {
				c.Points.At = append(c.Points.At, s.End)
				total += float64(s.Read.IOs)
			}
		}
		r.Courses = append(r.Courses, c)
		r.Results = append(r.Results, model.Result{Workload: w.Name, Direction: model.Read, Metric: model.IOPS, Verdict: model.Valid,
			Estimate: model.Estimate{Unit: "1/s", Value: total, Low: total, High: total}})
	}
	return r
}

// compared compares the first results.
func compared(a, b analyze.Measured) (*model.Comparison, error) {
	return &model.Comparison{Schema: model.ComparisonSchema, A: a.Report.Run, B: b.Report.Run, Rows: []model.Row{{Workload: "w1",
		Ratio: model.Estimate{Value: b.Report.Results[0].Value / a.Report.Results[0].Value}}}}, nil
}

// begin starts a run with workloads w1 and w2 in a folder.
func (s *site) begin(folder, name string, change func(*store.Start)) *store.Writer {
	s.t.Helper()
	start := store.Start{Directory: name, Plan: model.Plan{Schema: model.PlanSchema, Workloads: []model.Workload{{Name: "w1", Direction: model.Read}, {Name: "w2", Direction: model.Read}},
		Volume: model.Volume{Target: model.Target{Name: "/data/" + name, Kind: model.Directory}}},
		Run: model.Run{ID: name, Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
	if change != nil {
		change(&start)
	}
	w, err := store.Create(folder, time.Now, start)
	if err != nil {
		s.t.Fatal(err)
	}
	return w
}

// measure writes the given number of seconds of one workload, and its step.
func (s *site) measure(w *store.Writer, step, seconds int, rate uint64) {
	s.t.Helper()
	for i := range seconds {
		s.check(w.Sample(model.Sample{Step: step, End: float64(100*step + i), Seconds: 1, Read: &model.Flow{IOs: rate, Bytes: rate << 12}}))
	}
	s.check(w.Step(model.StepResult{Step: model.Step{Number: step, Workload: []string{"w1", "w2"}[step-1]}}))
}

// run makes a complete run with its report and its card.
func (s *site) run(name string, rate uint64, change func(*store.Start)) string {
	s.t.Helper()
	w := s.begin(s.folder, name, change)
	s.measure(w, 1, 3, rate)
	s.measure(w, 2, 2, rate)
	s.check(w.Finish(model.Complete, ""))
	s.report(w.Dir())
	return w.Dir()
}

// report saves the report and the card of a directory.
func (s *site) report(dir string) {
	s.t.Helper()
	rec, err := store.Read(dir)
	s.check(err)
	r := assembled(rec)
	var doc bytes.Buffer
	s.check(jsonout.Write(&doc, r))
	s.check(store.WriteFile(dir, store.ReportFile, doc.Bytes()))
	s.saveCard(dir, store.CardOfReport(r), doc.Len())
}

// saveCard saves the card of a directory whose document has that size.
func (s *site) saveCard(dir string, c store.Card, size int) {
	s.t.Helper()
	file, err := c.File(size)
	s.check(err)
	s.check(store.WriteFile(dir, file.Name, file.Data))
}

func (s *site) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// get requests an address; change adjusts the request.
func (s *site) get(address string, change func(*http.Request)) (int, string, http.Header) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.http.URL+address, nil)
	s.check(err)
	if change != nil {
		change(req)
	}
	return s.do(req)
}

func (s *site) do(req *http.Request) (int, string, http.Header) {
	s.t.Helper()
	client := &http.Client{Transport: s.http.Client().Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	s.check(err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	s.check(err)
	if name := map[string]string{"/api/list": "listing", "/api/trend": "trend", "/api/view": "view"}[req.URL.Path]; name != "" && res.StatusCode == http.StatusOK {
		fits(s.t, name, body)
	}
	return res.StatusCode, string(body), res.Header
}

// librarySchema is the compiler of the schema of what the server answers.
var librarySchema = jsonschema.NewCompiler()

// compiling is held while it compiles.
var compiling sync.Mutex

// fits fails the test if an answer does not fit the definition of that name in its schema.
func fits(t *testing.T, name string, answer []byte) {
	t.Helper()
	compiling.Lock()
	schema, err := librarySchema.Compile("../../../docs/library.schema.json#/$defs/" + name)
	compiling.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, answer)
	}
}

// list requests a list and returns its paths in order.
func (s *site) list(query string) (listing, []string) {
	s.t.Helper()
	code, body, _ := s.get("/api/list?"+query, nil)
	if code != http.StatusOK {
		s.t.Fatalf("list?%s: %d %s", query, code, body)
	}
	var l listing
	s.check(json.Unmarshal([]byte(body), &l))
	var paths []string
	for _, r := range l.Runs {
		paths = append(paths, r.Path)
	}
	return l, paths
}

// view requests the documents of directories.
func (s *site) view(paths ...string) (view, int) {
	s.t.Helper()
	code, body, _ := s.get("/api/view?"+url.Values{"run": paths}.Encode(), nil)
	var v view
	if code == http.StatusOK {
		s.check(json.Unmarshal([]byte(body), &v))
	} else if !strings.Contains(body, `"error"`) {
		s.t.Errorf("%d without a sentence: %s", code, body)
	}
	return v, code
}
