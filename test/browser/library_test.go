package browser

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

// visit is the input of library.mjs.
type visit struct {
	Chromium string `json:"chromium"`
	Out      string `json:"out"`
	// Many is a library of Runs runs, Live one with a run that continues until Stop is
	// requested, Guarded one that requires Token.
	Many    string `json:"many"`
	Runs    int    `json:"runs"`
	Live    string `json:"live"`
	Stop    string `json:"stop"`
	Guarded string `json:"guarded"`
	Token   string `json:"token"`
}

func TestTheLibraryInABrowser(t *testing.T) {
	t.Parallel()
	chromium, out := eyes(t, "library")
	v := visit{Chromium: chromium, Out: out, Runs: 130, Token: "a-token-of-enough-characters"}
	many := filepath.Join(t.TempDir(), "many")
	for i := range v.Runs {
		shelve(t, many, i)
	}
	v.Many, v.Guarded = library(t, many), library(t, many, "--token", v.Token)
	live := filepath.Join(t.TempDir(), "live")
	v.Stop = endless(t, live)
	v.Live = library(t, live)
	drive(t, "library.mjs", v)
}

// shelve puts the i-th of many small runs into the folder.
func shelve(t *testing.T, folder string, i int) {
	t.Helper()
	started := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Minute)
	e := sure(float64(1000 + i))
	r := &model.Report{Schema: model.ReportSchema, Run: model.RunInfo{ID: store.Name(started, "x"), Started: started, Finished: started.Add(time.Minute), Status: model.Complete,
		Target: model.Target{Name: fmt.Sprintf("/srv/%03d", (i*7)%1000), Kind: model.Directory}, Profile: "quick"}}
	r.Results = []model.Result{{Workload: "rand-read-iops", Direction: model.Read, Metric: model.IOPS, Estimate: e, Verdict: model.Valid, Converged: true,
		Metrics: map[model.Metric]model.Estimate{model.IOPS: e}}}
	var doc bytes.Buffer
	err := jsonout.Write(&doc, r)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := store.MakeDirectory(folder, r.Run.ID)
	if err == nil {
		err = store.WriteFile(dir, store.ReportFile, doc.Bytes())
	}
	if err == nil {
		var card store.File
		if card, err = store.CardOfReport(r).File(doc.Len()); err == nil {
			err = store.WriteFile(dir, card.Name, card.Data)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// endless begins a run that continues until the address that it returns is requested, or
// the test is over.
func endless(t *testing.T, folder string) (stop string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var stdout, stderr locked
	world := env.OS()
	world.Args = []string{"run", "fake:?iops=3000&cv=0.05&pace=4", "--profile", "quick", "--precision", "0.1%", "--max-time", "4h", "--results", folder, "--quiet"}
	world.Stdin, world.Stdout, world.Stderr = strings.NewReader(""), &stdout, &stderr
	over := make(chan struct{})
	go func() {
		defer close(over)
		cli.Run(ctx, world)
	}()
	end := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel() }))
	t.Cleanup(func() {
		end.Close()
		cancel()
		<-over
	})
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		if made, _ := filepath.Glob(filepath.Join(folder, "*", "samples.jsonl.zst")); len(made) > 0 {
			return end.URL
		}
		select {
		case <-over:
			t.Fatalf("the run has ended before it was watched:\n%s%s", stdout.String(), stderr.String())
		default:
		}
	}
	t.Fatal("the run has not begun")
	return ""
}
