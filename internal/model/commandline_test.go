package model_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestACommandIsChangedAndTypedAgain(t *testing.T) {
	typed := model.CommandLine{"loadline", "run", "/srv/my data", "--profile=quick", "--size=256MiB", "--create", "--quiet", "--goal=a p99 < 1ms", "--skip=seq-*", "--max-time=90s"}
	for _, c := range []struct {
		options []string
		want    string
	}{
		{nil, "loadline run '/srv/my data' --profile quick --size 256MiB --create --goal 'a p99 < 1ms' --skip 'seq-*' --max-time 90s"},
		{[]string{"--size", "19GiB"}, "loadline run '/srv/my data' --profile quick --create --goal 'a p99 < 1ms' --skip 'seq-*' --max-time 90s --size 19GiB"},
		{[]string{"--only=b,ab"}, "loadline run '/srv/my data' --profile quick --size 256MiB --create --max-time 90s --only b,ab"},
		{[]string{"--repeat", "9"}, "loadline run '/srv/my data' --profile quick --size 256MiB --create --goal 'a p99 < 1ms' --skip 'seq-*' --max-time 90s --repeat 9"},
		{[]string{"--only=a,b", "", "--max-time", "12m"}, "loadline run '/srv/my data' --profile quick --size 256MiB --create --goal 'a p99 < 1ms' --only a,b --max-time 12m"},
		{[]string{"--time", "120s"}, "loadline run '/srv/my data' --profile quick --size 256MiB --create --goal 'a p99 < 1ms' --skip 'seq-*' --time 120s"},
		{[]string{"--check-cache"}, "loadline run '/srv/my data' --profile quick --size 256MiB --create --goal 'a p99 < 1ms' --skip 'seq-*' --max-time 90s --check-cache"},
	} {
		if got := typed.With(c.options...).String(); got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.options, got, c.want)
		}
	}
	if got, want := typed.As("sweep", "--depth", "1,4").String(), "loadline sweep '/srv/my data' --size 256MiB --create --depth 1,4"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := (model.CommandLine{"loadline", "run", "sc:x", "--keep", "--spread=soft", "--only=a"}).As("sweep").String(); got != "loadline sweep sc:x --keep --spread soft" {
		t.Error(got)
	}
	if got := (model.CommandLine{"loadline", "run", "d", "--time=9s", "--ramp-time=1s"}).With("--repeat", "3").String(); got != "loadline run d --repeat 3" {
		t.Error(got)
	}
	if got := (model.CommandLine{"loadline", "app", "postgres", "d", "--load=simple", "--goal=simple-c2 tps > 9", "--clients=2"}).With("--clients", "1").String(); got != "loadline app postgres d --load simple --clients 1" {
		t.Error(got)
	}
	if len(typed) != 10 {
		t.Errorf("the command itself has changed: %q", typed)
	}
	if got := (model.CommandLine{"loadline", "run", "d", "--check=false", "--note=", "--seed=-1"}).String(); got != "loadline run d --check=false --note= --seed=-1" {
		t.Error(got)
	}
}

func TestTwoRunsAreOneComparison(t *testing.T) {
	a := model.CommandLine{"loadline", "run", "/dev/a", "--profile=quick", "--destroy-data-on=/dev/a", "--time=20s", "--seed=3"}
	b := model.CommandLine{"loadline", "run", "b", "--profile=quick", "--results=x"}
	if got, want := a.Against(b, "/dev/a", "b").String(), "loadline compare /dev/a b --profile quick --destroy-data-on /dev/a"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := a.Against(append(slices.Clone(b), "--output=b.html", "--format=html", "--json", "--config=mine.yaml"), "/dev/a", "b"); got == nil {
		t.Error("how a run is shown decides whether two can be compared")
	}
	if got := a.Against(append(b, "--size=1GiB"), "/dev/a", "b"); got != nil {
		t.Errorf("they were measured in two ways, and one command is advised: %s", got)
	}
	reads := model.CommandLine{"loadline", "run", "b", "--profile=quick", "--only=rand-read-iops,seq-read-bw", "--size=1GiB", "--destroy-data-on=/dev/b"}
	for want, other := range map[string]model.CommandLine{
		"loadline compare /dev/a b --profile quick --only rand-read-iops,seq-read-bw --destroy-data-on /dev/a --destroy-data-on /dev/b": a,
		"loadline compare /dev/a b --profile quick --only seq-read-bw --destroy-data-on /dev/b":                                         {"loadline", "run", "/dev/a", "--profile=quick", "--only=seq-read-bw,seq-write-bw"},
		"loadline compare /dev/a b --size 1GiB --destroy-data-on /dev/b":                                                                {"loadline", "run", "/dev/a", "--size=1GiB"},
	} {
		if got, alike := other.Common(reads, "/dev/a", "b"); got.String() != want || alike {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if got := a.Against(nil, "/dev/a", "b"); got != nil {
		t.Errorf("%s", got)
	}
	c := model.CommandLine{"loadline", "app", "postgres", "c", "--clients=1,16", "--goal=tpcb-c1 tps > 5", "--wal=/srv/log", "--results=x"}
	d := model.CommandLine{"loadline", "app", "postgres", "d", "--clients=1,16", "--hosts=h"}
	if got, want := c.Against(d, "c", "d").String(), "loadline compare app postgres c d --clients 1,16 --baseline-wal /srv/log --hosts h"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got, want := d.Against(c, "d", "c").String(), "loadline compare app postgres d c --clients 1,16 --hosts h --wal /srv/log"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, other := range []model.CommandLine{
		append(slices.Clone(d), "--baseline=c"), {"loadline", "compare", "app", "postgres", "c", "d", "--clients=1,16"},
		{"loadline", "app", "etcd", "d", "--clients=1,16"}, {"loadline", "run", "d"},
	} {
		if got := c.Against(other, "c", "d"); got != nil {
			t.Errorf("%s: %s", other, got)
		}
	}
}

func TestTheApplicationOfACommand(t *testing.T) {
	for typed, want := range map[string]string{
		"loadline app postgres /srv --clients=1": "postgres", "loadline compare app etcd a b": "etcd", "loadline compare app postgres app b --scale=1": "postgres",
		// These compare paths.
		"loadline compare app postgres": "", "loadline compare app other --profile=quick": "", "loadline compare a b": "",
		"loadline run app": "", "loadline": "", "loadline app": "",
	} {
		if got := model.CommandLine(strings.Fields(typed)).Application(); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
}

// A run with a baseline becomes a comparison with its flags, but those that only a run of one target has.
func TestARunWithABaselineBecomesAComparison(t *testing.T) {
	for want, c := range map[string]model.CommandLine{
		"loadline compare /b /a --only x --size 64MiB":  {"loadline", "run", "/a", "--baseline=/b", "--only=x", "--size=64MiB", "--goal=x iops > 1"},
		"loadline compare app postgres /b /a --scale 2": {"loadline", "app", "postgres", "/a", "--scale=2", "--baseline=/b"},
		"loadline compare /b /a":                        nil,
	} {
		if got := c.Comparing("/b", "/a").String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
