package truth

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// planted is a fault on a real device, and the rule that has to find it.
type planted struct {
	rule, name string
	severity   model.Severity
	// says is part of the message, for a rule that finds more than one fault of a severity.
	says string
	// class is what else may be measured meanwhile.
	class class
	// seconds is about how long it takes; 0 means 25.
	seconds int
	// slots is how many slots of its class it takes; 0 means 1.
	slots int
	// job is a sed script that changes fio's job, so that the load is not the requested one.
	job string
	// plant makes the device with its fault, and returns it with the arguments that expose the fault.
	plant func(t testing.TB) (target string, args []string)
}

// faults has at least one fault for each rule.
var faults = []planted{
	{rule: "errors", name: "one read in a hundred fails", severity: model.SeverityInvalid, class: bestEffort, plant: func(t testing.TB) (string, []string) {
		// Only once it is measured: where the probe's first read fails, the run is refused, and there is no result to flag.
		device, results := lab.Errors(t, lab.Fault{Error: "EIO", On: "read", Rate: 0.01, Switched: true}), t.TempDir()
		meanwhile(t, results, 1, func(func(time.Duration) bool) { device.On(t) })
		return device.Target(), reads("--max-time", "6s", "--results", results)
	}},
	{rule: "memory", name: "tmpfs", severity: model.SeverityInvalid, class: bestEffort, plant: func(t testing.TB) (string, []string) {
		return lab.Tmpfs(t, 256<<20), reads("--max-time", "6s")
	}},
	{rule: "memory", name: "a loop device whose tmpfs is under another mount", severity: model.SeverityInvalid, class: bestEffort, plant: func(t testing.TB) (string, []string) {
		dir, other := lab.Tmpfs(t, 128<<20), t.TempDir()
		device := lab.Loop(t, lab.Filled(t, dir, 64<<20))
		lab.Filled(t, other, 64<<20) // a file of the same name, on a disk
		if out, err := exec.Command("mount", "--bind", other, dir).CombinedOutput(); err != nil {
			lab.Unavailable(t, "mount --bind: %s", out)
		}
		t.Cleanup(func() {
			if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
				t.Errorf("umount: %s", out)
			}
		})
		return device, reads("--max-time", "6s")
	}},
	{rule: "sparse", name: "a file of holes", severity: model.SeverityInvalid, class: bestEffort, plant: func(t testing.TB) (string, []string) {
		return lab.Sparse(t, t.TempDir(), 64<<20), reads("--max-time", "6s")
	}},
	{rule: "sparse", name: "a device without data", severity: model.SeverityWarning, class: bestEffort, plant: func(t testing.TB) (string, []string) {
		return newThin(t).device, reads("--max-time", "6s")
	}},
	{rule: "buffered", name: "a filesystem without direct I/O", severity: model.SeverityWarning, class: bestEffort, plant: func(t testing.TB) (string, []string) {
		return lab.Filled(t, lab.Mounted(t, "-t", "ramfs", "ramfs"), 64<<20), reads("--max-time", "6s")
	}},
	{rule: "buffered", name: "direct I/O that is accepted and goes through the page cache", severity: model.SeverityWarning, class: bestEffort, plant: func(t testing.TB) (string, []string) {
		dir := journaling(t, lab.Block(t, lab.Throttled(t, lab.Throttle{IOPS: 1000, BytesPerSecond: 50 << 20, Size: 128 << 20})))
		return dir, reads("--size", "32M", "--max-time", "6s")
	}},
	{rule: "buffered", name: "a loop device that uses its file through the page cache", severity: model.SeverityWarning, class: bestEffort, plant: func(t testing.TB) (string, []string) {
		slow := lab.Block(t, lab.Throttled(t, lab.Throttle{IOPS: 1000, BytesPerSecond: 50 << 20, Size: 160 << 20}))
		return lab.Loop(t, lab.Filled(t, lab.Filesystem(t, slow, "ext4"), 64<<20), "--direct-io=off"), reads("--max-time", "6s")
	}},
	{rule: "depth", name: "an eighth of the load", severity: model.SeverityInvalid, job: "s/iodepth=64/iodepth=8/", plant: func(t testing.TB) (string, []string) {
		return throttled(t), reads("--max-time", "6s")
	}},
	{rule: "clock", name: "no I/O, by a clock of microseconds", severity: model.SeverityInvalid, class: bestEffort, job: "s/ioengine=.*/ioengine=null\\nclocksource=gettimeofday/", plant: func(t testing.TB) (string, []string) {
		return lab.Filled(t, t.TempDir(), 64<<20), []string{"--profile", "kbench", "--only", "rand-read-lat", "--max-time", "6s"}
	}},
	{rule: "client", name: "a checksum for each block", severity: model.SeverityInvalid, class: exclusive, plant: func(t testing.TB) (string, []string) {
		own := ownFile(t, "own.fio", "[checked]\nrw=write\nbs=256k\niodepth=8\nverify=sha512\ndo_verify=0\n")
		target := lab.Plain(t).Target()
		return target, []string{"--job", own, "--size", "64M", "--max-time", "6s", "--destroy-data-on", target}
	}},
	{rule: "cpu", name: "all cores are busy", severity: model.SeverityInvalid, class: exclusive, plant: func(t testing.TB) (string, []string) {
		device := lab.Delayed(t, time.Millisecond, time.Millisecond)
		occupy(t)
		return device.Target(), []string{"--profile", "kbench", "--only", "rand-read-lat", "--size", "64M", "--max-time", "6s"}
	}},
	{rule: "cpu", name: "all cores are busy beside a rate", severity: model.SeverityWarning, class: exclusive, plant: func(t testing.TB) (string, []string) {
		device := throttled(t)
		occupy(t)
		return device, reads("--max-time", "12s")
	}},
	{rule: "merge", name: "neighbours, handed over together", severity: model.SeverityNote, class: bestEffort, plant: func(t testing.TB) (string, []string) {
		own := ownFile(t, "own.fio", "[neighbours]\nrw=read\nbs=4k\niodepth=64\niodepth_batch_submit=16\niodepth_batch_complete_min=16\n")
		return lab.LoopOnMemory(t, 64<<20), []string{"--job", own, "--max-time", "6s"}
	}},

	{rule: "drift", name: "1 % slower every second", severity: model.SeverityWarning, seconds: 45, plant: changing(500, 42, func(second int) float64 {
		return 500 * (1 - 0.01*float64(second))
	})},
	// Its cache answers as fast as processors permit: of eight at once, some have none left for that.
	{rule: "cache", name: "of 64 MiB before a disk of 256", severity: model.SeverityWarning, seconds: 50, slots: 4, plant: func(t testing.TB) (string, []string) {
		return lab.Cached(t, 64<<20).Target(), []string{"--profile", "kbench", "--only", "rand-read-iops", "--size", "256M", "--max-time", "6s", "--check-cache"}
	}},
	{rule: "stall", name: "13 s in rounds", severity: model.SeverityWarning, seconds: 40, plant: freezing(3, 13*time.Second, nil, reads("--max-time", "20s")...)},
	{rule: "stall", name: "15 s in a repeat of a minute", severity: model.SeverityWarning, seconds: 70,
		plant: freezing(20, 15*time.Second, nil, reads("--time", "60s")...)},
	{rule: "stall", name: "13 s of a block device in rounds", severity: model.SeverityWarning, seconds: 40,
		plant: freezing(3, 13*time.Second, func(t testing.TB, d lab.Device) string { return lab.Block(t, d) }, reads("--max-time", "20s")...)},
	{rule: "warm-up", name: "half the speed at first", severity: model.SeverityWarning, plant: changing(250, 28, after(7, 500))},
	{rule: "cliff", name: "a neighbour leaves", severity: model.SeverityWarning, plant: changing(250, 28, after(18, 500))},
	{rule: "modes", name: "two seconds each", severity: model.SeverityWarning, plant: changing(500, 26, func(second int) float64 {
		return []float64{500, 250}[second/2%2]
	})},
	{rule: "tail", name: "three slow seconds in 22", severity: model.SeverityNote, plant: changing(500, 22, func(second int) float64 {
		if second == 6 || second == 13 || second == 18 {
			return 100
		}
		return 500
	})},
	{rule: "burst", name: "credit for ten seconds, in rounds", severity: model.SeverityWarning, plant: func(t testing.TB) (string, []string) {
		device := lab.Throttled(t, lab.Throttle{IOPS: 300, BurstIOPS: 1500, BurstSeconds: 10, Size: 64 << 20})
		// The time is too short for a second look without a pause.
		return device.Target(), reads("--max-time", "24s")
	}},
	{rule: "sustained", name: "credit for six seconds of writes, which refills", severity: model.SeverityNote, seconds: 40, plant: func(t testing.TB) (string, []string) {
		device := lab.Throttled(t, burstingWrites).Target()
		return device, []string{"--profile", "kbench", "--only", "rand-write-iops,rand-read-iops", "--size", "320M", "--max-time", "70s", "--destroy-data-on", device}
	}},
	{rule: "burst", name: "credit for eight seconds, in one repeat", severity: model.SeverityWarning, plant: func(t testing.TB) (string, []string) {
		device := lab.Throttled(t, lab.Throttle{IOPS: 300, BurstIOPS: 1500, BurstSeconds: 8, Size: 64 << 20})
		return device.Target(), reads("--time", "28s", "--ramp-time", "1s")
	}},
	{rule: "faster-reads", name: "than the disk below", severity: model.SeverityInvalid, plant: onSlowDisk("direction: read, depth: 1", func(t testing.TB) lab.Device {
		// A throttle would serve a single reader sometimes at once and sometimes late.
		return lab.Delayed(t, time.Millisecond, time.Millisecond)
	})},
	{rule: "faster-writes", name: "than the disk below", severity: model.SeverityInvalid, plant: onSlowDisk("direction: write, depth: 16", fast)},
	{rule: "above-disks", name: "more than all disks, of which there is one", severity: model.SeverityWarning, plant: onSlowDisk("direction: read, depth: 16", fast)},
	{rule: "foreign", name: "somebody else writes", severity: model.SeverityWarning, plant: func(t testing.TB) (string, []string) {
		device := lab.Block(t, lab.Throttled(t, lab.Throttle{IOPS: 1000, Size: 64 << 20}))
		rival(t, lab.At(device, 64<<20), 0, time.Minute, "--rw=randwrite", "--iodepth=16")
		return device, reads("--max-time", "12s")
	}},
	{rule: "bytes", name: "somebody else writes, too", severity: model.SeverityWarning, plant: func(t testing.TB) (string, []string) {
		dir := lab.Filesystem(t, lab.Block(t, lab.Throttled(t, lab.Throttle{IOPS: 1000, Size: 256 << 20})), "ext4")
		rival(t, lab.At(lab.Filled(t, dir, 32<<20), 32<<20), 4*time.Second, time.Minute, "--rw=randwrite", "--iodepth=64")
		return dir, []string{"--profile", "kbench", "--only", "rand-write-iops", "--size", "32M", "--max-time", "20s"}
	}},
	{rule: "settled", name: "a write-back cache that drains", severity: model.SeverityNote, seconds: 110, slots: 4, plant: func(t testing.TB) (string, []string) {
		// How many writes a cache absorbs depends on the processors.
		device := lab.Backlogged(t, lab.Backlog{IOPS: 1000, Cache: 20000, Size: 128 << 20})
		own := ownFile(t, "own.yaml", readsBesideWrites["one of each"])
		return device.Target(), []string{"--profile", own, "--max-time", "30s", "--destroy-data-on", device.Target()}
	}},
	{rule: "replaced", name: "somebody else opens the device", severity: model.SeverityInvalid, plant: func(t testing.TB) (string, []string) {
		device := lab.Block(t, lab.Throttled(t, lab.Throttle{IOPS: 1000, Size: 64 << 20}))
		rival(t, lab.At(device, 64<<20), 12*time.Second, time.Minute, "--rw=randwrite", "--iodepth=64")
		return device, []string{"--profile", "kbench", "--only", "rand-write-iops", "--size", "16M", "--max-time", "80s", "--repeat", "16", "--destroy-data-on", device}
	}},
	{rule: "bytes", name: "a filesystem that journals data, too", severity: model.SeverityWarning, plant: func(t testing.TB) (string, []string) {
		dir := journaling(t, lab.Block(t, lab.Throttled(t, lab.Throttle{IOPS: 1000, BytesPerSecond: 50 << 20, Size: 128 << 20})))
		return dir, []string{"--profile", "kbench", "--only", "rand-write-iops", "--size", "32M", "--max-time", "12s"}
	}},
	{rule: "rate", name: "2,000 of a device of 1,000", severity: model.SeverityWarning, says: "saturated: ", plant: func(t testing.TB) (string, []string) {
		return throttled(t), ratedReads(t, 2000)
	}},
	{rule: "rate", name: "800 where 200 were asked for", severity: model.SeverityWarning, says: "too much load: ", job: "s/rate_iops=.*/rate_iops=800/", plant: func(t testing.TB) (string, []string) {
		return throttled(t), ratedReads(t, 200)
	}},
	// The whole interval has to be within 3 % of the limit.
	{rule: "cap", name: "a device at its limit", severity: model.SeverityNote, class: quiet, plant: func(t testing.TB) (string, []string) {
		return throttled(t), reads("--max-time", "20s", "--cap", "iops=1000,bandwidth=1GiB/s")
	}},
	{rule: "cap", name: "a device of twice its limit", severity: model.SeverityWarning, plant: func(t testing.TB) (string, []string) {
		return throttled(t), reads("--max-time", "6s", "--cap", "iops=500")
	}},
	{rule: "size", name: "64 MiB at 10 MiB/s", severity: model.SeverityWarning, plant: func(t testing.TB) (string, []string) {
		device := lab.Throttled(t, lab.Throttle{BytesPerSecond: 10 << 20, Size: 64 << 20})
		return device.Target(), []string{"--profile", "kbench", "--only", "seq-read-bw", "--size", "64M", "--max-time", "6s"}
	}},
	{rule: "precision", name: "more than an instrument can give", severity: model.SeverityWarning, plant: func(t testing.TB) (string, []string) {
		return throttled(t), reads("--max-time", "6s", "--precision", "0.05%")
	}},
	{rule: "interrupted", name: "after six seconds", severity: model.SeverityWarning, plant: func(t testing.TB) (string, []string) {
		return throttled(t), reads("--max-time", "20s")
	}},
}

// reads returns the arguments of a run of random reads with 64 in flight.
func reads(args ...string) []string {
	return append([]string{"--profile", "kbench", "--only", "rand-read-iops", "--size", "64M"}, args...)
}

// ratedReads returns the arguments of a run of random reads at a rate.
func ratedReads(t testing.TB, rate int) []string {
	own := ownFile(t, "own.yaml", fmt.Sprintf("name: own\nworkloads:\n  - {name: rated, access: rand, direction: read, block_size: 4k, depth: 16, rate_iops: %d, metric: iops}\n", rate))
	return []string{"--profile", own, "--size", "64M", "--max-time", "6s"}
}

// throttled returns a device of 1,000 IOPS without a name under /dev.
func throttled(t testing.TB) string {
	return lab.Throttled(t, lab.Throttle{IOPS: 1000, Size: 64 << 20}).Target()
}

// onSlowDisk plants a device that is claimed to be on a disk of 300 IOPS with a latency of
// 4 ms. The headline of the compared workload is a rate, so that a busy
// machine, which spoils latencies, does not keep the rule from firing.
func onSlowDisk(workload string, upper func(t testing.TB) lab.Device) func(t testing.TB) (string, []string) {
	return func(t testing.TB) (string, []string) {
		own := ownFile(t, "own.yaml", "name: own\nworkloads:\n  - {name: one, access: rand, "+workload+", block_size: 4k, metric: iops}\n")
		slow := lab.Throttled(t, lab.Throttle{IOPS: 300, Delay: 4 * time.Millisecond, Size: 64 << 20}).Target()
		above := upper(t).Target()
		return above, []string{"--baseline", slow, "--replicas", "1", "--profile", own, "--size", "32M",
			"--max-time", "24s", "--fail-on", "invalid", "--destroy-data-on", slow, "--destroy-data-on", above}
	}
}

// fast returns a device of 1,500 IOPS.
func fast(t testing.TB) lab.Device {
	return lab.Throttled(t, lab.Throttle{IOPS: 1500, Size: 64 << 20})
}

// journaling makes an ext4 on the device that writes data to its journal first, and therefore
// twice, and mounts it.
func journaling(t testing.TB, device string) string {
	lab.Need(t, "tune2fs")
	dir := lab.Filesystem(t, device, "ext4")
	for _, command := range [][]string{{"umount", dir}, {"tune2fs", "-o", "journal_data", device}, {"mount", device, dir}} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", command, out)
		}
	}
	return dir
}

// ownFile writes a profile or a job.
func ownFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
