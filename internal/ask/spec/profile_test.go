package spec

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

const ownProfile = `# what our database does
title: Order database
repeat_time: 4s
ramp: 500ms
max_time: 2m
workloads:
  - name: pages
    access: rand
    direction: mixed
    read_percent: 80
    block_size: 16k
    depth: 32
    jobs: 4
  - name: log
    access: seq
    direction: write
    block_size: 8192
    sync: fdatasync
  - {name: backup, access: seq, direction: read, block_size: 1MiB, depth: 4, rate_iops: 200, rate_bandwidth: 23244k, metric: p99}
`

func TestParseProfile(t *testing.T) {
	got, err := ParseProfile("profiles/orders.yaml", []byte(ownProfile))
	if err != nil {
		t.Fatal(err)
	}
	want := Profile{
		Name: "orders", Title: "Order database", Repeat: 4, Ramp: 0.5, MaxTime: 120,
		Workloads: []model.Workload{
			{Name: "pages", Access: model.Random, Direction: model.Mixed, ReadPercent: 80, BlockSize: 16384, Depth: 32, Jobs: 4, Metric: model.IOPS},
			{Name: "log", Access: model.Sequential, Direction: model.Write, BlockSize: 8192, Depth: 1, Sync: "fdatasync", Metric: model.IOPS},
			{Name: "backup", Access: model.Sequential, Direction: model.Read, BlockSize: 1 << 20, Depth: 4, RateIOPS: 200, RateBandwidth: 23244 << 10, Metric: model.P99},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	crlf, err := ParseProfile("orders.yaml", []byte("\ufeff"+strings.ReplaceAll(ownProfile, "\n", "\r\n")))
	if diff := cmp.Diff(want, crlf); err != nil || diff != "" {
		t.Errorf("with the line ends of other systems: %v\n%s", err, diff)
	}
}

// one returns a valid workload with a line of extra added to it.
func one(extra string) string {
	s := "workloads:\n  - name: a\n    access: rand\n    direction: read\n    block_size: 4k\n"
	if extra != "" {
		s += "    " + extra + "\n"
	}
	return s
}

func TestProfileErrorsPointAtTheirPlace(t *testing.T) {
	for _, c := range []struct {
		name, yaml string
		want       string // the whole message
		hint       string // part of the hint
	}{
		{"a typo", "title: x\nworkloads:\n  - name: a\n    acces: rand\n",
			"own.yaml:4:5: unknown field \"acces\"; did you mean \"access\"?\n   4 |     acces: rand\n     |     ^", "known: name, access"},
		{"a typo at the top", "wrokloads: []\n",
			"own.yaml:1:1: unknown field \"wrokloads\"; did you mean \"workloads\"?\n   1 | wrokloads: []\n     | ^", "known: name, title"},
		{"a far-off field", one("colour: blue"),
			"own.yaml:6:5: unknown field \"colour\"\n   6 |     colour: blue\n     |     ^", "known:"},
		{"a bad size", strings.Replace(one(""), "4k", "4q", 1),
			"own.yaml:5:17: block_size: \"4q\" is not a size: the unit \"q\" is unknown; write it like 4k, 512M or 20GiB\n   5 |     block_size: 4q\n     |                 ^", ""},
		{"a block of no device", strings.Replace(one(""), "4k", "1000", 1),
			"own.yaml:5:17: a block of 1000 bytes is not a multiple of 512 up to 1 GiB\n   5 |     block_size: 1000\n     |                 ^", ""},
		{"depth 0", one("depth: 0"),
			"own.yaml:6:12: depth is \"0\", but must be a whole number from 1 to 65536\n   6 |     depth: 0\n     |            ^", ""},
		{"depth in words", one("depth: deep"),
			"own.yaml:6:12: depth is \"deep\", but must be a whole number from 1 to 65536\n   6 |     depth: deep\n     |            ^", ""},
		{"a number that may be octal", one("depth: 010"),
			"own.yaml:6:12: depth is \"010\", but must be a whole number from 1 to 65536\n   6 |     depth: 010\n     |            ^", "without a plus sign, leading zeros"},
		{"no value", one("depth:"),
			"own.yaml:6:5: the field \"depth\" has no value\n   6 |     depth:\n     |     ^", ""},
		{"a list for a value", one("depth: [1, 2]"),
			"own.yaml:6:12: the field \"depth\" takes one value\n   6 |     depth: [1, 2]\n     |            ^", ""},
		{"a wrong word", strings.Replace(one(""), "rand", "random", 1),
			"own.yaml:3:13: unknown value of access \"random\"; did you mean \"rand\"?\n   3 |     access: random\n     |             ^", "known: rand, seq"},
		{"a name twice", one("") + "  - name: a\n    access: seq\n    direction: read\n    block_size: 4k\n",
			"own.yaml:6:11: the name \"a\" is taken by the workload in line 2\n   6 |   - name: a\n     |           ^", ""},
		{"a name no file can have", strings.Replace(one(""), "name: a", "name: My Job/1", 1),
			"own.yaml:2:11: \"My Job/1\" cannot be a workload's name, because files are named after it\n   2 |   - name: My Job/1\n     |           ^", `"my-job-1"`},
		{"no block size", "workloads:\n  - name: a\n    access: rand\n    direction: read\n",
			"own.yaml:2:5: the field \"block_size\" is missing\n   2 |   - name: a\n     |     ^", "every workload has"},
		{"a mix of nothing", strings.Replace(one(""), "direction: read", "direction: mixed", 1),
			"own.yaml:4:16: a mixed workload needs its share of reads\n   4 |     direction: mixed\n     |                ^", "read_percent: 70"},
		{"a share without a mix", one("read_percent: 70"),
			"own.yaml:6:19: only a mixed workload has a share of reads, and this one is \"read\"\n   6 |     read_percent: 70\n     |                   ^", ""},
		{"a rate that fio would round", one("rate_iops: 7.6"),
			"own.yaml:6:16: rate_iops is \"7.6\", but must be a whole number from 1 to 1000000000, because fio keeps to no other rate\n   6 |     rate_iops: 7.6\n     |                ^", "write rate_iops: 7 or 8"},
		{"less than one I/O per second", one("rate_iops: 0.2"),
			"own.yaml:6:16: rate_iops is \"0.2\", but must be a whole number from 1 to 1000000000, because fio keeps to no other rate\n   6 |     rate_iops: 0.2\n     |                ^", "write rate_iops: 1"},
		{"a flush of reads", one("sync: fsync"),
			"own.yaml:6:11: a workload that only reads has nothing to flush\n   6 |     sync: fsync\n     |           ^", ""},
		{"seconds or minutes?", "repeat_time: 3\n" + one(""),
			"own.yaml:1:14: repeat_time is \"3\", which is not a time\n   1 | repeat_time: 3\n     |              ^", "write 3s for seconds"},
		{"more than a year", "max_time: 8761h\n" + one(""),
			"own.yaml:1:11: max_time is \"8761h\", but may be a year at most\n   1 | max_time: 8761h\n     |           ^", "at most 8760h"},
		{"too short a repeat", "repeat_time: 200ms\n" + one(""),
			"own.yaml:1:14: repeat_time is shorter than the one second that a sample takes\n   1 | repeat_time: 200ms\n     |              ^", "1s or more"},
		{"the second goal", one("") + "goals:\n- a iops > 900\n- b p99 < 50ms\n",
			"own.yaml:8:3: \"b p99 < 50ms\": the run has no workload \"b\"\n   8 | - b p99 < 50ms\n     |   ^", ""},
		{"no workloads", "title: x\n", "own.yaml:1:1: the field \"workloads\" is missing\n   1 | title: x\n     | ^", "at least one"},
		{"no workload", "workloads: []\n", "own.yaml:1:12: a profile without workloads measures nothing\n   1 | workloads: []\n     |            ^", "at least one"},
		{"workloads by name", "workloads:\n  a: 1\n", "own.yaml:2:4: the field \"workloads\" takes a list: lines that begin with a dash\n   2 |   a: 1\n     |    ^", ""},
		{"a list", "- a\n", "own.yaml:1:1: a profile is written as fields with values, such as \"name: …\"\n   1 | - a\n     | ^", "fields: name"},
		{"an open bracket", "workloads: [\n  {name: a\n", "own.yaml:", ""},
		{"a tab", "title: x\n\trepeat_time: 3s\n", "own.yaml:2:1: found character '\t' that cannot start any token\n   2 | \trepeat_time: 3s\n     | ^", ""},
		{"a field twice", "title: a\ntitle: b\n", "own.yaml:2:1: mapping key \"title\" already defined at [1:1]\n   2 | title: b\n     | ^", ""},
		{"an alias", "title: &t x\n" + one(""), "own.yaml:1:8: anchors, aliases and tags are not read here\n   1 | title: &t x\n     |        ^", ""},
		{"two documents", one("") + "---\n" + one(""), "own.yaml:7:10: a second document begins here; a file holds one\n   7 | workloads:\n     |          ^", ""},
		{"nothing", "\n# only a remark\n", "own.yaml is empty", ""},
		{"no text", "\xff\xfe\x00", "own.yaml is not UTF-8 text", ""},
		{"too much text", "#" + strings.Repeat("x", 1<<20), "own.yaml is larger than the limit of 1 MiB", ""},
	} {
		_, err := ParseProfile("own.yaml", []byte(c.yaml))
		e := modeltest.Refused(t, err)
		if c.want == "own.yaml:" && strings.HasPrefix(e.Message, c.want) {
			continue // the wording is the YAML parser's
		}
		if diff := cmp.Diff(c.want, e.Message); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: hint %q lacks %q", c.name, e.Hint, c.hint)
		}
	}
}

func TestCaretStandsUnderUnicodeAndTabs(t *testing.T) {
	_, err := ParseProfile("own.yaml", []byte("workloads:\n  - {direction: read, block_size: 4k, name: \"größe\", access: x}\n"))
	want := "own.yaml:2:62: unknown value of access \"x\"\n   2 |   - {direction: read, block_size: 4k, name: \"größe\", access: x}\n     |                                                              ^"
	if e := modeltest.Refused(t, err); e.Message != want {
		t.Errorf("got\n%s\nwant\n%s", e.Message, want)
	}
}

// workloads generates what ParseProfile accepts.
func workloads() *rapid.Generator[model.Workload] {
	return rapid.Custom(func(t *rapid.T) model.Workload {
		w := model.Workload{
			Access:        rapid.SampledFrom([]model.Access{model.Random, model.Sequential}).Draw(t, "access"),
			Direction:     rapid.SampledFrom([]model.Direction{model.Read, model.Write, model.Mixed}).Draw(t, "direction"),
			BlockSize:     512 * rapid.Int64Range(1, 1<<21).Draw(t, "blocks"),
			Depth:         rapid.IntRange(1, maxDepth).Draw(t, "depth"),
			Jobs:          rapid.IntRange(0, 64).Draw(t, "jobs"),
			Threads:       rapid.Bool().Draw(t, "threads"),
			RateIOPS:      float64(rapid.Int64Range(0, 1e9).Draw(t, "rate")),
			RateBandwidth: float64(rapid.Int64Range(0, 1<<40).Draw(t, "rate_bandwidth")),
			Metric:        model.Metric(rapid.SampledFrom(metrics).Draw(t, "metric")),

			OffsetIncrement: 512 * rapid.Int64Range(0, 1<<30).Draw(t, "increment"),
		}
		if w.Direction == model.Mixed {
			w.ReadPercent = rapid.IntRange(1, 99).Draw(t, "reads")
		}
		if w.Writes() {
			w.Sync = rapid.SampledFrom([]string{"", "fsync", "fdatasync"}).Draw(t, "sync")
		}
		return w
	})
}

func profiles() *rapid.Generator[Profile] {
	return rapid.Custom(func(t *rapid.T) Profile {
		seconds := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1, 1e5), rapid.SampledFrom([]float64{1, 60, 90, 300, 1.5}))
		p := Profile{
			Name: rapid.String().Draw(t, "name"), Title: rapid.String().Draw(t, "title"),
			Repeat: seconds.Draw(t, "repeat"), Ramp: seconds.Draw(t, "ramp"), MaxTime: seconds.Draw(t, "max time"),
		}
		if p.Name == "" {
			p.Name = "own"
		}
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z0-9][a-z0-9._-]{0,20}`), 1, 5, rapid.ID[string]).Draw(t, "names")
		for _, name := range names {
			w := workloads().Draw(t, name)
			w.Name = name
			p.Workloads = append(p.Workloads, w)
		}
		return p
	})
}

func TestProfilesComeBackExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := profiles().Draw(t, "profile")
		data, err := MarshalProfile(p)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseProfile("own.yaml", data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if diff := cmp.Diff(p, back); diff != "" {
			t.Fatalf("%s\n%s", diff, data)
		}
	})
}

func TestAJobCannotBeWrittenAsYAML(t *testing.T) {
	_, err := MarshalProfile(Profile{Workloads: []model.Workload{{Name: "own", Job: "rw=randread"}}})
	if e := modeltest.Refused(t, err); !strings.Contains(e.Message, "workload own is a job of fio's own") {
		t.Error(e.Message)
	}
}

// Any file contents are either read or refused with a message; there is never a panic.
func TestRubbishIsRefusedInWords(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"workloads:", "\n", "  ", "- ", "name: a", "{", "}", "[", "]", ":", "&x", "*x", "!!int", "|", ">", "\"", "'", "#", "%", "---", "<<:", "?", ",", "\t", "0x1", "ü", "[job]", "bs=4k", "=", "rw=randread", ";"})
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(pieces, 0, 30).Draw(t, "pieces"), ""))
		_, errProfile := ParseProfile("f", text)
		_, errExperiment := ParseExperiment("f", text)
		_, errJob := ParseJob("f", text)
		for _, err := range []error{errProfile, errExperiment, errJob} {
			var e *model.WorkerError
			if err != nil && (!errors.As(err, &e) || e.Class != model.Refused || !strings.HasPrefix(e.Message, "f")) {
				t.Fatalf("%#v", err)
			}
		}
	})
}
