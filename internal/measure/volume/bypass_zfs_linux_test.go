package volume

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// What ZFS's own cache answers shows in its counters only. The files that take their place change when
// the probe reads the clock, which it does before and after it reads. The numbers are those that ZFS 2.1.5 showed
// for reads of 1 MiB in records of 128 KiB.
func TestProbeOfZFS(t *testing.T) {
	file := lab.Filled(t, t.TempDir(), 1<<20)
	direct, err := os.OpenFile(file, os.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		lab.Unavailable(t, "no direct I/O here: %v", err)
	}
	defer direct.Close()
	const reads = 8 * zfsReads
	const answered = "the cache of ZFS (ARC) answered reads that asked for direct I/O"
	const neither = "the counters of ZFS's cache (ARC) show neither that it answered what the probe read nor that it did not"
	const part = "ZFS reads whole records past its cache, and nothing shows that it does so with a part of one: a recordsize or volblocksize like the blocks of the load avoids that"
	for name, c := range map[string]struct {
		// before are the counts of the first tries, whole those of the two after them, and parts those of all others, which read a part of a record.
		before       []arcReads
		whole, parts arcReads
		bypassed     *bool
		detail       string
		missing      bool
	}{
		"cached":                           {whole: arcReads{hits: reads}, bypassed: new(false), detail: answered},
		"cached, in records of 8 KiB":      {whole: arcReads{hits: 16 * reads}, bypassed: new(false), detail: answered},
		"cached, in records of 1 MiB":      {whole: arcReads{hits: zfsReads}, bypassed: new(false), detail: answered},
		"cached by the first of them":      {whole: arcReads{hits: reads - 8, misses: 8}, bypassed: new(false), detail: answered},
		"primarycache=metadata":            {whole: arcReads{misses: reads}, parts: arcReads{misses: zfsParts}, bypassed: new(true)},
		"… in records of 1 MiB":            {whole: arcReads{misses: zfsReads}, parts: arcReads{misses: zfsParts}, bypassed: new(true)},
		"… and a part of one is kept":      {whole: arcReads{misses: reads}, parts: arcReads{misses: 1}, detail: part},
		"… and a part of one is cached":    {whole: arcReads{misses: reads}, parts: arcReads{hits: zfsParts}, detail: part},
		"direct":                           {whole: arcReads{direct: reads}, parts: arcReads{direct: zfsParts}, bypassed: new(true)},
		"still in memory, and then cached": {before: make([]arcReads, 3), whole: arcReads{hits: reads}, bypassed: new(false), detail: answered},
		"still in memory, and then not":    {before: make([]arcReads, 3), whole: arcReads{misses: reads}, parts: arcReads{misses: zfsParts}, bypassed: new(true)},
		"others read at first":             {before: []arcReads{{hits: 5 * reads}}, whole: arcReads{misses: reads}, parts: arcReads{misses: zfsParts}, bypassed: new(true)},
		"the counters restart":             {before: []arcReads{{misses: -900}}, whole: arcReads{hits: reads}, bypassed: new(false), detail: answered},
		"always in memory":                 {before: make([]arcReads, 99), detail: neither},
		"without counters":                 {missing: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			stats := filepath.Join(dir, "arcstats")
			if err := os.Mkdir(filepath.Join(dir, "tank"), 0o700); err != nil {
				t.Fatal(err)
			}
			var total arcReads
			count := func(a arcReads, metadata int) {
				total = arcReads{hits: total.hits + a.hits, misses: total.misses + a.misses, direct: total.direct + a.direct}
				for path, text := range map[string]string{
					// All hits are those of data and metadata.
					stats:                                 fmt.Sprintf("9 1 0x01 147 39984 4402 1\nname type data\nhits 4 %d\ndemand_data_hits 4 %d\ndemand_data_misses 4 %d\n", 2000+metadata, 1000+total.hits, 1000+total.misses),
					filepath.Join(dir, "tank", "iostats"): fmt.Sprintf("name type data\ndirect_read_count 4 %d\n", total.direct),
				} {
					if c.missing {
						continue
					}
					if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			count(arcReads{}, 0)
			looks := 0
			clock := env.Clock{Read: func() time.Time {
				looks++
				switch try := looks/2 - 1; {
				case looks%2 == 1:
				case try < len(c.before):
					count(c.before[try], looks*reads)
				case try < len(c.before)+2:
					count(c.whole, looks*reads)
				default:
					count(c.parts, looks*reads)
				}
				return time.Unix(0, 0)
			}}
			s := model.Storage{Filesystem: "zfs", DeviceChain: []string{"zfs"}}
			bypassProbe{clock: clock, arcstats: stats}.probe(&s, direct, bypassSize, true)
			if c.missing {
				c.detail = "the counters of ZFS's cache (" + stats + ") cannot be read here"
			}
			if diff := cmp.Diff(model.Storage{Filesystem: "zfs", DeviceChain: s.DeviceChain, Bypassed: c.bypassed, BypassDetail: c.detail}, s); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The direct reads of a pool that is imported meanwhile are those of its whole past.
func TestAPoolThatIsImportedShowsNothing(t *testing.T) {
	if _, ok := (arcReads{direct: 5000, pools: "tank other"}).since(arcReads{direct: 10, pools: "tank"}); ok {
		t.Error("the reads of another pool are counted")
	}
	if _, ok := (arcReads{misses: 10}).since(arcReads{misses: 900}); ok {
		t.Error("counters that restarted are compared")
	}
}

// A mirror of RAM and a file that no mount leads to is not known to be memory.
func TestMemoryInPart(t *testing.T) {
	ram := link{name: "ram0", memory: true, lowest: true}
	for name, c := range map[string]struct {
		chain []link
		all   bool
		part  string
	}{
		"memory":              {[]link{{name: "md0"}, ram}, true, ""},
		"and a disk":          {[]link{{name: "md0"}, ram, {name: "sda", lowest: true}}, false, "ram0"},
		"and an unknown file": {[]link{{name: "md0"}, ram, {name: "loop0"}, {untraced: true, unseen: "its file"}}, false, "ram0"},
		"a disk":              {[]link{{name: "sda", lowest: true}}, false, ""},
	} {
		if all, part := memoryOf(c.chain); all != c.all || part != c.part {
			t.Errorf("%s: %v, %q", name, all, part)
		}
	}
}

func TestDirectFixNamesWhatIsInTheWay(t *testing.T) {
	cached := model.Storage{Filesystem: "zfs", MountFrom: "tank/my data"}
	if fix := cached.DirectFix(); !strings.Contains(fix, "zfs set primarycache=metadata 'tank/my data'") {
		t.Error(fix)
	}
	loop := model.Storage{DeviceChain: []string{"loop0", "zfs"}, BypassDetail: "loop0 reads and writes its file through the page cache"}
	if fix := loop.DirectFix(); !strings.Contains(fix, "losetup") {
		t.Error(fix)
	}
}

// ZFS answers a hole without a disk and counts nothing, so the probe does not wait for counts. A volume of ZFS shows no holes, but
// zeros.
func TestProbeOfAHoleOnZFS(t *testing.T) {
	zeros := filepath.Join(t.TempDir(), "zeros")
	if err := os.WriteFile(zeros, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{lab.Sparse(t, t.TempDir(), 1<<20), zeros} {
		direct, err := os.OpenFile(file, os.O_RDWR|unix.O_DIRECT, 0)
		if err != nil {
			lab.Unavailable(t, "no direct I/O here: %v", err)
		}
		s := model.Storage{Filesystem: "zfs"}
		bypassProbe{clock: env.Clock{}, arcstats: "/nowhere"}.probe(&s, direct, bypassSize, false)
		if s.Bypassed != nil || !strings.Contains(s.BypassDetail, "there is a hole") {
			t.Errorf("%+v", s)
		}
		direct.Close()
	}
}

// What others read in the cache meanwhile hides the probe's own reads rather than turn them into theirs.
func TestReadsOfZFSBesideOthers(t *testing.T) {
	for name, c := range map[string]struct {
		all, others   arcReads
		share         float64
		cached, shown bool
	}{
		"alone, cached":           {arcReads{hits: 256}, arcReads{}, 0.02, true, true},
		"alone, direct":           {arcReads{misses: 256}, arcReads{}, 0.02, false, true},
		"one record":              {arcReads{misses: 32}, arcReads{}, 0.02, false, true},
		"one record, slowly":      {arcReads{misses: 32}, arcReads{}, 1, false, true},
		"nothing":                 {arcReads{}, arcReads{}, 1, false, false},
		"a few":                   {arcReads{hits: 50, misses: 256}, arcReads{hits: 50}, 1, false, true},
		"too many":                {arcReads{hits: 5256}, arcReads{hits: 5000}, 1, true, false},
		"fewer than there":        {arcReads{hits: 170, misses: 2}, arcReads{hits: 200}, 1, false, false},
		"some by chance, of none": {arcReads{hits: 24}, arcReads{}, 1, true, false},
	} {
		if cached, shown := c.all.fromCache(c.others, c.share, zfsReads); cached != c.cached || shown != c.shown {
			t.Errorf("%s: cached %v, shown %v", name, cached, shown)
		}
	}
}

// The volumes of ZFS are devices that count what its cache answers.
func TestVolumesOfZFS(t *testing.T) {
	for name, c := range map[string]struct {
		storage model.Storage
		on      bool
	}{
		"a dataset":           {model.Storage{Filesystem: "zfs"}, true},
		"a zvol":              {model.Storage{Device: "zd0", DeviceChain: []string{"zd0"}}, true},
		"ext4 on a part":      {model.Storage{Filesystem: "ext4", Device: "zd16", DeviceChain: []string{"zd16p1", "zd16"}}, true},
		"a file of a dataset": {model.Storage{Filesystem: "ext4", Device: "loop0", DeviceChain: []string{"loop0", "zfs"}}, true},
		"an ordinary disk":    {model.Storage{Filesystem: "ext4", Device: "sda", DeviceChain: []string{"sda1", "sda"}}, false},
		"something else, zd":  {model.Storage{DeviceChain: []string{"zd", "zdx"}}, false},
	} {
		if on := c.storage.OnZFS(); on != c.on {
			t.Errorf("%s: %v", name, on)
		}
	}
}

func TestKstat(t *testing.T) {
	const text = "9 1 0x01 147 39984 4402 1\nname                            type data\nhits                            4    200000\ndemand_data_hits                4    123456\n"
	if n, known := kstat(text, "demand_data_hits"); n != 123456 || !known {
		t.Errorf("%d, %v", n, known)
	}
	if _, known := kstat(text, "demand_data_misses"); known {
		t.Error("a number where there is none")
	}
}
