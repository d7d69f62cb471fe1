package volume

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

const (
	// zfsTries is how often the probe reads until the counters show where the data came from: ZFS keeps what was
	// written in memory for up to five seconds (zfs_txg_timeout) and answers from there.
	zfsTries = 8
	// zfsReads is how many times a try reads the range: a record may be as large as all of it, and counts once.
	zfsReads = 32
	// zfsParts is how many times a try reads a part of a record.
	zfsParts = 8 * zfsReads
	// zfsLimit is how long a try reads at most, or a little longer.
	zfsLimit = time.Second
)

// arcReads are reads of file data since ZFS was loaded: those that its cache (ARC) answered, those that it did not, and those
// that passed it (OpenZFS 2.3 and later). Metadata is not counted: each read that goes to a disk finds some in the cache.
type arcReads struct {
	hits, misses, direct int64
	// pools names the pools whose direct reads are included.
	pools string
}

// since returns the reads since earlier; ok is false if the counters cannot be compared, as after a pool was imported.
func (a arcReads) since(earlier arcReads) (n arcReads, ok bool) {
	n = arcReads{hits: a.hits - earlier.hits, misses: a.misses - earlier.misses, direct: a.direct - earlier.direct}
	return n, a.pools == earlier.pools && min(n.hits, n.misses, n.direct) >= 0
}

// probeZFS finds out from the counters of ZFS's cache whether it answers reads that ask for direct I/O. They are read whole first, because
// ZFS 2.2 keeps a record of which a part was read until the rest follows, whatever it is told to cache; then a part, because
// that is what most workloads read.
//
// That the cache answers none is no proof: written data that is not yet on a disk is read from memory and not counted. So the
// reads must be seen as misses, or as direct, in two tries that agree.
func (p bypassProbe) probeZFS(s *model.Storage, file *probed) {
	if file.hole() || file.zeros() {
		s.BypassDetail = "there is a hole in what the probe reads, or only zeros, which ZFS answers without a disk"
		return
	}
	switch cached, why := p.triesZFS(file, int(file.size), zfsReads); {
	case why != "":
		s.BypassDetail = why
	case cached:
		setBypass(s, false, "the cache of ZFS (ARC) answered reads that asked for direct I/O")
	default:
		if cached, why := p.triesZFS(file, os.Getpagesize(), zfsParts); cached || why != "" {
			s.BypassDetail = "ZFS reads whole records past its cache, and nothing shows that it does so with a part of one: a recordsize or volblocksize like the blocks of the load avoids that"
			return
		}
		setBypass(s, true, "")
	}
}

// triesZFS reads the first bytes so many times, again and again until two tries agree on whether the cache answered. If none do,
// why says so.
func (p bypassProbe) triesZFS(file *probed, bytes, times int) (cached bool, why string) {
	agreed := 0
	for range zfsTries {
		answered, shown, err := p.tryZFS(file, bytes, times)
		switch {
		case err != nil:
			return false, err.Error()
		case !shown:
			agreed = 0
			if bytes == int(file.size) { // ZFS may still have it in memory
				p.clock.Sleep(p.again)
			}
			continue
		case agreed > 0 && answered == cached:
			return cached, ""
		}
		agreed, cached = 1, answered
	}
	return false, "the counters of ZFS's cache (ARC) show neither that it answered what the probe read nor that it did not"
}

// tryZFS reads the first bytes so many times, and reports whether the cache answered. The counters are those of all pools: what other programs do
// is counted afterwards and subtracted, and less than its random variation proves nothing (shown is false).
func (p bypassProbe) tryZFS(file *probed, bytes, times int) (cached, shown bool, err error) {
	// ZFS looks for data only in what is on a disk, so it writes the rest first (zfs_dmu_offset_next_sync).
	file.hole()
	before, known := p.arc()
	if !known {
		return false, false, errors.New("the counters of ZFS's cache (" + p.arcstats + ") cannot be read here")
	}
	began := p.clock.Now()
	limit := p.clock.NewTimer(zfsLimit)
	defer limit.Stop()
	done, err := file.readFirst(bytes, times, limit.C)
	if err != nil {
		return false, false, errors.New("reading it failed: " + env.Reason(err))
	}
	took := p.clock.Since(began)
	after, known := p.arc()
	idle := max(took, p.idle, time.Nanosecond)
	p.clock.Sleep(idle)
	last, knownLast := p.arc()
	all, ok := after.since(before)
	others, okOthers := last.since(after)
	if !known || !knownLast || !ok || !okOthers {
		return false, false, nil
	}
	cached, shown = all.fromCache(others, took.Seconds()/idle.Seconds(), done)
	return cached, shown, nil
}

// fromCache reports whether more of the probe's own reads, at least so many, were answered by the cache than not, or the other way
// round; others are the reads of other programs afterwards, in a time of which the probe's is a share. Shown is false if neither exceeds half of
// the probe's reads by more than four standard deviations of the difference of two Poisson counts, of which others' reads
// are one; three of them are allowed for where none were seen.
func (a arcReads) fromCache(others arcReads, share float64, own int) (cached, shown bool) {
	excess := float64(a.hits-a.misses-a.direct) - share*float64(others.hits-others.misses-others.direct)
	least := float64(own)/2 + 4*math.Sqrt(2*share*float64(others.hits+others.misses+others.direct+3))
	return excess > 0, math.Abs(excess) >= least
}

// hole reports whether there is a hole in what is read.
func (f *probed) hole() bool {
	hole, err := unix.Seek(int(f.Fd()), 0, unix.SEEK_HOLE)
	_, _ = unix.Seek(int(f.Fd()), 0, unix.SEEK_SET)
	return err == nil && hole < f.size
}

// zeros reports whether all that is read is zero: ZFS keeps no such data where it compresses, and shows no holes in a volume.
func (f *probed) zeros() bool {
	zero := false
	err := f.withBuffer(int(f.size), func(buffer []byte) error {
		n, err := unix.Pread(int(f.Fd()), buffer, 0)
		zero = int64(n) == f.size && !slices.ContainsFunc(buffer, func(b byte) bool { return b != 0 })
		return err
	})
	return err == nil && zero
}

// readFirst reads the first bytes so many times, each time with one call, or fewer times if the limit is reached.
func (f *probed) readFirst(bytes, times int, limit <-chan time.Time) (done int, err error) {
	err = f.withBuffer(bytes, func(buffer []byte) error {
		for done < times {
			if n, err := unix.Pread(int(f.Fd()), buffer, 0); err != nil {
				return err
			} else if n != bytes {
				return io.ErrUnexpectedEOF
			}
			done++
			select {
			case <-limit:
				return nil
			default:
			}
		}
		return nil
	})
	return done, err
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
		a.pools += pool + " "
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
