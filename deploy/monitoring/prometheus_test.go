package monitoring

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/test/lab"
)

func TestMain(m *testing.M) {
	lab.Share()
	os.Exit(m.Run())
}

// output is a stream that may be read while it is written.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// loadline runs the program in this process with the given environment.
func loadline(ctx context.Context, stderr *output, environment map[string]string, args ...string) int {
	e := env.OS()
	e.Args, e.Stdout, e.Stderr = args, &output{}, stderr
	e.Terminal, e.Output = env.Terminal{Width: 80}, env.Terminal{Width: 80}
	e.Getenv = func(name string) string { return environment[name] }
	return cli.Run(ctx, e)
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, met func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !met(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited two minutes for %s", what)
		}
	}
}

// A real Prometheus scrapes a long run of the real fio, limited to 200 I/Os per
// second, and answers the queries of the dashboards, and the graphs of Longhorn's reference
// report: one volume, and all of them together.
func TestPrometheusScrapesALongRun(t *testing.T) {
	lab.Need(t, "fio", "prometheus")
	lab.Lock(t)
	folder := t.TempDir()
	file := filepath.Join(t.TempDir(), "vol")
	prefix := filepath.Join(folder, "device")
	brief := []string{"--time", "1s", "--ramp-time", "200ms"}
	for _, mode := range []string{"random-read-bandwidth", "random-read-latency"} {
		var said output
		if code := loadline(t.Context(), &said, map[string]string{"MODE": mode, "RATE_IOPS": "200", "SIZE": "32M"}, append([]string{"kbench", "run", file, prefix}, brief...)...); code != 0 {
			t.Fatalf("%s ended with %d: %s", mode, code, said.String())
		}
	}

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var measuring, serving output
	var codes [2]int
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	running.Go(func() {
		codes[0] = loadline(ctx, &measuring, map[string]string{"MODE": "random-read-iops", "RATE_IOPS": "200", "SIZE": "32M", "LONG_RUN": "true", "SKIP_PARSE": "true"},
			append([]string{"kbench", "run", file, prefix}, brief...)...)
	})
	running.Go(func() {
		codes[1] = loadline(ctx, &serving, map[string]string{"DATA_DIR": folder, "PORT": "0", "TEST_MODE": "read-only", "RATE_LIMIT_TYPE": "rate-limit"}, "kbench", "exporter", "-d", "start")
	})
	address := regexp.MustCompile(`http://(127\.0\.0\.1:\d+)/metrics`)
	eventually(t, "the exporter's address", func() bool { return address.MatchString(serving.String()) })
	p := prometheus(t, address.FindStringSubmatch(serving.String())[1])

	eventually(t, "two cycles of the long run", func() bool {
		v, ok := p.ask(t, `count_over_time(kbench_metric_exporter_iops[5m]) > 0 and on() changes(loadline_run_start_timestamp_seconds{run="device"}[5m]) >= 2`)
		return ok && v > 0
	})
	// Kbench's gauges show the requested rate, in Kbench's units; the tolerance is wide because a second is
	// short on a busy machine. A query is repeated because a repeat or a scrape may be disturbed.
	const job = `{io_pattern="random",io_type="read",test_mode="read-only",rate_limit_type="rate-limit",volume_access_mode="rwo"}`
	for query, want := range map[string]float64{
		"kbench_metric_exporter_iops" + job:                               200,
		"sum(kbench_metric_exporter_iops" + job + ")":                     200,
		"avg(kbench_metric_exporter_bandwidth" + job + ")":                200 * 128,
		`loadline_operations_per_second{workload="rand-read-iops"}`:       200,
		`loadline_throughput_bytes_per_second{workload="rand-read-iops"}`: 200 * 4096,
	} {
		eventually(t, fmt.Sprintf("%s of %g", query, want), func() bool {
			got, ok := p.ask(t, query)
			return ok && got >= 0.6*want && got <= 1.3*want
		})
	}
	for _, query := range []string{"kbench_metric_exporter_latency" + job, `loadline_latency_seconds{statistic="mean",workload="rand-read-iops"}`} {
		eventually(t, query, func() bool {
			got, ok := p.ask(t, query)
			return ok && got > 0
		})
	}
	asked := 0
	for file, d := range dashboards(t) {
		for _, panel := range d.Panels {
			for _, target := range panel.Targets {
				query := strings.NewReplacer("$pattern", "random", "$type", "read", "$workload", "rand-read-iops").Replace(target.Expr)
				asked++
				// One second is too short for an interval, so its bounds may be missing.
				if !strings.Contains(query, "bound") {
					eventually(t, fmt.Sprintf("an answer for %s, %s: %s", file, panel.Title, query), func() bool {
						_, ok := p.ask(t, query)
						return ok
					})
				}
			}
		}
	}
	if asked < 15 {
		t.Errorf("only %d questions were put", asked)
	}

	stop()
	running.Wait()
	if codes != [2]int{} {
		t.Errorf("a long run and its exporter end with %v when they are told to; %s %s", codes, measuring.String(), serving.String())
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the long run left its file: %v", err)
	}
}

// server is a Prometheus on loopback.
type server struct{ address string }

// prometheus starts a server that scrapes the target every other second. A scrape that takes longer would end all
// its series, so the interval is not shorter.
func prometheus(t *testing.T, target string) server {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	text := "global: {scrape_interval: 2s, scrape_timeout: 2s}\nscrape_configs: [{job_name: kbench, honor_labels: true, static_configs: [{targets: [" + strconv.Quote(target) + "]}]}]\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return server{listening(t, "prometheus", "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"))}
}

// ask runs a query and returns the first value; false for an empty result.
func (s server) ask(t *testing.T, query string) (float64, bool) {
	t.Helper()
	r, err := http.Get("http://" + s.address + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var answer struct {
		Status, Error string
		Data          struct {
			Result []struct{ Value [2]any }
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if answer.Status != "success" {
		t.Fatalf("%s: %s", query, answer.Error)
	}
	if len(answer.Data.Result) == 0 {
		return 0, false
	}
	v, err := strconv.ParseFloat(fmt.Sprint(answer.Data.Result[0].Value[1]), 64)
	return v, err == nil
}
