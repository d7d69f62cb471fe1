package fio

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

func TestTheCeilingsJobTouchesNothing(t *testing.T) {
	v := model.Volume{Target: model.Target{Kind: model.NBD, URI: "nbd://x"}, Path: "/dev/sdX", Size: 1 << 30, Engine: "io_uring", Direct: true}
	for name, w := range map[string]model.Workload{
		"pattern": {Name: "w", Access: model.Random, Direction: model.Write, BlockSize: 4096, Depth: 64, RateIOPS: 100},
		"own":     {Name: "w", Direction: model.Write, Job: "rw=randwrite\nbs=4k\nioengine=libaio\nrate_iops=100\niodepth=64\n"},
	} {
		text := ceilingText(w, v, time.Second)
		for _, want := range []string{"ioengine=null", "rw=randwrite", "iodepth=64", "runtime=1150ms"} {
			if !strings.Contains(text, want+"\n") {
				t.Errorf("%s lacks %s:\n%s", name, want, text)
			}
		}
		for _, bad := range []string{"sdX", "nbd", "libaio", "io_uring", "rate"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q in it:\n%s", name, bad, text)
			}
		}
	}
}

func TestCeilingIsFastAndFollowsTheJob(t *testing.T) {
	d := realDriver(t)
	w := model.Workload{Name: "w", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 16}
	free, _, err := d.Ceiling(t.Context(), w, model.Volume{Size: 1 << 30}, 300*time.Millisecond)
	if err != nil || free < 20000 {
		t.Errorf("%g I/Os per second without storage, %v", free, err)
	}
	// No thinktime_spin: if the spinning overshoots thinktime, fio 3.33 sleeps forever.
	w.Job = "rw=randread\nbs=4k\nthinktime=2000\n"
	slow, _, err := d.Ceiling(t.Context(), w, model.Volume{Size: 1 << 30}, 300*time.Millisecond)
	if err != nil || slow < 50 || slow > 600 {
		t.Errorf("%g I/Os per second with 2 ms of work for each, %v", slow, err)
	}
}

func TestCeilingSaysWhatFailed(t *testing.T) {
	d := fakeDriver(t, "echo 'engine null not loadable' >&2; exit 1")
	_, _, err := d.Ceiling(t.Context(), model.Workload{Name: "w", BlockSize: 4096}, model.Volume{Size: 1 << 20}, time.Millisecond)
	var we *model.WorkerError
	if !errors.As(err, &we) || !strings.Contains(we.Message, "engine null not loadable") {
		t.Errorf("%v", err)
	}
}
