package kbench

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

// world returns an environment made of "NAME=value" strings.
func world(words ...string) func(string) string {
	m := map[string]string{}
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		m[name] = value
	}
	return func(name string) string { return m[name] }
}

func TestRequests(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		env  []string
		want Request
		jobs string
		ramp float64
	}{
		{"defaults", nil, []string{"FILE_NAME=/volume/test"},
			Request{File: "/volume/test", Prefix: "./test_device", SizeText: "10g", Size: 10 << 30, Mode: "full"},
			"rand-read-iops rand-write-iops seq-read-iops seq-write-iops rand-read-bw rand-write-bw seq-read-bw seq-write-bw " +
				"rand-read-lat rand-write-lat seq-read-lat seq-write-lat", 5},
		{"arguments beat the environment", []string{"/a", "b", "100M"}, []string{"FILE_NAME=/x", "OUTPUT=y", "SIZE=3g", "MODE=random-write-latency"},
			Request{File: "/a", Prefix: "b", SizeText: "100M", Size: 100 << 20, Mode: "random-write-latency"}, "rand-write-lat", 5},
		{"the environment fills what arguments leave out", []string{"/a"}, []string{"OUTPUT=y", "SIZE=3g", "MODE=sequential-read-bandwidth"},
			Request{File: "/a", Prefix: "y", SizeText: "3g", Size: 3 << 30, Mode: "sequential-read-bandwidth"}, "seq-read-bw", 5},
		{"a long run with a rate", nil, []string{"FILE_NAME=/v", "MODE=random-read-bandwidth", "RATE=23244k,", "SKIP_PARSE=true", "LONG_RUN=true", "SIZE=15G", "OUTPUT=/test-result/device", "CPU_IDLE_PROF=disabled"},
			Request{File: "/v", Prefix: "/test-result/device", SizeText: "15G", Size: 15 << 30, Mode: "random-read-bandwidth", RateBandwidth: Rates{Read: 23244 << 10}, SkipParse: true, LongRun: true}, "rand-read-bw", 5},
		{"rates of writes, and of both", nil, []string{"FILE_NAME=/v", "MODE=random-write-iops", "RATE=,7559k", "RATE_IOPS=102"},
			Request{File: "/v", Prefix: "./test_device", SizeText: "10g", Size: 10 << 30, Mode: "random-write-iops", RateBandwidth: Rates{Write: 7559 << 10}, RateIOPS: Rates{102, 102}}, "rand-write-iops", 5},
		{"profiling", nil, []string{"FILE_NAME=/v", "MODE=quick", "CPU_IDLE_PROF=enabled", "RATE_IOPS=100,200"},
			Request{File: "/v", Prefix: "./test_device", SizeText: "10g", Size: 10 << 30, Mode: "quick", IdleProfile: true, RateIOPS: Rates{100, 200}}, "", 1},
		{"the outdated QUICK_MODE", nil, []string{"FILE_NAME=/v", "QUICK_MODE=1", "MODE=full"},
			Request{File: "/v", Prefix: "./test_device", SizeText: "10g", Size: 10 << 30, Mode: "quick", Remarks: []string{"QUICK_MODE is outdated: set MODE=quick"}}, "", 1},
		{"neither enabled nor disabled", nil, []string{"FILE_NAME=/v", "CPU_IDLE_PROF=yes"},
			Request{File: "/v", Prefix: "./test_device", SizeText: "10g", Size: 10 << 30, Mode: "full", Remarks: []string{"CPU_IDLE_PROF=yes is neither enabled nor disabled: taken for disabled"}}, "", 5},
		{"neither true nor false", nil, []string{"FILE_NAME=/v", "LONG_RUN=yes"},
			Request{File: "/v", Prefix: "./test_device", SizeText: "10g", Size: 10 << 30, Mode: "full", Remarks: []string{"LONG_RUN=yes is neither true nor false: taken for false, so it measures once"}}, "", 5},
		{"an empty size", []string{"/v", "", ""}, nil,
			Request{File: "/v", Prefix: "./test_device", SizeText: "10g", Size: 10 << 30, Mode: "full", Remarks: []string{"SIZE is given, but empty: taken for 10g"}}, "", 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse(c.args, world(c.env...))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if jobs := strings.Join(got.Jobs(), " "); c.jobs != "" && jobs != c.jobs || len(got.Jobs()) == 0 {
				t.Errorf("jobs %q", jobs)
			}
			if ramp, measured := got.Times(); ramp != c.ramp || measured != c.ramp*map[float64]float64{1: 5, 5: 4}[c.ramp] {
				t.Errorf("%g s + %g s", ramp, measured)
			}
		})
	}
}

func TestRequestsThatAreRefused(t *testing.T) {
	for want, c := range map[string]struct {
		args []string
		env  []string
	}{
		"FILE_NAME":             {},
		`"random-read-iops"`:    {env: []string{"FILE_NAME=/v", "MODE=random-read-iosp"}},
		"full, quick":           {env: []string{"FILE_NAME=/v", "MODE=rand-read-iops"}},
		`MODE "full-read-iops"`: {env: []string{"FILE_NAME=/v", "MODE=full-read-iops"}},
		`SIZE "much"`:           {env: []string{"FILE_NAME=/v", "SIZE=much"}},
		`SIZE "0"`:              {args: []string{"/v", "p", "0"}},
		"too many arguments":    {args: []string{"/v", "p", "1g", "x"}},
		"RATE_IOPS=fast":        {env: []string{"FILE_NAME=/v", "RATE_IOPS=fast"}},
		"RATE_IOPS=-5":          {env: []string{"FILE_NAME=/v", "RATE_IOPS=-5"}},
		"set 102 or 103":        {env: []string{"FILE_NAME=/v", "RATE_IOPS=,102.5"}},
		"set 1 or 2":            {env: []string{"FILE_NAME=/v", "RATE_IOPS=1.5"}},
		"RATE=,":                {env: []string{"FILE_NAME=/v", "RATE=,"}},
		"RATE=1m,2m,3m,4m":      {env: []string{"FILE_NAME=/v", "RATE=1m,2m,3m,4m"}},
	} {
		_, err := Parse(c.args, world(c.env...))
		var broken *model.WorkerError
		if !errors.As(err, &broken) || !strings.Contains(broken.Message+" "+broken.Hint, want) {
			t.Errorf("%v %v: %v does not tell %q", c.args, c.env, err, want)
		} else if broken.Class != model.Refused {
			t.Errorf("%q is not refused", broken.Message)
		}
	}
}

func TestPairs(t *testing.T) {
	words := []string{"FIRST_VOL_NAME=Local-Path", "FIRST_VOL_FILE=/volume1/test", "SECOND_VOL_NAME=Longhorn", "SECOND_VOL_FILE=/volume2/test", "SIZE=30G", "MODE=quick", "LONG_RUN=true"}
	pair, err := ParsePair(world(words...))
	if err != nil {
		t.Fatal(err)
	}
	want := Request{File: "/volume1/test", Prefix: "Local-Path", SizeText: "30G", Size: 30 << 30, Mode: "quick", SkipParse: true}
	if diff := cmp.Diff(want, pair[0]); diff != "" {
		t.Error(diff)
	}
	if pair[1].File != "/volume2/test" || pair[1].Prefix != "Longhorn" {
		t.Errorf("%+v", pair[1])
	}
	// Kbench checks other variables of its own script instead of these.
	for i, word := range words[:4] {
		rest := append(append([]string{}, words[:i]...), words[i+1:]...)
		name, _, _ := strings.Cut(word, "=")
		if _, err := ParsePair(world(rest...)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	if _, err := ParsePair(world(append(words, "SECOND_VOL_NAME=Local-Path")...)); err == nil {
		t.Error("two volumes of one name are taken")
	}
	if same, err := ParsePair(world(append(words, "SECOND_VOL_FILE=/volume1/test")...)); err != nil || len(same[0].Remarks) != 1 {
		t.Errorf("one file under two names: %v %v", same[0].Remarks, err)
	}
}

func TestRatesAreThoseOfTheDirection(t *testing.T) {
	r := Request{RateIOPS: Rates{Read: 617}, RateBandwidth: Rates{Write: 7559 << 10}}
	list := r.Limited([]model.Workload{{Name: "r", Direction: model.Read, BlockSize: 4096}, {Name: "w", Direction: model.Write, BlockSize: 128 << 10}})
	if list[0].RateIOPS != 617 || list[0].RateBandwidth != 0 || list[1].RateIOPS != 0 || list[1].RateBandwidth != 7559<<10 {
		t.Errorf("%+v", list)
	}
	if list[0].Limit() != 617 || list[1].Limit() != 7559.0/128 {
		t.Errorf("limits %g, %g", list[0].Limit(), list[1].Limit())
	}
}
