package observe

import "io/fs"

// Limits are the kernel limits that decide which I/O engines work, and at what queue depth.
type Limits struct {
	// Memlock is how much memory a process may lock, in bytes; nil if there is no limit, or if it
	// does not matter.
	Memlock *int64
	// AIOMax is the limit on libaio requests for all processes together, AIOUsed their current
	// number; 0 if unknown.
	AIOMax, AIOUsed int64
	// IOUringDisabled is kernel.io_uring_disabled: 0 if everybody may use io_uring, 1 if only
	// privileged processes may, 2 if nobody may; nil if this kernel does not report it.
	IOUringDisabled *int
}

// ReadLimits reads the limits of this process and this kernel.
func ReadLimits() Limits {
	l := readLimits(root)
	l.Memlock = memlockLimit()
	return l
}

func readLimits(files fs.FS) Limits {
	var l Limits
	l.AIOMax, _ = number(files, "proc/sys/fs/aio-max-nr")
	l.AIOUsed, _ = number(files, "proc/sys/fs/aio-nr")
	if n, ok := number(files, "proc/sys/kernel/io_uring_disabled"); ok {
		disabled := int(n)
		l.IOUringDisabled = &disabled
	}
	return l
}
