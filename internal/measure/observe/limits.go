package observe

import "io/fs"

// Limits are the kernel's limits that decide which I/O engines work and how deep.
type Limits struct {
	// Memlock is how much memory a process may lock, in bytes; nil where that has no limit,
	// or does not matter.
	Memlock *int64
	// AIOMax and AIOUsed are the number of libaio requests that all processes
	// together may have and have; 0 when unknown.
	AIOMax, AIOUsed int64
	// IOUringDisabled is kernel.io_uring_disabled: 0 everybody may use io_uring, 1
	// only privileged processes, 2 nobody; nil when this kernel does not tell.
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
