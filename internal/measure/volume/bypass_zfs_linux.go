package volume

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

const (
	// zfsTries is how often the probe reads until the counters show where the data came from: ZFS keeps what was
	// written in memory for up to five seconds (zfs_txg_timeout) and answers from there.
	zfsTries = 8
	// zfsReads is how many times a try reads the range: a record may be as large as all of it, and counts once.
	zfsReads = 8
)

// arcReads are reads of file data since ZFS was loaded: those that its cache (ARC) answered, those that it did not, and those
// that passed it (OpenZFS 2.3 and later). Metadata is not counted: each read that goes to a disk finds some in the cache.
type arcReads struct{ hits, misses, direct int64 }

func (a arcReads) minus(b arcReads) arcReads {
	return arcReads{a.hits - b.hits, a.misses - b.misses, a.direct - b.direct}
}

// probeZFS finds out from the counters of ZFS's cache whether it answers reads that ask for direct I/O. They are read whole, because
// ZFS 2.2 keeps a record of which a part was read until the rest follows, whatever it is told to cache.
//
// That the cache answers none is no proof: written data that is not yet on a disk is read from memory and not counted. So the
// reads must be seen as misses, or as direct. The counters are those of all pools: what other programs do in the same length of time is
// subtracted, and less than its random variation proves nothing.
func (p bypassProbe) probeZFS(s *model.Storage, file *probed) {
	for range zfsTries {
		// ZFS looks for data only in what is on a disk, so it writes the rest first (zfs_dmu_offset_next_sync).
		hole, err := unix.Seek(int(file.Fd()), 0, unix.SEEK_HOLE)
		_, _ = unix.Seek(int(file.Fd()), 0, unix.SEEK_SET)
		if err == nil && hole < file.size {
			s.BypassDetail = "there is a hole in what the probe reads, which ZFS answers without a disk"
			return
		}
		before, known := p.arc()
		if !known {
			s.BypassDetail = "the counters of ZFS's cache (" + p.arcstats + ") cannot be read here"
			return
		}
		began := p.clock.Now()
		if err := file.readWhole(zfsReads); err != nil {
			s.BypassDetail = "reading it failed: " + env.Reason(err)
			return
		}
		took := p.clock.Since(began)
		after, _ := p.arc()
		p.clock.Sleep(took)
		idle, _ := p.arc()
		others := idle.minus(after)
		own := after.minus(before).minus(others)
		switch cached, shown := own.fromCache(others); {
		case shown && cached:
			setBypass(s, false, "the cache of ZFS (ARC) answered reads that asked for direct I/O")
			return
		case shown:
			setBypass(s, true, "")
			return
		}
		p.clock.Sleep(p.again)
	}
	s.BypassDetail = "the counters of ZFS's cache (ARC) show neither that it answered what the probe read nor that it did not"
}

// fromCache reports whether more of the probe's own reads were answered by the cache than not, or the other way round; shown is
// false if neither exceeds half of them by more than four standard deviations of the difference of two Poisson counts, of which others' reads
// are one.
func (a arcReads) fromCache(others arcReads) (cached, shown bool) {
	least := zfsReads/2 + 4*math.Sqrt(2*float64(max(0, others.hits)+max(0, others.misses)+max(0, others.direct)))
	excess := float64(a.hits - a.misses - a.direct)
	return excess > 0, math.Abs(excess) >= least
}

// readWhole reads the beginning so many times, each time with one call.
func (f *probed) readWhole(times int) error {
	buffer, err := unix.Mmap(-1, 0, int(f.size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	defer unix.Munmap(buffer)
	for range times {
		if n, err := unix.Pread(int(f.Fd()), buffer, 0); err != nil {
			return err
		} else if int64(n) != f.size {
			return errors.New("it became smaller")
		}
	}
	return nil
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
