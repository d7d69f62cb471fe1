package procfs

// MemoryKills says how many processes the kernel's out-of-memory killer has killed so far, and how close to a memory limit
// memory came.
type MemoryKills struct {
	// Group counts processes of this process's memory cgroup, Machine those of the whole machine; nil if it is not known.
	Group, Machine *int64
	// Limit is the memory limit, of that cgroup or of an ancestor, that came closest to being reached, in bytes; 0 if there
	// is none.
	Limit int64
	// Used is the largest share of Limit that was ever in use; nil if it is not known, and Limit is the lowest limit then.
	Used *float64
}
