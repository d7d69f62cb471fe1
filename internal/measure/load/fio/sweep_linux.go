package fio

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/procfs"
)

// killLeftovers kills what is left of an fio that ran in dir. A user's shell there is left alone.
func killLeftovers(dir string) {
	for _, id := range procfs.ProcessesIn(dir) {
		if ours, err := procfs.InEnvironment(id, env.StartedByUs); err == nil && ours {
			_ = syscall.Kill(id, syscall.SIGKILL)
		}
	}
}

// states returns the state letters from /proc/PID/stat of all threads of the processes that run in
// dir. The main thread of fio itself, whose id is given, only sleeps and polls its jobs: on a busy
// machine it is mostly waiting for a CPU. It counts only if there are no other threads.
func states(dir string, main int) []byte {
	var letters, naps []byte
	for _, id := range procfs.ProcessesIn(dir) {
		tasks, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(id), "task/[0-9]*/stat"))
		for _, task := range tasks {
			text, err := os.ReadFile(task)
			// The process name before it is in parentheses and may itself contain parentheses.
			at := strings.LastIndex(string(text), ") ")
			switch {
			case err != nil || at < 0 || at+2 >= len(text):
			case filepath.Base(filepath.Dir(task)) == strconv.Itoa(main):
				naps = append(naps, text[at+2])
			default:
				letters = append(letters, text[at+2])
			}
		}
	}
	if len(letters) == 0 {
		return naps
	}
	return letters
}
