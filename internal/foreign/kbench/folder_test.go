package kbench

import (
	"testing"
	"testing/fstest"
	"time"
)

// A directory during a long run: results, an incomplete one, a report, unrelated files, and an older
// result of the same job.
func TestLook(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 11, 21, 6, minute, 0, 0, time.UTC) }
	result := func(n string) []byte {
		return []byte(`{"jobs": [{"jobname": "rand-read-iops", "read": {"total_ios": 5, "iops_mean": ` + n + `}}]}`)
	}
	folder := fstest.MapFS{
		"a-iops.json":      {Data: result("1000"), ModTime: at(3)},
		"b-iops.json":      {Data: result("500"), ModTime: at(1)},
		"a-latency.json":   {Data: result("1")[:30], ModTime: at(4)},
		"a-bandwidth.json": {Data: nil, ModTime: at(4)},
		"a-report.json":    {Data: []byte("{\n  \"schema\": \"loadline.report/v1\"}"), ModTime: at(2)},
		".tmp-1.json":      {Data: []byte("{"), ModTime: at(5)},
		"notes.txt":        {Data: []byte("{"), ModTime: at(5)},
	}
	f := Look(folder)
	if f.Values.Jobs["rand-read-iops"] != 1000 || len(f.Values.Jobs) != 1 {
		t.Errorf("the newest result should count: %v", f.Values.Jobs)
	}
	if len(f.Reports) != 1 || len(f.Unreadable) != 2 {
		t.Errorf("%d reports; unreadable: %v", len(f.Reports), f.Unreadable)
	}
	if f := Look(fstest.MapFS{}); len(f.Values.Jobs)+len(f.Reports)+len(f.Unreadable) != 0 {
		t.Errorf("an empty folder holds %+v", f)
	}
}
