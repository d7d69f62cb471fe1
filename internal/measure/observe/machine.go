package observe

import (
	"bufio"
	"bytes"
	"context"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// root is the root of the machine's files.
var root = os.DirFS("/")

// Machine describes this machine. Storage is left for package volume to fill in.
func Machine(e *env.Env) model.Environment {
	m := readMachine(root)
	m.Hostname = env.Hostname()
	m.Arch = runtime.GOARCH
	m.Kernel = kernelRelease()
	if m.CPUs == 0 {
		m.CPUs = runtime.NumCPU()
	}
	fillPlatform(&m)
	if v := detectVirt(e); v != "" {
		m.Virtualization = v
	}
	return m
}

// readMachine fills in what can be read from files.
func readMachine(files fs.FS) model.Environment {
	var m model.Environment
	var hypervisor bool
	m.CPUModel, m.CPUs, hypervisor = parseCPUInfo(text(files, "proc/cpuinfo"))
	m.OS = parseOSRelease(text(files, "etc/os-release"))
	m.Governor = governors(files)
	m.Memory = parseMemTotal(text(files, "proc/meminfo"))
	m.Clocksource = text(files, "sys/devices/system/clocksource/clocksource0/current_clocksource")
	m.Virtualization = virtualization(files, hypervisor)
	m.CgroupCPU, m.CgroupMemory = findCgroups(files).limits(files, m.Memory)
	return m
}

// parseOSRelease returns PRETTY_NAME (os-release(5)).
func parseOSRelease(s string) string {
	for line := range strings.Lines(s) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(v, `"'`)
		}
	}
	return ""
}

// parseCPUInfo counts processors and finds the model name. ARM has no model name, only the numbers of
// implementer and part, which are better than nothing.
func parseCPUInfo(s string) (model string, cpus int, hypervisor bool) {
	var implementer, part string
	lines := bufio.NewScanner(strings.NewReader(s))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "processor":
			if _, err := strconv.Atoi(value); err == nil {
				cpus++
			}
		case "model name", "Model", "cpu model":
			if model == "" {
				model = value
			}
		case "CPU implementer":
			implementer = value
		case "CPU part":
			part = value
		case "flags":
			hypervisor = hypervisor || strings.Contains(" "+value+" ", " hypervisor ")
		}
	}
	if model == "" && implementer != "" {
		model = "ARM implementer " + implementer + " part " + part
	}
	return model, cpus, hypervisor
}

// parseMemTotal returns MemTotal in bytes.
func parseMemTotal(s string) int64 {
	for line := range strings.Lines(s) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemTotal:" {
			kib, _ := strconv.ParseInt(f[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}

// governors lists the CPUs' frequency governors, usually one for all.
func governors(files fs.FS) string {
	paths, _ := fs.Glob(files, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
	var names []string
	seen := map[string]bool{}
	for _, p := range paths {
		if g := text(files, p); g != "" && !seen[g] {
			seen[g] = true
			names = append(names, g)
		}
	}
	return strings.Join(names, " ")
}

// virtualization identifies the hypervisor by the names in the firmware, or reports by the CPU's flag
// that there is one. "none" requires firmware that names a real manufacturer.
func virtualization(files fs.FS, hypervisor bool) string {
	if t := text(files, "sys/hypervisor/type"); t != "" {
		return t
	}
	dmi := text(files, "sys/class/dmi/id/sys_vendor") + " " + text(files, "sys/class/dmi/id/product_name")
	for _, known := range []struct{ sign, name string }{
		{"KVM", "kvm"}, {"QEMU", "qemu"}, {"Amazon EC2", "amazon"}, {"Google Compute Engine", "google"}, {"VMware", "vmware"},
		{"VirtualBox", "oracle"}, {"Xen", "xen"}, {"Virtual Machine", "microsoft"}, {"OpenStack", "kvm"}, {"Parallels", "parallels"},
		{"Bochs", "bochs"}, {"Apple Virtualization", "apple"},
	} {
		// Amazon's bare-metal machines have the same name; the CPU's flag tells them apart.
		if strings.Contains(dmi, known.sign) && (hypervisor || known.name != "amazon") {
			return known.name
		}
	}
	switch {
	case hypervisor:
		return "unknown hypervisor"
	case strings.TrimSpace(dmi) != "":
		return "none"
	}
	return ""
}

// detectVirt asks systemd, if installed, which also evaluates the CPU's own identification.
func detectVirt(e *env.Env) string {
	if e == nil || e.LookPath == nil {
		return ""
	}
	if _, err := e.LookPath("systemd-detect-virt"); err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	// The exit status is 1 if the answer is "none".
	out, _ := e.Command(ctx, "systemd-detect-virt", "--vm").Output()
	return string(bytes.TrimSpace(out))
}

// text returns the trimmed content of a small file, "" if it cannot be read.
func text(files fs.FS, path string) string {
	b, err := fs.ReadFile(files, path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(bytes.Trim(b, "\x00")))
}

// number returns the integer in a small file; ok is false if there is none.
func number(files fs.FS, path string) (n int64, ok bool) {
	n, err := strconv.ParseInt(text(files, path), 10, 64)
	return n, err == nil
}
