package fio

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loadline/loadline/internal/model"
	"pgregory.net/rapid"
)

var fileVolume = model.Volume{Target: model.Target{Kind: model.Directory}, Path: "/data/loadline", Size: 64 << 20, Engine: "io_uring", Direct: true}

func TestJobText(t *testing.T) {
	tail := "time_based=1\nramp_time=500ms\nruntime=3150ms\ngroup_reporting=1\nlat_percentiles=1\nclat_percentiles=0\nslat_percentiles=0\n"
	step := model.Step{Number: 7, Ramp: 0.5, Seconds: 3}
	nbd := fileVolume
	nbd.Path, nbd.Target = "", model.Target{Kind: model.NBD, URI: "nbd+unix:///vol?socket=/tmp/a b;c$d"}
	rbd := fileVolume
	rbd.Path, rbd.Target = "", model.Target{Kind: model.RBD, URI: "pool/image"}
	user := rbd
	user.Target.User = "bench"
	huge := fileVolume
	huge.Size = 4 << 40
	odd := fileVolume
	odd.Path, odd.Direct, odd.Engine = "/data/a;b", false, "psync"
	colon := fileVolume
	colon.Path = "/dev/disk/by-path/pci-0000:00:1f.2 x"
	plain := "ioengine=io_uring\nfilename=/data/loadline\nallow_file_create=0\nfallocate=none\ndirect=1\n"

	for name, c := range map[string]struct {
		w    model.Workload
		v    model.Volume
		s    model.Step
		want string
	}{
		"random read": {
			model.Workload{Name: "rand-read-iops", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 64}, fileVolume, step,
			"[rand-read-iops]\n" + plain +
				"rw=randread\nbs=4096\niodepth=64\nnumjobs=1\nsize=67108864\nsoftrandommap=1\nrandrepeat=0\nverify=0\n" + tail,
		},
		"random read of a huge volume": {
			model.Workload{Name: "rand-read-iops", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 64}, huge, step,
			"[rand-read-iops]\n" + plain +
				"rw=randread\nbs=4096\niodepth=64\nnumjobs=1\nsize=4398046511104\n" +
				"# each block is drawn anew: a map of those measured would take 130 MiB of memory\nnorandommap=1\nrandrepeat=0\nverify=0\n" + tail,
		},
		"a log": {
			model.Workload{Name: "wal", Access: model.Sequential, Direction: model.Write, BlockSize: 2300, Depth: 1, Sync: "fdatasync", Append: true}, fileVolume, step,
			"[wal]\n" + strings.Replace(plain, "direct=1\n", "direct=0\n# before each repeat its space is reserved anew (fallocate), so that nothing was written there\n", 1) +
				"rw=write\nbs=2300\niodepth=1\nnumjobs=1\nsize=67107100\nfdatasync=1\nrandrepeat=0\nverify=0\n" + tail,
		},
		"sequential write from the middle, no ramp": {
			model.Workload{Name: "seq-write-bw", Access: model.Sequential, Direction: model.Write, BlockSize: 128 << 10, Depth: 64}, fileVolume, model.Step{Number: 1, Seconds: 20, Offset: 0.26},
			"[seq-write-bw]\n" + plain +
				"rw=write\nbs=131072\niodepth=64\nnumjobs=1\noffset=16777216\nsize=50331648\nrandrepeat=0\nverify=0\n" +
				"time_based=1\nruntime=20150ms\ngroup_reporting=1\nlat_percentiles=1\nclat_percentiles=0\nslat_percentiles=0\n",
		},
		"jobs apart, as threads": {
			model.Workload{Name: "write_seq", Access: model.Sequential, Direction: model.Write, BlockSize: 1 << 20, Depth: 16, Jobs: 4, Threads: true, OffsetIncrement: 500 << 20}, fileVolume,
			model.Step{Number: 7, Ramp: 0.5, Seconds: 3, Offset: 0.3},
			"[write_seq]\n" + plain +
				"rw=write\nbs=1048576\niodepth=16\nnumjobs=4\nthread=1\nsize=16777216\noffset_increment=16777216\nrandrepeat=0\nverify=0\n" + tail,
		},
		"mixed with flushes and a rate, buffered, odd path": {
			model.Workload{Name: "[a]\nexec_prerun=rm", Access: model.Random, Direction: model.Mixed, ReadPercent: 70, BlockSize: 8192, Depth: 1, Jobs: 2, Sync: "fdatasync", RateIOPS: 500}, odd, step,
			"[-a--exec_prerun=rm]\nioengine=psync\n# volume is a symbolic link to \"/data/a;b\"\nfilename=volume\nallow_file_create=0\nfallocate=none\ndirect=0\n" +
				"rw=randrw\nrwmixread=70\nbs=8192\niodepth=1\nnumjobs=2\nsize=67108864\nsoftrandommap=1\nfdatasync=1\nrate_iops=250,107\nrefill_buffers=1\nclocksource=clock_gettime\nrandrepeat=0\nverify=0\n" + tail,
		},
		"nbd": {
			model.Workload{Name: "global", Access: model.Sequential, Direction: model.Read, BlockSize: 4096, Depth: 1}, nbd, step,
			"[job-global]\nioengine=nbd\nuri=nbd+unix:///vol?socket=/tmp/a%20b%3Bc%24d\ndirect=1\n" +
				"rw=read\nbs=4096\niodepth=1\nnumjobs=1\nsize=67108864\nrandrepeat=0\nverify=0\n" + tail,
		},
		"own job on a file keeps its engine": {
			model.Workload{Name: "mine", Direction: model.Read, Job: "ioengine=libaio\nrw=randread:8\nbsrange=4k-64k\nthread\n"}, colon, step,
			"[mine]\nrw=randread:8\nbsrange=4k-64k\nthread\nioengine=libaio\nfilename=/dev/disk/by-path/pci-0000\\:00\\:1f.2 x\nallow_file_create=0\nfallocate=none\nsize=67108864\ndirect=1\nrandrepeat=0\n" + tail,
		},
		"a Ceph image as a user": {
			model.Workload{Name: "mine", Direction: model.Read, Job: "rw=randread\nclientname=other\n"}, user, step,
			"[mine]\nrw=randread\nclientname=other\nioengine=rbd\nclientname=bench\npool=pool\nrbdname=image\nsize=67108864\ndirect=1\nrandrepeat=0\n" + tail,
		},
		"a log on an NBD export": {
			model.Workload{Name: "wal", Access: model.Sequential, Direction: model.Write, BlockSize: 8192, Depth: 1, Sync: "fdatasync"}, nbd, step,
			"[wal]\nioengine=nbd\nuri=nbd+unix:///vol?socket=/tmp/a%20b%3Bc%24d\ndirect=1\nrw=write\nbs=8192\niodepth=1\nnumjobs=1\nsize=67108864\n" +
				"# fdatasync is a flush here, which this engine calls fsync\nfsync=1\nrandrepeat=0\nverify=0\n" + tail,
		},
		"own job with a flush on a Ceph image": {
			model.Workload{Name: "mine", Direction: model.Write, Job: "rw=write\nfdatasync=16\n"}, rbd, step,
			"[mine]\nrw=write\n# fdatasync is a flush here, which this engine calls fsync\nfsync=16\nioengine=rbd\nclientname=admin\npool=pool\nrbdname=image\nsize=67108864\ndirect=1\nrandrepeat=0\n" + tail,
		},
		"own job on a Ceph image does not": {
			model.Workload{Name: "mine", Direction: model.Read, Job: "ioengine=libaio\nrw=randread\n"}, rbd, step,
			"[mine]\nrw=randread\nioengine=rbd\nclientname=admin\npool=pool\nrbdname=image\nsize=67108864\ndirect=1\nrandrepeat=0\n" + tail,
		},
	} {
		comment, got, _ := strings.Cut(JobText(c.w, c.v, c.s), "\n")
		if want := fmt.Sprintf("# Loadline, step %d: %s", c.s.Number, c.w.Describe()); comment != want {
			t.Errorf("%s: %q, want %q", name, comment, want)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// No job may ever go beyond the volume: fio would unlink the file and lay out a longer one.
func TestExtentStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bs := int64(512) << rapid.IntRange(0, 13).Draw(t, "bs")
		w := model.Workload{
			Access: rapid.SampledFrom([]model.Access{model.Random, model.Sequential}).Draw(t, "access"), BlockSize: bs,
			Jobs:            rapid.IntRange(0, 16).Draw(t, "jobs"),
			OffsetIncrement: rapid.SampledFrom([]int64{0, 0, 4096, 1 << 20, 500 << 20, 1 << 40}).Draw(t, "increment"),
		}
		volume := rapid.Int64Range(bs*16, 1<<42).Draw(t, "volume")
		offset, size, increment := extent(w, volume, rapid.Float64Range(0, 0.5).Draw(t, "fraction"))
		if size < bs || size%bs != 0 || offset%bs != 0 || increment%bs != 0 && w.OffsetIncrement%bs == 0 {
			t.Fatalf("offset %d, size %d, increment %d are not blocks of %d", offset, size, increment, bs)
		}
		if end := offset + size + increment*int64(w.JobCount()-1); end > volume {
			t.Fatalf("offset %d, size %d, increment %d end at %d, beyond %d", offset, size, increment, end, volume)
		}
		if offset > volume/2 {
			t.Fatalf("offset %d of %d", offset, volume)
		}
	})
}

func TestStretchesCoverTheVolume(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(0, 1<<34).Draw(t, "size")
		var at int64
		for _, s := range segments(size) {
			if s.offset != at || s.size <= 0 || s.size%s.block != 0 || s.offset%s.block != 0 {
				t.Fatalf("%+v after %d", s, at)
			}
			at += s.size
		}
		if size-at >= 512 || at > size {
			t.Fatalf("%d of %d bytes are covered", at, size)
		}
	})
}
