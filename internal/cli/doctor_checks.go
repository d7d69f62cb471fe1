package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/observe"
)

// What the doctor asks for. 4 GiB of room keep a file out of most caches' easy
// reach; 8 jobs at depth 32 are the largest built-in workload and need 256 libaio
// requests; io_uring locks about 8 MiB before kernel 5.12.
const (
	roomWanted    = 4 << 30
	aioWanted     = 256
	memlockWanted = 8 << 20
	stealAllowed  = 0.02
	idleWanted    = 0.80
)

// checkPlace judges the directory or device.
func checkPlace(dir string, p *model.ProbeResult) []check {
	s := p.Environment.Storage
	engines := check{name: "engines", says: strings.Join(p.Engines, ", ")}
	if !slices.Contains(p.Engines, "io_uring") && !slices.Contains(p.Engines, "libaio") && len(p.Engines) > 0 && p.Engines[0] == "psync" {
		engines.mark, engines.says = fair, "only psync works: queue depths above 1 cannot be measured"
		engines.mend = "install a fio with libaio or io_uring, and allow io_uring (sysctl kernel.io_uring_disabled=0)"
	}
	direct := check{name: "direct I/O", says: "works on " + dir}
	if !p.Direct {
		direct = check{fair, "direct I/O", fmt.Sprintf("is refused on %s (%s): numbers would be those of the page cache", dir, s.DirectError), "choose another filesystem"}
	}
	switch {
	case !p.Direct:
	case s.Bypassed != nil && !*s.Bypassed:
		direct = check{fair, "direct I/O", fmt.Sprintf("is accepted on %s and is not direct: %s", dir, s.BypassDetail),
			"mount it without what prevents direct I/O (ext4: data=journal), or choose another filesystem"}
	case s.Bypassed == nil && s.Filesystem != "":
		direct.says = fmt.Sprintf("is accepted on %s; whether %s answers from memory all the same does not show", dir, s.Filesystem)
	}
	memory := check{name: "storage", says: fmt.Sprintf("%s on %s", orUnknown(s.Filesystem), orUnknown(s.Device))}
	if s.Memory {
		memory = check{bad, "storage", dir + " lives in memory (" + s.Filesystem + "): it is no storage", "name a directory on a disk: loadline doctor DIR"}
	}
	room := check{name: "room", says: model.FormatSize(p.Capacity) + " may be used"}
	if p.Capacity < roomWanted {
		room.mark = fair
		room.says += ": caches may hold all of it"
		room.mend = "free some space, or choose another directory"
	}
	return []check{engines, direct, memory, room}
}

// checkLimits judges the kernel's limits on asynchronous I/O.
func checkLimits(l observe.Limits) []check {
	var checks []check
	if l.Memlock >= 0 {
		c := check{name: "memlock", says: model.FormatSize(l.Memlock)}
		if l.Memlock < memlockWanted {
			c = check{fair, "memlock", model.FormatSize(l.Memlock) + " may be too little for io_uring on old kernels", "ulimit -l unlimited"}
		}
		checks = append(checks, c)
	}
	if l.AIOMax > 0 {
		free := l.AIOMax - l.AIOUsed
		c := check{name: "aio", says: fmt.Sprintf("%d requests free", free)}
		if free < aioWanted {
			c = check{fair, "aio", fmt.Sprintf("only %d libaio requests are free; deep queues need %d", free, aioWanted), "sysctl fs.aio-max-nr=1048576"}
		}
		checks = append(checks, c)
	}
	switch l.IOUringDisabled {
	case 0:
		checks = append(checks, check{name: "io_uring", says: "allowed"})
	case 1, 2:
		checks = append(checks, check{fair, "io_uring", fmt.Sprintf("restricted (kernel.io_uring_disabled=%d); libaio is used where it is not allowed", l.IOUringDisabled), "sysctl kernel.io_uring_disabled=0"})
	}
	return checks
}

// goodClocks are read without a system call, or cheaply enough.
var goodClocks = []string{"tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"}

// checkMachine judges CPU and clock, as they were during a short look.
func checkMachine(m model.Environment, c model.Counters) []check {
	cpu := check{name: "cpu", says: fmt.Sprintf("%d CPUs, %.0f %% idle", m.CPUs, 100*c.Idle)}
	if c.Idle < idleWanted {
		cpu = check{fair, "cpu", fmt.Sprintf("only %.0f %% of %d CPUs are idle before anything is measured", 100*c.Idle, m.CPUs), "end what else runs here (top)"}
	}
	if m.CgroupCPU > 0 {
		cpu.says += fmt.Sprintf(", limited to %.3g by a cgroup", m.CgroupCPU)
	}
	steal := check{name: "steal", says: fmt.Sprintf("%.1f %%", 100*c.Steal)}
	if c.Steal > stealAllowed {
		steal = check{fair, "steal", fmt.Sprintf("%.1f %% of the CPU time is taken by the host: latencies will vary", 100*c.Steal), "measure on a quieter host, or repeat and compare"}
	}
	governor := check{name: "governor", says: "not visible here, which is usual in a virtual machine"}
	switch m.Governor {
	case "":
	case "performance":
		governor.says = m.Governor
	default:
		governor = check{fair, "governor", m.Governor + " lets the CPU slow down between requests: low-rate latencies look worse", "cpupower frequency-set -g performance"}
	}
	clock := check{name: "clock", says: m.Clocksource}
	if m.Clocksource != "" && !slices.Contains(goodClocks, m.Clocksource) {
		clock = check{fair, "clock", m.Clocksource + " is slow to read: fast devices look slower", "boot with clocksource=tsc if the CPU has it"}
	}
	if m.Clocksource == "" {
		clock.says = "not visible here"
	}
	return []check{cpu, steal, governor, clock}
}

func orUnknown(s string) string {
	if s == "" {
		return "an unknown one"
	}
	return s
}
