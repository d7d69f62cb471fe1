package observe

import (
	"fmt"
	"os"
	"strings"
)

// Process returns an identifier for a process that no other process ever has: made of the kernel's
// boot ID, the PID namespace and the start time. It is empty if these cannot be determined.
func Process(pid int) string {
	boot := Boot()
	space, err := os.Readlink("/proc/self/ns/pid")
	stat := text(root, fmt.Sprintf("proc/%d/stat", pid))
	// The program's name, in parentheses, may contain anything.
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	// Field 22 of proc(5); two fields come before the closing parenthesis.
	const start = 22 - 3
	if boot == "" || err != nil || len(fields) <= start {
		return ""
	}
	return boot + "." + strings.Trim(space, "pid:[]") + "." + fields[start]
}

// Place returns where a process identified by Process ran: two processes with the same place can see
// each other.
func Place(name string) string {
	return name[:max(0, strings.LastIndexByte(name, '.'))]
}
