package lab

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// Throttle is the configuration of a throttled device. Zero means no limit.
type Throttle struct {
	// IOPS is the limit on reads and writes together, in 1/s.
	IOPS int64
	// BytesPerSecond is the limit on reads and writes together.
	BytesPerSecond int64
	// BurstIOPS (1/s) is available for BurstSeconds as long as there is credit,
	// which accrues at IOPS while the device is idle, as on a cloud disk.
	BurstIOPS    int64
	BurstSeconds int64
	// Read and Write limit each direction separately. QEMU does not accept them together with a
	// limit on both.
	Read, Write Limit
	// AccountSize (bytes) makes an I/O of n bytes count as n/AccountSize I/Os
	// against IOPS if that is more than one.
	AccountSize int64
	// Mirrors is the number of copies of the data that are kept below, all under the
	// one limit: a write uses that many I/Os and bytes, a read one; 0 means 1.
	Mirrors int
	// Delay is added to every I/O below the limit.
	Delay time.Duration
	// Size is the capacity in bytes; 0 means 256 MiB.
	Size int64
	// Unwritten leaves the device without data: its reads are then not limited,
	// which is the pitfall of measuring a volume that was never written.
	Unwritten bool
}

// Limit is the configuration of one direction. Zero means no limit.
type Limit struct {
	// IOPS is in 1/s. BurstIOPS (1/s) is available for BurstSeconds as long as there is credit.
	IOPS, BurstIOPS int64
	// BytesPerSecond and BurstBytes are the same in bytes per second.
	BytesPerSecond, BurstBytes int64
	BurstSeconds               int64
}

// name describes the limit of a direction in a few words.
func (l Limit) name(direction string) string {
	var words []string
	if l.IOPS > 0 {
		words = append(words, fmt.Sprintf("%d IOPS", l.IOPS))
	}
	if l.BytesPerSecond > 0 {
		words = append(words, fmt.Sprintf("%.4g MiB/s", float64(l.BytesPerSecond)/float64(mebi)))
	}
	if len(words) == 0 {
		return ""
	}
	if l.BurstIOPS > 0 {
		words = append(words, fmt.Sprintf("burst %d IOPS for %d s", l.BurstIOPS, l.BurstSeconds))
	}
	if l.BurstBytes > 0 {
		words = append(words, fmt.Sprintf("burst %.4g MiB/s for %d s", float64(l.BurstBytes)/float64(mebi), l.BurstSeconds))
	}
	return direction + " " + strings.Join(words, " ")
}

// name describes the settings in a few words.
func (c Throttle) name() string {
	var words []string
	if c.IOPS > 0 {
		words = append(words, fmt.Sprintf("%d IOPS", c.IOPS))
	}
	if c.BytesPerSecond > 0 {
		words = append(words, fmt.Sprintf("%.4g MiB/s", float64(c.BytesPerSecond)/float64(mebi)))
	}
	if c.BurstIOPS > 0 {
		words = append(words, fmt.Sprintf("burst %d IOPS for %d s", c.BurstIOPS, c.BurstSeconds))
	}
	for _, side := range []string{c.Read.name("read"), c.Write.name("write")} {
		if side != "" {
			words = append(words, side)
		}
	}
	if c.Mirrors > 1 {
		words = append(words, fmt.Sprintf("%d mirrors", c.Mirrors))
	}
	if c.Delay > 0 {
		words = append(words, fmt.Sprintf("%s delay", c.Delay))
	}
	return strings.Join(words, ", ")
}

// limits returns the throttle group in QEMU's syntax (QAPI ThrottleLimits).
func (c Throttle) limits() string {
	group := "throttle-group,id=limit"
	set := func(key string, value int64) {
		if value > 0 {
			group += fmt.Sprintf(",x-%s=%d", key, value)
		}
	}
	set("iops-size", c.AccountSize)
	both := Limit{IOPS: c.IOPS, BurstIOPS: c.BurstIOPS, BurstSeconds: c.BurstSeconds, BytesPerSecond: c.BytesPerSecond}
	for side, l := range map[string]Limit{"total": both, "read": c.Read, "write": c.Write} {
		set("iops-"+side, l.IOPS)
		set("bps-"+side, l.BytesPerSecond)
		if l.BurstIOPS > 0 {
			set("iops-"+side+"-max", l.BurstIOPS)
			set("iops-"+side+"-max-length", l.BurstSeconds)
		}
		if l.BurstBytes > 0 {
			set("bps-"+side+"-max", l.BurstBytes)
			set("bps-"+side+"-max-length", l.BurstSeconds)
		}
	}
	return group
}

// Throttled starts a device with a rate limit: a QEMU throttle group on a fully
// written file in memory, exported over NBD. Its rate is accurate within about 0.1 %
// from second to second (1 % at 10,000 IOPS), except for the first tenth of a second,
// whose I/Os QEMU admits at once. It is meant for some 100 MiB: QEMU asks the file for holes before
// each read, which in a file of 2.8 GiB in memory takes 5 ms (195 reads per second of 3,000).
func Throttled(t T, c Throttle) Device {
	t.Helper()
	Need(t, "qemu-storage-daemon")
	Lock(t)
	if c.Size == 0 {
		c.Size = 256 * mebi
	}
	copies := max(1, c.Mirrors)
	dir := memory(t, int64(copies)*c.Size)
	socket := filepath.Join(dir, "nbd.sock")
	args := []string{"--object", c.limits()}
	exported := "slow0"
	mirror := "driver=quorum,node-name=mirror,vote-threshold=1,read-pattern=fifo"
	for i := range copies {
		image := filepath.Join(dir, fmt.Sprintf("raw%d.img", i))
		if c.Unwritten {
			hollow(t, image, c.Size)
		} else {
			fill(t, image, c.Size)
		}
		args = append(args,
			"--blockdev", c.below(t, image, fmt.Sprintf("node-name=file%d", i)),
			"--blockdev", fmt.Sprintf("driver=raw,node-name=raw%d,file=file%[1]d", i),
			"--blockdev", fmt.Sprintf("driver=throttle,node-name=slow%d,throttle-group=limit,file=raw%[1]d", i))
		mirror += fmt.Sprintf(",children.%d=slow%[1]d", i)
	}
	if copies > 1 {
		// Reads go to the first copy, writes to all of them.
		exported, args = "mirror", append(args, "--blockdev", mirror)
	}
	start(t, dir, answers(socket), "qemu-storage-daemon", append(args,
		"--nbd-server", "addr.type=unix,max-connections=0,addr.path="+socket,
		"--export", "type=nbd,id=export,node-name="+exported+",name=vol,writable=on")...)
	return Device{Name: c.name(), URI: nbdURI("vol", socket), Size: c.Size}
}

// below returns QEMU's node for an image, with the delay if there is one.
func (c Throttle) below(t T, image, name string) string {
	if c.Delay == 0 {
		// No cache.direct here: tmpfs has no page cache to bypass.
		return "driver=file," + name + ",aio=threads,filename=" + image
	}
	// noextents: QEMU would query the extent before every read, which would be
	// delayed as well.
	lower := nbdkit(t, nbdServer{filters: []string{"noextents", "delay"}, plugin: []string{"file", image},
		options: []string{"rdelay=" + milliseconds(c.Delay), "wdelay=" + milliseconds(c.Delay)}})
	return "driver=nbd," + name + ",server.type=unix,server.path=" + lower.socket
}
