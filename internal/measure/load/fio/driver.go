package fio

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// The oldest fio supported: 3.18 is the first with a histogram of the total latency
// (lat_percentiles) separate from those of submission and completion (slat_percentiles,
// clat_percentiles). Samples are computed from the histogram of the total latency.
const (
	minMajor = 3
	minMinor = 18
)

// installHint says how to install fio.
const installHint = "install it: apt-get install fio (Debian, Ubuntu), dnf install fio (Fedora), brew install fio (macOS)"

// Driver runs fio, one process per call and never two at once: a second call
// waits for the first. Use New.
type Driver struct {
	env *env.Env

	// one is held while an fio process runs.
	one sync.Mutex

	// known guards the cached fields below.
	known   sync.Mutex
	path    string
	version string
	seeds   map[string]uint64
	// cycles says whether the kernel's clock is the processor's cycle counter; nil until it is known.
	cycles *bool

	limits limits
	// memoryKills counts what the kernel's out-of-memory killer has killed so far.
	memoryKills func() procfs.MemoryKills
}

// limits sets how long fio may be silent or late before it is considered hung.
type limits struct {
	// silence is how long a due document may be late when fio is not waiting for storage, or is suspended.
	silence time.Duration
	// stall is the silence allowed while fio waits for storage. Storage that stalls for minutes and
	// recovers is measured as such: a failover takes 10 to 60 s.
	stall time.Duration
	// late is how long a job may run past the time at which it should have ended.
	late time.Duration
	// grace is the time between SIGINT and SIGKILL.
	grace time.Duration
	// flush is the silence allowed while data is written before measuring, when one flush may move
	// gigabytes.
	flush time.Duration
}

// New returns a driver that finds fio at first use.
func New(e *env.Env) *Driver {
	return &Driver{
		env:   e,
		seeds: map[string]uint64{},
		limits: limits{
			silence: 10 * time.Second, stall: 2 * time.Minute, late: 30 * time.Second,
			grace: 5 * time.Second, flush: 2 * time.Minute,
		},
		memoryKills: func() procfs.MemoryKills { return procfs.MemoryKills{} },
	}
}

// Tool returns fio as a worker's tool: for every workload on all real storage. The function kills counts what the
// kernel's out-of-memory killer has killed so far; it may be nil.
func Tool(e *env.Env, kills func() procfs.MemoryKills) load.Tool {
	d := New(e)
	if kills != nil {
		d.memoryKills = kills
	}
	return load.Tool{
		Name: "fio", Driver: d, Filler: d, Assume: d.Assume,
		Serves: func(kind model.TargetKind, w model.Workload) bool { return kind != model.Fake && !w.OpenLoop },
	}
}

// find returns the path of fio.
func (d *Driver) find() (string, error) {
	d.known.Lock()
	defer d.known.Unlock()
	if d.path != "" {
		return d.path, nil
	}
	path, err := d.env.LookPath("fio")
	if err != nil {
		return "", model.RefusedError("fio is not installed, or not in PATH.", installHint)
	}
	d.path = path
	return path, nil
}

var versionPattern = regexp.MustCompile(`^fio-((\d+)\.(\d+)\S*)\s*$`)

// Version returns fio's version, for example "3.33". The error is Refused when
// fio is missing, older than 3.18, or not fio at all.
func (d *Driver) Version(ctx context.Context) (string, error) {
	path, err := d.find()
	if err != nil {
		return "", err
	}
	d.known.Lock()
	defer d.known.Unlock()
	if d.version != "" {
		return d.version, nil
	}
	limited, cancel := context.WithTimeout(ctx, d.limits.silence)
	defer cancel()
	cmd := d.env.Command(limited, path, "--version")
	// A child that keeps the pipe open must not delay us.
	cmd.WaitDelay = time.Second
	killsBefore := d.memoryKills()
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", ctx.Err() // cancelled, which is not fio's fault
	}
	if limited.Err() != nil {
		return "", model.RefusedError(fmt.Sprintf("%s --version did not answer in time.", path), installHint)
	}
	if cmd.ProcessState != nil {
		if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			return "", versionKilled(path, ws.Signal(), judgeMemory(killsBefore, d.memoryKills()))
		}
	}
	m := versionPattern.FindStringSubmatch(string(out))
	if m == nil {
		said := quote(string(out))
		if err != nil && said == "" {
			said = err.Error()
		}
		return "", model.RefusedError(fmt.Sprintf("%s does not say which version it is; it said: %s.", path, said), installHint)
	}
	major, _ := strconv.Atoi(m[2])
	minor, _ := strconv.Atoi(m[3])
	if major < minMajor || major == minMajor && minor < minMinor {
		return "", model.RefusedError(fmt.Sprintf("fio %s is too old: %d.%d or newer is needed, because older ones keep no histogram of the total latency.",
			m[1], minMajor, minMinor), installHint)
	}
	d.version = m[1]
	return d.version, nil
}

// Assume makes the driver assume that fio exists in a version that is known to be good.
func (d *Driver) Assume(version string) {
	d.known.Lock()
	defer d.known.Unlock()
	if d.version == "" {
		d.version = version
	}
}

// CheckJob lets fio parse a job file, or the option lines of one section. The error is Refused and
// contains fio's own message. It does no I/O. file is the user's file that the job is from, empty if there is none that
// fio can read.
func (d *Driver) CheckJob(ctx context.Context, text, file string) error {
	if !sectionPattern.MatchString(text) {
		text = "[job]\n" + text
	}
	o, err := d.execute(ctx, process{text: text, args: []string{"--parse-only"}, silence: d.limits.silence})
	if err != nil {
		return err
	}
	if o.exit != 0 || o.signal != 0 || o.stopped != "" {
		hint := "correct its options: fio --cmdhelp=all lists them"
		if file != "" {
			hint = "try it yourself: fio --parse-only " + safetext.ShellWord(file)
		}
		return model.RefusedError(fmt.Sprintf("fio rejects the job: %s.", o.message()), hint)
	}
	return nil
}

var sectionPattern = regexp.MustCompile(`(?m)^\s*\[[^\]]+\]`)

// quote shortens a program's output to a single line.
func quote(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return strings.TrimRight(s, " .")
}
