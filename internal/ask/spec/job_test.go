package spec

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

const ownJob = `; two jobs of a database
[global]
ioengine=libaio
direct=1
filename=/dev/nvme0n1   # never touched: TARGET says where
runtime=60
time_based
blocksize=8k

[Order Pages]
readwrite=randrw
rwmixread=80
iodepth=32
numjobs=4
rate_iops=100
stonewall

[log]
rw=write
fdatasync=1 ; as a commit does

[global]
bs=1m
[backup]
rw=read
iodepth=4
thread
`

func TestParseJob(t *testing.T) {
	got, err := ParseJob("own.fio", []byte(ownJob))
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Workload{
		{Name: "order-pages", Access: model.Random, Direction: model.Mixed, ReadPercent: 80, BlockSize: 8192, Depth: 32, Jobs: 4,
			RateIOPS: 400, Metric: model.IOPS,
			Job: "ioengine=libaio\ndirect=1\nbs=8k\nrw=randrw\nrwmixread=80\niodepth=32\nnumjobs=4\nrate_iops=100"},
		{Name: "log", Access: model.Sequential, Direction: model.Write, BlockSize: 8192, Depth: 1, Jobs: 1, Sync: "fdatasync", Metric: model.Latency,
			Job: "ioengine=libaio\ndirect=1\nbs=8k\nrw=write\nfdatasync=1"},
		{Name: "backup", Access: model.Sequential, Direction: model.Read, BlockSize: 1 << 20, Depth: 4, Jobs: 1, Threads: true, Metric: model.Bandwidth,
			Job: "ioengine=libaio\ndirect=1\nbs=1m\nrw=read\niodepth=4\nthread"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"filename", "runtime", "time_based", "stonewall"}, JobReplacements("own.fio", []byte(ownJob))); diff != "" {
		t.Errorf("replaced:\n%s", diff)
	}
	crlf, err := ParseJob("own.fio", []byte(strings.ReplaceAll(ownJob, "\n", "\r\n")))
	if diff := cmp.Diff(want, crlf); err != nil || diff != "" {
		t.Errorf("with the line ends of other systems: %v\n%s", err, diff)
	}
}

func TestJobsAreDescribed(t *testing.T) {
	for options, want := range map[string]string{
		"":                                               "seq read 4k qd1 latency",
		"rw=randread":                                    "rand read 4k qd1 latency",
		"rw=randread\niodepth=16":                        "rand read 4k qd16 iops",
		"rw=randwrite\nbs=64k\niodepth=2":                "rand write 64k qd2 bandwidth",
		"rw=readwrite\niodepth=2":                        "seq r/w 50/50 4k qd2 iops",
		"rw=rw\nrwmixwrite=30\niodepth=2":                "seq r/w 70/30 4k qd2 iops",
		"rw=write\nbs=4k,16k\niodepth=2":                 "seq write 16k qd2 iops",
		"rw=read\nbs=4k,16k\niodepth=2":                  "seq read 4k qd2 iops",
		"rw=read\nbs=4kib\niodepth=2":                    "seq read 4000 qd2 iops",
		"rw=read\nbs=0x2000\niodepth=2":                  "seq read 8k qd2 iops",
		"rw=read\nbsrange=4k-12k":                        "seq read 8k qd1 latency",
		"rw=read\nbssplit=4k/75:8k/25":                   "seq read 5k qd1 latency",
		"rw=read\nbssplit=4k/:12k/":                      "seq read 8k qd1 latency",
		"rw=write\nbssplit=4k/50:8k/50,64k":              "seq write 64k qd1 latency",
		"rw=write\nfsync=1\niodepth=2":                   "seq write 4k qd2 +fsync iops",
		"rw=write\nfsync=32\niodepth=2":                  "seq write 4k qd2 iops",
		"rw=read\nfsync=1\niodepth=2":                    "seq read 4k qd2 iops",
		"rw=read\nioengine=psync\niodepth=64\nnumjobs=8": "seq read 4k qd1×8 latency",
		"rw=read\niodepth=2\niodepth=8":                  "seq read 4k qd8 iops",
	} {
		list, err := ParseJob("own.fio", []byte("[j]\n"+options+"\n"))
		if err != nil {
			t.Errorf("%q: %v", options, err)
			continue
		}
		w := list[0]
		w.Job = ""
		if got := w.Describe() + " " + string(w.Metric); got != want {
			t.Errorf("%q is described as %q, want %q", options, got, want)
		}
	}
}

func TestJobErrorsNameTheirLine(t *testing.T) {
	for _, c := range []struct{ job, want, hint string }{
		{"rw=read\n", "own.fio:1: this option is outside of any section\n   1 | rw=read", "[global]"},
		{"[a\nrw=read\n", "own.fio:1: this section's name has no closing bracket\n   1 | [a", ""},
		{"[global]\nrw=read\n", "own.fio has no job: a section with a name other than [global]", "[random-read]"},
		{"", "own.fio has no job: a section with a name other than [global]", ""},
		{"[a]\nrw=randraed\n", "own.fio:2: unknown pattern \"randraed\"; did you mean \"randread\"?\n   2 | rw=randraed", "known: read"},
		{"[a]\nrw=randtrim\n", "own.fio:2: Loadline measures reads and writes, not trims\n   2 | rw=randtrim", ""},
		{"[a]\nbs=4q\n", "own.fio:2: bs=4q: \"4q\" is not a figure\n   2 | bs=4q", ""},
		{"[a]\nbs=0\n", "own.fio:2: bs=0: \"0\" is not a figure\n   2 | bs=0", ""},
		{"[a]\niodepth=0\n", "own.fio:2: iodepth=0: this must be a whole number of at least 1\n   2 | iodepth=0", ""},
		{"[a]\nbs=${BS}\n", "own.fio:2: bs=${BS}: write the value itself, because the results are described by it\n   2 | bs=${BS}", ""},
		{"[a]\nrw=randrw\nrwmixread=100\n", "own.fio:3: a mix has 1 to 99 % reads; use rw=randread or rw=randwrite for one direction\n   3 | rwmixread=100", ""},
		{"[a]\nbsrange=8k-4k\n", "own.fio:2: bsrange=8k-4k: a range of block sizes is written like 4k-64k\n   2 | bsrange=8k-4k", ""},
		{"[a]\nbssplit=4k/x\n", "own.fio:2: bssplit=4k/x: shares of block sizes are written like 4k/60:64k/40\n   2 | bssplit=4k/x", ""},
		{"[a]\ninclude other.fio\n", "own.fio:2: this is not an option: Loadline reads one file, of lines such as rw=randread\n   2 | include other.fio", ""},
		{"[a]\n=4k\n", "own.fio:2: this is not an option: Loadline reads one file, of lines such as rw=randread\n   2 | =4k", ""},
		{"[a b]\n[A-B]\n", "own.fio:2: the job in line 1 is named \"a-b\" too\n   2 | [A-B]", "rename"},
		{"[---]\n", "own.fio:1: this job has no name to list its results by\n   1 | [---]", ""},
		{"[a]\nioengine=mmap\n", "own.fio:2: ioengine=mmap: this engine does its I/O through the page cache, so that would measure memory\n   2 | ioengine=mmap", "remove this line"},
		{"[a]\nioengine=null\n", "own.fio:2: ioengine=null: this engine does not do its I/O on the target; libaio, io_uring, posixaio, sync, psync, vsync, pvsync, pvsync2 do\n   2 | ioengine=null", "remove this line"},
		{"[a]\n direct = 0\n", "own.fio:2: direct=0: that would measure memory; Loadline uses direct I/O wherever the target has it\n   2 |  direct = 0", ""},
		{"[a]\nbuffered\n", "own.fio:2: buffered: that would measure memory; Loadline uses direct I/O wherever the target has it\n   2 | buffered", ""},
		{"[a]\nexec_prerun=rm x\n", "own.fio:2: exec_prerun=rm x: Loadline starts no commands but its own; run this one before or after\n   2 | exec_prerun=rm x", ""},
		{"[global]\nzero_buffers\n[a]\n", "own.fio:2: zero_buffers: zeros compress to nothing, so many systems never store them\n   2 | zero_buffers", ""},
	} {
		_, err := ParseJob("own.fio", []byte(c.job))
		e := modeltest.Refused(t, err)
		if e.Message != c.want || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%q:\n%s\n(%s)\nwant\n%s", c.job, e.Message, e.Hint, c.want)
		}
		if JobReplacements("own.fio", []byte("[a]\nsize=1\ndirect=0\n")) != nil {
			t.Error("a refused file has replacements")
		}
	}
}

func TestSanitizedNamesAreWorkloadNames(t *testing.T) {
	for name, want := range map[string]string{"Rand Read (4k)": "rand-read-4k", "a__b.c-d": "a__b.c-d", "..x": "x", "ü": "", "größe": "gr-e"} {
		if got := sanitize(name); got != want {
			t.Errorf("sanitize(%q) = %q, want %q", name, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := sanitize(rapid.String().Draw(t, "name"))
		if s != "" && !namePattern.MatchString(s) {
			t.Fatalf("%q is no workload's name", s)
		}
		if again := sanitize(s); again != s {
			t.Fatalf("%q becomes %q", s, again)
		}
	})
}

// Checked against fio itself: what it reads from a file, section by section, must be what it reads from
// the job text that Loadline generates.
func TestFioReadsTheSame(t *testing.T) {
	fio, err := exec.LookPath("fio")
	if err != nil {
		t.Skip("skipped: fio is not installed")
	}
	for i, text := range []string{
		"[global]\nbs=8k ; x\niodepth=4#y\n  rw=randrw  \nrwmixread=70\ndirect=1\n[a]\nnumjobs=3\n[b]\nrw=randread\nbs=4k\n",
		"[a]\nreadwrite=write\nblocksize=64k\nfdatasync=1\nthread\n# end\n[b]\nrw=randread\nbssplit=4k/60:64k/40\nrandom_distribution=random\n",
	} {
		workloads, err := ParseJob("own.fio", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range workloads {
			whole := fioCommand(t, fio, text, w.Name)
			ours := fioCommand(t, fio, fmt.Sprintf("[%s]\n%s\n", w.Name, w.Job), w.Name)
			if diff := cmp.Diff(whole, ours); diff != "" {
				t.Errorf("file %d, job %s (-fio's reading of the file +of our text):\n%s", i, w.Name, diff)
			}
		}
	}
}

// fioCommand returns the options that fio reads from a job; the last one wins.
func fioCommand(t *testing.T, fio, text, section string) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "job.fio")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(fio, "--showcmd", "--section="+section, file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	options := map[string]string{}
	for _, word := range strings.Fields(string(out))[1:] {
		key, value, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		if alias, ok := jobAliases[key]; ok {
			key = alias
		}
		options[key] = value
	}
	return options
}

// A read-only job would report data as damaged that was not written by fio; fio does so regardless of
// do_verify. A job may write checksums, and verify=0 checks nothing.
func TestJobsThatOnlyReadCheckNothing(t *testing.T) {
	for _, options := range []string{"rw=randread\nverify=crc32c", "rw=read\nverify=crc32c\ndo_verify=0", "verify=md5", "rw=write\nverify_only", "rw=write\nverify_only=1\nverify=md5"} {
		_, err := ParseJob("own.fio", []byte("[a]\n"+options+"\n"))
		if err == nil || !strings.Contains(err.Error(), "this job only reads") || !strings.Contains(err.Error(), "verify") {
			t.Errorf("%q: %v", options, err)
		}
	}
	for _, options := range []string{"rw=write\nverify=sha512\ndo_verify=0", "rw=randread\nverify=0", "rw=randread\nverify_only=0", "rw=randrw\nverify=crc32c\ndo_verify=0"} {
		if _, err := ParseJob("own.fio", []byte("[a]\n"+options+"\n")); err != nil {
			t.Errorf("%q: %v", options, err)
		}
	}
}

// What a job reads to verify its own writes would be counted as the I/O of others, and the writes as all that it did.
func TestJobsThatWriteDoNotReadBack(t *testing.T) {
	for _, options := range []string{"rw=write\nverify=sha512", "rw=randwrite\nverify=md5\nverify_backlog=64", "rw=randrw\nverify=crc32c\ndo_verify=1", "rw=write\nverify=md5\ndo_verify"} {
		_, err := ParseJob("own.fio", []byte("[a]\n"+options+"\n"))
		if err == nil || !strings.Contains(err.Error(), "read back what it has written") {
			t.Errorf("%q: %v", options, err)
		}
	}
}

// What follows a pattern's colon makes most I/Os of a random job sequential, and lets a sequential job
// skip parts of the volume.
func TestPatternsAreTheOnesTheyAreCalled(t *testing.T) {
	for rw, says := range map[string]string{
		"read:sync": "behind the colon stands a number; write rw=read", "randread:": "behind the colon stands a number", "write:4q": "behind the colon stands a number",
		"randrw:8:8": "behind the colon stands a number", "randread:8": "would be sequential", "randrw:16": "would be sequential",
		"read:4k": "would skip parts of the volume", "write:-4k": "would skip parts of the volume", "randwrite:1": "", "write:0": "",
	} {
		_, err := ParseJob("own.fio", []byte("[a]\niodepth=1\nrw="+rw+"\n"))
		switch {
		case says == "" && err != nil:
			t.Errorf("%s: %v", rw, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), "own.fio:3") || !strings.Contains(err.Error(), says)):
			t.Errorf("%s: %v does not say %q", rw, err, says)
		}
	}
}

// A limit of the bandwidth is per job and direction in fio, and over all jobs in a workload.
func TestLimitedJobsHaveALimit(t *testing.T) {
	for options, want := range map[string]float64{
		"rw=read\nrate=1m": 1 << 20, "rw=write\nrate=1m,500k\nnumjobs=4": 4 * 500 << 10, "rw=read\nrate=,500k": 0, "rw=read": 0,
	} {
		list, err := ParseJob("own.fio", []byte("[a]\n"+options+"\n"))
		if err != nil || list[0].RateBandwidth != want {
			t.Errorf("%q: %v, %v", options, list, err)
		}
	}
}
