package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/fio"
	"github.com/loadline/loadline/internal/measure/observe"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// The doctor's requirements. A file of 4 GiB does not fit into most caches; 8 jobs at queue depth 32
// are the largest built-in workload and need 256 libaio requests; io_uring locks about 8 MiB before
// kernel 5.12.
const (
	roomWanted    = 4 << 30
	aioWanted     = 256
	memlockWanted = 8 << 20
	stealAllowed  = 0.02
	idleWanted    = 0.80
)

// checkPlace checks the directory or device.
func checkPlace(dir string, p *model.ProbeResult) []Check {
	s := p.Environment.Storage
	engines := Check{Name: "engines", Says: strings.Join(p.Engines, ", ")}
	if !slices.Contains(p.Engines, "io_uring") && !slices.Contains(p.Engines, "libaio") && len(p.Engines) > 0 && p.Engines[0] == "psync" {
		engines.Mark, engines.Says = Fair, "only psync works: queue depths above 1 cannot be measured"
		engines.Fix = "install a fio with libaio or io_uring, and allow io_uring (sysctl kernel.io_uring_disabled=0)"
	}
	memory := Check{Name: "storage", Says: found(s.Filesystem, s.Device)}
	if s.Memory {
		memory = Check{Bad, "storage", dir + " is in memory (" + cmp.Or(s.Filesystem, "a device whose data is in RAM") + "): it is not storage", "name a directory on a disk: loadline doctor DIR"}
	} else if s.MemoryPart != "" {
		memory = Check{Fair, "storage", memory.Says + ", part of which is in memory: " + s.MemoryPart, "name a directory on a disk: loadline doctor DIR"}
	} else if s.Untraced {
		memory = Check{Fair, "storage", memory.Says + ", and nothing shows that it is not in memory: " + s.Unseen, "name a directory on a disk: loadline doctor DIR"}
	}
	room := Check{Name: "free space", Says: units.FormatSize(p.Capacity) + " for measuring"}
	if p.Capacity < roomWanted {
		room.Mark = Fair
		room.Says += ": caches may hold all of it"
		room.Fix = "free some space, or choose another directory"
	}
	return []Check{engines, checkDirect(dir, p.Direct, s), memory, room}
}

// checkDirect says beforehand what the rule "buffered" will say about the numbers.
func checkDirect(dir string, accepted bool, s model.Storage) Check {
	const name = "direct I/O"
	switch {
	case !accepted:
		return Check{Fair, name, fmt.Sprintf("is refused on %s (%s): numbers would be those of the page cache", dir, s.DirectError), "choose another filesystem"}
	case s.Bypassed != nil && !*s.Bypassed:
		return Check{Fair, name, fmt.Sprintf("is accepted on %s and is not direct: %s", dir, s.BypassDetail),
			s.DirectFix() + ", or choose another filesystem or device"}
	case s.Userspace():
		return Check{Fair, name, fmt.Sprintf("is accepted on %s, but the process that serves %s may still answer from memory, which cannot be detected", dir, s.Filesystem),
			"measure what it is built on, or more than the memory of this machine"}
	case s.Networked():
		return Check{Name: name, Says: fmt.Sprintf("is accepted on %s, but %s or its server may still answer from memory, which cannot be detected", dir, s.Filesystem)}
	case s.Bypassed == nil && s.BypassDetail != "":
		return Check{Fair, name, fmt.Sprintf("is accepted on %s, and nothing shows that it is direct: %s", dir, s.BypassDetail), s.DirectUnknownFix()}
	}
	return Check{Name: name, Says: "works on " + dir}
}

// checkLimits checks the kernel's limits on asynchronous I/O.
func checkLimits(l observe.Limits) []Check {
	var checks []Check
	if l.Memlock != nil {
		c := Check{Name: "memlock", Says: units.FormatSize(*l.Memlock)}
		if *l.Memlock < memlockWanted {
			c = Check{Fair, "memlock", units.FormatSize(*l.Memlock) + " may be too little for io_uring on old kernels", "ulimit -l unlimited"}
		}
		checks = append(checks, c)
	}
	if l.AIOMax > 0 {
		free := l.AIOMax - l.AIOUsed
		c := Check{Name: "aio", Says: fmt.Sprintf("%d requests free", free)}
		if free < aioWanted {
			c = Check{Fair, "aio", fmt.Sprintf("only %d libaio requests are free; deep queues need %d", free, aioWanted), "sysctl fs.aio-max-nr=1048576"}
		}
		checks = append(checks, c)
	}
	switch {
	case l.IOUringDisabled == nil:
	case *l.IOUringDisabled == 0:
		checks = append(checks, Check{Name: "io_uring", Says: "allowed"})
	default:
		checks = append(checks, Check{Fair, "io_uring", fmt.Sprintf("restricted (kernel.io_uring_disabled=%d); libaio is used where it is not allowed", *l.IOUringDisabled), "sysctl kernel.io_uring_disabled=0"})
	}
	return checks
}

// goodClocks can be read without a system call, or cheaply enough.
var goodClocks = []string{"tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"}

// checkMachine checks CPU and clock, as observed over a short time.
func checkMachine(m model.Environment, c model.Counters) []Check {
	cpu := Check{Name: "cpu", Says: fmt.Sprintf("%d CPUs, %.0f %% idle", m.CPUs, 100*c.Idle)}
	if c.Idle < idleWanted {
		cpu = Check{Fair, "cpu", fmt.Sprintf("only %.0f %% of %d CPUs are idle before anything is measured", 100*c.Idle, m.CPUs), "stop other programs on this machine (see top)"}
	}
	if m.CgroupCPU > 0 {
		cpu.Says += fmt.Sprintf(", limited to %.3g by a cgroup", m.CgroupCPU)
	}
	steal := Check{Name: "steal", Says: fmt.Sprintf("%.1f %%", 100*c.Steal)}
	if c.Steal > stealAllowed {
		steal = Check{Fair, "steal", fmt.Sprintf("%.1f %% of the CPU time is taken by the host: latencies will vary", 100*c.Steal), "measure on a quieter host, or repeat and compare"}
	}
	governor := Check{Name: "governor", Says: "not visible here, which is usual in a virtual machine"}
	switch m.Governor {
	case "":
	case "performance":
		governor.Says = m.Governor
	default:
		governor = Check{Fair, "governor", m.Governor + " lets the CPU slow down between requests: low-rate latencies look worse", "cpupower frequency-set -g performance"}
	}
	clock := Check{Name: "clock", Says: m.Clocksource}
	if m.Clocksource != "" && !slices.Contains(goodClocks, m.Clocksource) {
		clock = Check{Fair, "clock", m.Clocksource + " is slow to read: fast devices look slower", "boot with clocksource=tsc if the CPU has it"}
	}
	if m.Clocksource == "" {
		clock.Says = "not visible here"
	}
	return []Check{cpu, steal, governor, clock}
}

// found says which filesystem is on which device; either is "" if it is not known, or if there is none.
func found(filesystem, device string) string {
	if filesystem != "" && device != "" {
		return filesystem + " on " + device
	}
	return cmp.Or(filesystem, device, "the device is not visible here")
}

// steadyLook is how long the CPUs are observed for idle and stolen time.
const steadyLook = time.Second

func checkFio(ctx context.Context, e *env.Env) Check {
	version, err := fio.New(e).Version(ctx)
	if err == nil {
		return Check{Name: "fio", Says: version}
	}
	c := Check{Mark: Bad, Name: "fio", Says: err.Error()}
	var we *model.WorkerError
	if errors.As(err, &we) {
		c.Fix = we.Hint
	}
	return c
}

func cannotProbe(dir string, err error) Check {
	c := Check{Mark: Bad, Name: "place", Says: err.Error(), Fix: "choose another directory: loadline doctor DIR"}
	var we *model.WorkerError
	if errors.As(err, &we) && we.Hint != "" {
		c.Fix = we.Hint
	}
	return c
}

// Examine examines this machine and the target t; dir is the name by which the user gave it.
func Examine(ctx context.Context, e *env.Env, dir string, t model.Target) (*Examination, error) {
	counter := observe.Begin(e.Clock, "")
	select {
	case <-e.After(steadyLook):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	machine := observe.Machine(e)
	checks := []Check{checkFio(ctx, e)}
	if checks[0].Mark != Bad {
		// Two concurrent examinations of a directory use separate files.
		worker, err := session.Connect(ctx, e, "doctor-"+strings.ToLower(rand.Text()[:8]), false)
		if err != nil {
			return nil, err
		}
		defer worker.Close()
		probe, err := worker.Probe(ctx, model.ProbeRequest{Target: t, MayWrite: t.Kind == model.Directory}, nil)
		if err != nil {
			checks = append(checks, cannotProbe(dir, err))
		} else {
			checks = append(checks, checkPlace(dir, probe)...)
		}
	}
	checks = append(checks, checkLimits(observe.ReadLimits())...)
	checks = append(checks, checkMachine(machine, counter.End())...)
	return examination(machine.Hostname, dir, checks), nil
}

func examination(host, target string, checks []Check) *Examination {
	x := &Examination{Schema: Schema, Host: host, Target: target, Checks: checks}
	for _, c := range checks {
		x.Outcome = max(x.Outcome, c.Mark)
	}
	return x
}
