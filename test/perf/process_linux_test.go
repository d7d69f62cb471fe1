package perf

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// clockTick is the unit of CPU time in /proc, in seconds; it is 1/100 on every
// Linux (USER_HZ).
const clockTick = 0.01

// peak returns the peak resident memory of a process that has ended, in bytes.
func peak(p *os.ProcessState) int64 {
	if use, ok := p.SysUsage().(*syscall.Rusage); ok {
		return use.Maxrss << 10
	}
	return 0
}

// usage is what one process, without its children, has used so far.
type usage struct {
	at      time.Time
	seconds float64
	peak    int64
}

// usageOf reads proc(5): utime and stime of stat, VmHWM of status.
func usageOf(pid int) (usage, error) {
	u := usage{at: time.Now()}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return u, err
	}
	// The name in parentheses may contain blanks; utime and stime are fields 14 and 15.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	for _, f := range fields[11:13] {
		ticks, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return u, err
		}
		u.seconds += ticks * clockTick
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return u, err
	}
	if _, after, ok := strings.Cut(string(status), "VmHWM:"); ok {
		if _, err := fmt.Sscan(after, &u.peak); err != nil {
			return u, err
		}
		u.peak <<= 10
	}
	return u, nil
}

// watched is a run of the program with its cost.
type watched struct {
	model.Report
	// CPU is the time, in seconds, that the process itself used from the end of
	// its first repeat to the end of its last, and Wall the time between them.
	CPU, Wall float64
	// Peak is its peak resident memory, in bytes.
	Peak int64
}

// watch runs the program and reads its usage at each line of progress: one line
// ends one repeat. A verdict of "invalid" is not a failure here, because memory is not a disk.
func watch(b *testing.B, program string, args ...string) watched {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), program, append(args, "--format", "json", "--results", b.TempDir())...)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	progress, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	var moments []usage
	var text strings.Builder
	for lines := bufio.NewScanner(progress); lines.Scan(); {
		fmt.Fprintln(&text, lines.Text())
		if !strings.HasPrefix(lines.Text(), "repeat ") {
			continue
		}
		if u, err := usageOf(cmd.Process.Pid); err == nil {
			moments = append(moments, u)
		}
	}
	err = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != 5 {
		b.Fatalf("loadline: %v\n%s", err, text.String())
	}
	if len(moments) == 0 {
		b.Fatalf("loadline showed no repeat:\n%s", text.String())
	}
	first, last := moments[0], moments[len(moments)-1]
	return watched{Report: parseReport(b, stdout.Bytes()), CPU: last.seconds - first.seconds,
		Wall: last.at.Sub(first.at).Seconds(), Peak: last.peak}
}
