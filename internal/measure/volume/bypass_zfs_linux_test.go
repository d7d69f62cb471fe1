package volume

import (
	"fmt"
	"os"
	"path/filepath"
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
// for 32 reads of 64 KiB.
func TestProbeOfZFS(t *testing.T) {
	file := image(t, t.TempDir(), 1<<20)
	direct, err := os.OpenFile(file, os.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		lab.Unavailable(t, "no direct I/O here: %v", err)
	}
	defer direct.Close()
	const reads = 2 * bypassSize / bypassBlock
	const answered = "the cache of ZFS (ARC) answered reads that asked for direct I/O"
	for name, c := range map[string]struct {
		// unseen is how many tries are counted as nothing before.
		unseen   int
		counted  arcReads
		bypassed *bool
		detail   string
		missing  bool
	}{
		"cached":                           {counted: arcReads{hits: reads}, bypassed: new(false), detail: answered},
		"cached, in records of 8 KiB":      {counted: arcReads{hits: 8 * reads}, bypassed: new(false), detail: answered},
		"cached by the first of them":      {counted: arcReads{hits: reads / 2, misses: reads / 2}, bypassed: new(false), detail: answered},
		"primarycache=metadata":            {counted: arcReads{misses: reads}, bypassed: new(true)},
		"direct":                           {counted: arcReads{direct: reads}, bypassed: new(true)},
		"still in memory, and then cached": {unseen: 3, counted: arcReads{hits: reads}, bypassed: new(false), detail: answered},
		"still in memory, and then not":    {unseen: 3, counted: arcReads{misses: reads}, bypassed: new(true)},
		"in memory for ever":               {unseen: 99, detail: "ZFS counted 32 reads neither as hits nor as misses of its cache (ARC)"},
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

func TestKstat(t *testing.T) {
	const text = "9 1 0x01 147 39984 4402 1\nname                            type data\nhits                            4    200000\ndemand_data_hits                4    123456\n"
	if n, known := kstat(text, "demand_data_hits"); n != 123456 || !known {
		t.Errorf("%d, %v", n, known)
	}
	if _, known := kstat(text, "demand_data_misses"); known {
		t.Error("a number where there is none")
	}
}
