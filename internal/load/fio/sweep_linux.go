package fio

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// inhabitants returns the ids of the processes whose working directory is dir,
// which must be free of symbolic links.
func inhabitants(dir string) []int {
	var ids []int
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		at, err := os.Readlink(link)
		// A removed directory shows as "… (deleted)".
		if err != nil || at != dir && !strings.HasPrefix(at, dir+" ") {
			continue
		}
		if id, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// sweep kills what is left of a fio that ran in dir.
func sweep(dir string) {
	for _, id := range inhabitants(dir) {
		_ = syscall.Kill(id, syscall.SIGKILL)
	}
}
