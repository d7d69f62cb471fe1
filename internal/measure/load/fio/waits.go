package fio

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/runqueue"
	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
)

// waitsEvery is the time between two readings of watchWaits.
const waitsEvery = 250 * time.Millisecond

// watchWaits reads four times a second, and when the step is due to end, how long fio's jobs have waited
// for a processor; jobs returns their processes. waits ends that and returns the result. A reading takes
// some 20 µs for each job, and where the kernel lists no children as much for each process of the machine. On a busy machine the jobs begin late, by much of a short step: what was read
// before counts as nothing.
func watchWaits(clock env.Clock, jobs func() []int, main int, step model.Step) (waits func() *float64) {
	end, ended := make(chan struct{}), make(chan struct{})
	m := &runqueue.Meter{}
	begun := clock.Now()
	go func() {
		defer close(ended)
		last := load.Seconds(step.Ramp + step.Seconds)
		for at := load.Seconds(step.Ramp); ; at = min(at+waitsEvery, last) {
			select {
			case <-end:
				return
			case <-clock.After(at - clock.Since(begun)):
			}
			if found := jobs(); haveBegun(m.Processes, found, main) {
				m = &runqueue.Meter{Processes: found, Except: main}
			}
			m.Read(clock.Now())
			if at >= last {
				return
			}
		}
	}()
	return func() *float64 {
		close(end)
		<-ended
		return m.Waiting()
	}
}

// haveBegun reports whether jobs have begun since the processes were looked up. The main process stands for
// jobs that are threads, and for those that have not begun yet or have all ended.
func haveBegun(before, now []int, main int) bool {
	if len(before) > 0 && slices.Contains(now, main) {
		return false
	}
	return slices.ContainsFunc(now, func(id int) bool { return !slices.Contains(before, id) })
}

// jobsOf returns the processes of fio that do I/O: the children of the main one, which only starts them
// and prints, unless its jobs are threads and it has no children. Where the kernel does not list children,
// they are found by the directory in which they run.
func jobsOf(dir string, main int) []int {
	var jobs []int
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", main)); err == nil {
		for _, word := range strings.Fields(string(text)) {
			if id, err := strconv.Atoi(word); err == nil {
				jobs = append(jobs, id)
			}
		}
	} else {
		jobs = slices.DeleteFunc(procfs.ProcessesIn(dir), func(id int) bool { return id == main })
	}
	if len(jobs) == 0 {
		return []int{main}
	}
	return jobs
}
