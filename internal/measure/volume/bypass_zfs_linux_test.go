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
// for 8 reads of 1 MiB in records of 128 KiB.
func TestProbeOfZFS(t *testing.T) {
	file := lab.Filled(t, t.TempDir(), 1<<20)
	direct, err := os.OpenFile(file, os.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		lab.Unavailable(t, "no direct I/O here: %v", err)
	}
	defer direct.Close()
	const reads = 64
	const answered = "the cache of ZFS (ARC) answered reads that asked for direct I/O"
	const neither = "the counters of ZFS's cache (ARC) show neither that it answered what the probe read nor that it did not"
	for name, c := range map[string]struct {
		// unseen is how many tries are counted as nothing before.
		unseen   int
		counted  arcReads
		bypassed *bool
		detail   string
		missing  bool
	}{
		"cached":                           {counted: arcReads{hits: reads}, bypassed: new(false), detail: answered},
		"cached, in records of 8 KiB":      {counted: arcReads{hits: 16 * reads}, bypassed: new(false), detail: answered},
		"cached, in records of 1 MiB":      {counted: arcReads{hits: reads / 8}, bypassed: new(false), detail: answered},
		"cached by the first of them":      {counted: arcReads{hits: reads - 8, misses: 8}, bypassed: new(false), detail: answered},
		"primarycache=metadata":            {counted: arcReads{misses: reads}, bypassed: new(true)},
		"… in records of 1 MiB":            {counted: arcReads{misses: reads / 8}, bypassed: new(true)},
		"direct":                           {counted: arcReads{direct: reads}, bypassed: new(true)},
		"still in memory, and then cached": {unseen: 3, counted: arcReads{hits: reads}, bypassed: new(false), detail: answered},
		"still in memory, and then not":    {unseen: 3, counted: arcReads{misses: reads}, bypassed: new(true)},
		"always in memory":                 {unseen: 99, detail: neither},
		"without counters":                 {missing: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			stats := filepath.Join(dir, "arcstats")
			if err := os.Mkdir(filepath.Join(dir, "tank"), 0o700); err != nil {
				t.Fatal(err)
			}
			count := func(a arcReads, metadata int) {
				for path, text := range map[string]string{
					// All hits are those of data and metadata.
					stats:                                 fmt.Sprintf("9 1 0x01 147 39984 4402 1\nname type data\nhits 4 %d\ndemand_data_hits 4 %d\ndemand_data_misses 4 %d\n", 2000+metadata, 1000+a.hits, a.misses),
					filepath.Join(dir, "tank", "iostats"): fmt.Sprintf("name type data\ndirect_read_count 4 %d\n", a.direct),
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
				switch {
				case looks%2 == 1:
				case looks/2 <= c.unseen:
					count(arcReads{}, looks*reads)
				default:
					count(c.counted, looks*reads)
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

// ZFS answers a hole without a disk and counts nothing, so the probe does not wait for counts.
func TestProbeOfAHoleOnZFS(t *testing.T) {
	direct, err := os.OpenFile(lab.Sparse(t, t.TempDir(), 1<<20), os.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		lab.Unavailable(t, "no direct I/O here: %v", err)
	}
	defer direct.Close()
	s := model.Storage{Filesystem: "zfs"}
	bypassProbe{clock: env.Clock{}, arcstats: "/nowhere"}.probe(&s, direct, bypassSize, false)
	if s.Bypassed != nil || !strings.Contains(s.BypassDetail, "there is a hole") {
		t.Errorf("%+v", s)
	}
}

// What others read in the cache meanwhile hides the probe's own reads rather than turn them into theirs.
func TestReadsOfZFSBesideOthers(t *testing.T) {
	for name, c := range map[string]struct {
		own, others   arcReads
		cached, shown bool
	}{
		"alone, cached":    {arcReads{hits: 64}, arcReads{}, true, true},
		"alone, direct":    {arcReads{misses: 64}, arcReads{}, false, true},
		"one record":       {arcReads{misses: 8}, arcReads{}, false, true},
		"nothing":          {arcReads{}, arcReads{}, false, false},
		"a few":            {arcReads{misses: 64}, arcReads{hits: 50}, false, true},
		"too many":         {arcReads{hits: 64}, arcReads{hits: 5000}, true, false},
		"fewer than there": {arcReads{hits: -30, misses: 2}, arcReads{hits: 200}, false, false},
	} {
		if cached, shown := c.own.fromCache(c.others); cached != c.cached || shown != c.shown {
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
		"a dataset":          {model.Storage{Filesystem: "zfs"}, true},
		"a zvol":             {model.Storage{Device: "zd0", DeviceChain: []string{"zd0"}}, true},
		"ext4 on a part":     {model.Storage{Filesystem: "ext4", Device: "zd16", DeviceChain: []string{"zd16p1", "zd16"}}, true},
		"an ordinary disk":   {model.Storage{Filesystem: "ext4", Device: "sda", DeviceChain: []string{"sda1", "sda"}}, false},
		"something else, zd": {model.Storage{DeviceChain: []string{"zd", "zdx"}}, false},
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
