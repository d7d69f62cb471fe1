package truth

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// The etcd profile measured on a disk, and etcd running on that disk, agree about its
// flushes. On ext4 a flush of a log is two or three writes, one after the other, of 4 ms each here.
func TestTheEtcdProfileSaysWhatAnEtcdSays(t *testing.T) {
	etcd := lab.Etcd(t)
	runWithRetry(t, demand{class: waiting, seconds: 27, slots: 2}, func(t testing.TB) { likeAnEtcd(t, etcd) })
}

func likeAnEtcd(t testing.TB, etcd string) {
	disk := lab.Throttled(t, lab.Throttle{Delay: 4 * time.Millisecond, Size: 512 << 20})
	dir := lab.Filesystem(t, lab.Block(t, disk), "ext4")
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	brief := []string{"--quiet", "--time", "8s", "--ramp-time", "1s"}
	alone := measure(t.Context(), t, dir, append([]string{"--profile", "etcd", "--size", "64M"}, brief...)...)
	i := slices.IndexFunc(alone.report.Results, func(r model.Result) bool { return r.Direction == model.Sync })
	if i < 0 {
		t.Fatalf("exit code %d: %+v", alone.code, alone.report.Results)
	}
	flush := alone.report.Results[i].Metrics[model.Latency].Value
	o := command(t.Context(), t, append([]string{"app", "etcd", dir, "--etcd", etcd, "--profile", "small", "--format", "json", "--results", t.TempDir()}, brief...)...)
	var app model.Report
	if err := json.Unmarshal([]byte(o.stdout), &app); err != nil || len(app.Results) != 1 || app.Results[0].App == nil || app.Results[0].App.FlushTime == nil {
		t.Fatalf("exit code %d, %v: %s", o.code, err, o.stdout)
	}
	cost := app.Results[0].App
	t.Logf("a flush takes %.2f ms without an etcd, and %.2f ms in one; %.3f flushes and %.0f B of log for each put of %.2f ms",
		flush*1e3, *cost.FlushTime*1e3, *cost.Flushes, *cost.LogBytes, app.Results[0].Metrics[model.Latency].Value*1e3)
	if ratio := *cost.FlushTime / flush; ratio < 0.7 || ratio > 1.5 {
		t.Errorf("a flush takes %v s without an etcd, and %v s in one", flush, *cost.FlushTime)
	}
	if *cost.Flushes < 0.98 || *cost.Flushes > 1.2 {
		t.Errorf("%v flushes for each put", *cost.Flushes)
	}
	// One client puts one key after the other, so that a flush is in progress for its part of a put. The rest is etcd's own
	// work and its wait for its database, which take as long as the processors let them: a fifth of a put on an idle machine.
	part := *cost.Flushes * *cost.FlushTime / app.Results[0].Metrics[model.Latency].Value
	if *cost.Flushing < 0.5 || *cost.Flushing < part*0.97 || *cost.Flushing > part*1.03 {
		t.Errorf("a flush is in progress in %.3f of the time, and takes %.3f of a put", *cost.Flushing, part)
	}
	if len(app.Goals) != 1 || len(alone.report.Goals) != 1 {
		t.Errorf("%+v; %+v", alone.report.Goals, app.Goals)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".loadline*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
