package observe

import (
	"fmt"
	"os"
	"strings"
)

// Process names a process so that no other one ever has the name: by the kernel's boot, the
// namespace of its number, and when it began. Empty where that cannot be known.
func Process(pid int) string {
	boot := Boot()
	space, err := os.Readlink("/proc/self/ns/pid")
	stat := text(root, fmt.Sprintf("proc/%d/stat", pid))
	// The name of the program, in brackets, may hold anything.
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	// Field 22 of proc(5), with two before the bracket's end.
	const start = 22 - 3
	if boot == "" || err != nil || len(fields) <= start {
		return ""
	}
	return boot + "." + strings.Trim(space, "pid:[]") + "." + fields[start]
}

// Place is where a process that Process has named was: two of one place can see each other.
func Place(name string) string {
	return name[:max(0, strings.LastIndexByte(name, '.'))]
}
