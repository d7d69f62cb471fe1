package kbench

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A real fio stream: text, one document per second, and the last one counts.
func TestComposeTakesTheLastDocument(t *testing.T) {
	early := "{\n \"jobs\": [{\"jobname\": \"rand-read-iops\", \"read\": {\"total_ios\": 5, \"iops_mean\": 1}}]\n}\n"
	last := "some text\n{\n \"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\": \"rand-read-iops\", \"eta\": 2147483647,\n  \"read\": {\"total_ios\": 9, \"iops_mean\": 123.456789, \"lat_ns\": {\"bins\": {\"1\": 2}, \"percentile\": {\"99.000000\": 7}}}}]\n}\n"
	other := "{\n \"jobs\": [{\"jobname\": \"seq-write-iops\", \"write\": {\"total_ios\": 9, \"iops_mean\": 55}}]}"
	idle := 68.25
	data, err := compose([][]byte{[]byte(early + last), []byte(other)}, &idle)
	if err != nil {
		t.Fatal(err)
	}
	var v Values
	if err := v.Read(data); err != nil {
		t.Fatal(err)
	}
	want := Values{Jobs: map[string]float64{"rand-read-iops": 123.456789, "seq-write-iops": 55}, Idle: map[Aspect]float64{IOPS: 68.25}}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Error(diff)
	}
	if text := string(data); strings.Contains(text, "bins") || !strings.Contains(text, "99.000000") || !strings.Contains(text, "2147483647") {
		t.Errorf("the histogram should be gone and the rest be there: %s", text)
	}
}

// The complete output of a real fio is accepted.
func TestComposeOfARealOutput(t *testing.T) {
	real, err := os.ReadFile("../../measure/load/fio/testdata/ramp-mixed-sync.json")
	if err != nil {
		t.Fatal(err)
	}
	data, err := compose([][]byte{real, real}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Version string `json:"fio version"`
		Jobs    []struct {
			Jobname string
			Read    struct {
				Total uint64 `json:"total_ios"`
			}
		}
	}
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Jobs) != 2 || d.Jobs[0].Jobname != "x" || d.Jobs[0].Read.Total == 0 || d.Version != "fio-3.33" {
		t.Errorf("%+v", d)
	}
}

func TestWhatIsNotFiosIsRefused(t *testing.T) {
	for _, outputs := range [][]string{nil, {""}, {"fio: text"}, {"{\n \"jobs\": ["}, {"{\"jobs\": []}"}} {
		var data [][]byte
		for _, o := range outputs {
			data = append(data, []byte(o))
		}
		if got, err := compose(data, nil); err == nil {
			t.Errorf("%q was taken: %s", outputs, got)
		}
	}
	var v Values
	if v.Read([]byte("{")) == nil || v.Read(nil) == nil {
		t.Error("half a file was read")
	}
	if err := v.Read([]byte(`{"jobs": [{"jobname": "mine", "read": {"total_ios": 4}}, {"jobname": "seq-read-lat"}]}`)); err != nil || len(v.Jobs) != 0 {
		t.Errorf("other jobs, or jobs that did nothing, are no numbers of Kbench: %v %v", v, err)
	}
}

func TestIdentify(t *testing.T) {
	for name, want := range map[string]Identity{
		"rand-read-iops": {"random", "read", IOPS}, "seq-write-bw": {"sequential", "write", Bandwidth}, "seq-read-lat": {"sequential", "read", Latency},
	} {
		if got, ok := Identify(name); !ok || got != want {
			t.Errorf("%s: %+v %t", name, got, ok)
		}
	}
	for _, name := range []string{"", "x", "rand-read", "rand-trim-iops", "any-read-iops", "rand-read-mean", "rand-read-iops-2"} {
		if got, ok := Identify(name); ok {
			t.Errorf("%q is taken for %+v", name, got)
		}
	}
}
