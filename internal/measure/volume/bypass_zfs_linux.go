package volume

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// zfsTries is how often the probe reads until the counters show where the data came from: ZFS keeps what was
// written in memory for up to five seconds (zfs_txg_timeout) and answers from there.
const zfsTries = 8

// arcReads are reads of file data since ZFS was loaded: those that its cache (ARC) answered, those that it did not, and those
// that passed it (OpenZFS 2.3 and later). Metadata is not counted: each read that goes to a disk finds some in the cache.
type arcReads struct{ hits, misses, direct int64 }

func (a arcReads) minus(b arcReads) arcReads {
	return arcReads{a.hits - b.hits, a.misses - b.misses, a.direct - b.direct}
}

// probeZFS finds out from the counters of ZFS's cache whether it answers reads that ask for direct I/O.
// That it answers none is no proof: written data that is not yet on a disk is read from memory and not counted. So the
// reads must be seen as misses, or as direct.
func (p bypassProbe) probeZFS(s *model.Storage, file *probed) {
	reads := 2 * file.size / bypassBlock
	for range zfsTries {
		// ZFS looks for data only in what is on a disk, so it writes the rest first (zfs_dmu_offset_next_sync).
		_, _ = unix.Seek(int(file.Fd()), 0, unix.SEEK_DATA)
		_, _ = unix.Seek(int(file.Fd()), 0, unix.SEEK_SET)
		before, known := p.arc()
		if !known {
			s.BypassDetail = "the counters of ZFS's cache (" + p.arcstats + ") cannot be read here"
			return
		}
		began := p.clock.Now()
		if err := file.readTwice(); err != nil {
			s.BypassDetail = "reading it failed: " + env.Reason(err)
			return
		}
		took := p.clock.Since(began)
		after, _ := p.arc()
		// Other programs use the cache too: subtract what they do in the same length of time.
		p.clock.Sleep(took)
		idle, _ := p.arc()
		switch own := after.minus(before).minus(idle.minus(after)); {
		case own.hits >= reads/2:
			setBypass(s, false, "the cache of ZFS (ARC) answered reads that asked for direct I/O")
			return
		case own.misses+own.direct >= reads/2:
			setBypass(s, true, "")
			return
		}
		p.clock.Sleep(p.again)
	}
	s.BypassDetail = fmt.Sprintf("ZFS counted %d reads neither as hits nor as misses of its cache (ARC)", reads)
}

// arc reads the counters of the cache and of all pools.
func (p bypassProbe) arc() (a arcReads, known bool) {
	text, err := os.ReadFile(p.arcstats)
	if err != nil {
		return a, false
	}
	a.hits, known = kstat(string(text), "demand_data_hits")
	a.misses, _ = kstat(string(text), "demand_data_misses")
	pools, _ := filepath.Glob(filepath.Join(filepath.Dir(p.arcstats), "*", "iostats"))
	for _, pool := range pools {
		text, _ := os.ReadFile(pool)
		n, _ := kstat(string(text), "direct_read_count")
		a.direct += n
	}
	return a, known
}

// kstat returns a number of a kstat file, whose lines are like "demand_data_hits  4  123".
func kstat(text, name string) (value int64, known bool) {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == name {
			n, err := strconv.ParseInt(f[2], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
