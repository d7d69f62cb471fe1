package durability

import (
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// direct opens a file for direct I/O.
const direct = unix.O_DIRECT

func fdatasync(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }

// dropCache evicts a file's pages from the page cache, as far as they have been written back.
func dropCache(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }

// aligned returns a buffer whose address is suitable for direct I/O.
func aligned(n int) []byte {
	const page = 4096
	p := make([]byte, n+page)
	skip := int(-uintptr(unsafe.Pointer(&p[0])) % page)
	return p[skip : skip+n : skip+n]
}

// bootID identifies the current boot of this machine; it changes with a reboot.
func bootID() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// processName returns the name of a running process; gone is also true for a zombie, which no longer
// holds anything.
func processName(pid int) (name string, gone bool) {
	stat, err := os.ReadFile("/proc/" + itoa(pid) + "/stat")
	if err != nil {
		return "", true
	}
	// "4711 (name (with) brackets) S 1 …"
	text := string(stat)
	from, to := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if from < 0 || to < from || to+2 >= len(text) {
		return "", false
	}
	state := text[to+2]
	return text[from+1 : to], state == 'Z' || state == 'X'
}
