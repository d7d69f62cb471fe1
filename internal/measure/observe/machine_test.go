package observe

import (
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// files returns a file system that looks like a machine's "/".
func files(content map[string]string) fstest.MapFS {
	fs := fstest.MapFS{}
	for name, text := range content {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}

const cpuinfo = `processor	: 0
model name	: Some CPU @ 2.00GHz
flags		: fpu vme hypervisor avx

processor	: 1
model name	: Some CPU @ 2.00GHz
flags		: fpu vme hypervisor avx
`

func TestReadMachine(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  model.Environment
	}{
		"nothing": {nil, model.Environment{}},
		"virtual machine in a version 2 cgroup": {map[string]string{
			"proc/cpuinfo":   cpuinfo,
			"proc/meminfo":   "MemTotal:        8000000 kB\nMemFree: 5 kB\n",
			"etc/os-release": "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n",
			"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
			"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":            "powersave\n",
			"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor":            "powersave\n",
			"sys/class/dmi/id/sys_vendor":                                     "QEMU\n",
			"sys/class/dmi/id/product_name":                                   "Standard PC (Q35 + ICH9, 2009)\n",
			"proc/self/cgroup":                                                "0::/pod/box\n",
			"proc/self/mountinfo":                                             "31 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n",
			"sys/fs/cgroup/pod/box/cpu.max":                                   "max 100000\n",
			"sys/fs/cgroup/pod/cpu.max":                                       "150000 100000\n",
			"sys/fs/cgroup/pod/box/memory.max":                                "2147483648\n",
			"sys/fs/cgroup/pod/memory.max":                                    "4294967296\n",
		}, model.Environment{
			OS: "Debian GNU/Linux 12 (bookworm)", CPUModel: "Some CPU @ 2.00GHz", CPUs: 2, Governor: "powersave", Memory: 8000000 << 10,
			Clocksource: "tsc", Virtualization: "qemu", CgroupCPU: 1.5, CgroupMemory: 2 << 30,
		}},
		"container with version 1 and no namespace of its own": {map[string]string{
			"proc/cpuinfo": cpuinfo,
			"proc/meminfo": "MemTotal: 8000000 kB\n",
			"proc/self/cgroup": "9:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n" +
				"0::/docker/abc\n",
			"proc/self/mountinfo": "33 31 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n" +
				"36 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n" +
				"41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us":  "50000\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":  "9223372036854771712\n",
		}, model.Environment{
			CPUModel: "Some CPU @ 2.00GHz", CPUs: 2, Memory: 8000000 << 10, Virtualization: "unknown hypervisor", CgroupCPU: 0.5,
		}},
		"bare ARM machine": {map[string]string{
			"proc/cpuinfo":                                         "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\nprocessor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n",
			"sys/class/dmi/id/sys_vendor":                          "Ampere\n",
			"sys/class/dmi/id/product_name":                        "Mt. Snow\n",
			"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
			"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "schedutil\n",
		}, model.Environment{CPUModel: "ARM implementer 0x41 part 0xd0c", CPUs: 2, Virtualization: "none", Governor: "performance schedutil"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, readMachine(files(c.files))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestVirtualization(t *testing.T) {
	dmi := func(vendor, product string) map[string]string {
		return map[string]string{"sys/class/dmi/id/sys_vendor": vendor, "sys/class/dmi/id/product_name": product}
	}
	for _, c := range []struct {
		files map[string]string
		flag  bool
		want  string
	}{
		{nil, false, ""},
		{nil, true, "unknown hypervisor"},
		{dmi("Amazon EC2", "m6i.large"), true, "amazon"},
		{dmi("Amazon EC2", "m6i.metal"), false, "none"},
		{dmi("Microsoft Corporation", "Virtual Machine"), true, "microsoft"},
		{dmi("Dell Inc.", "PowerEdge R650"), false, "none"},
		{map[string]string{"sys/hypervisor/type": "xen\n"}, true, "xen"},
	} {
		if got := virtualization(files(c.files), c.flag); got != c.want {
			t.Errorf("%v, flag %v: %q, want %q", c.files, c.flag, got, c.want)
		}
	}
}

func TestThisMachine(t *testing.T) {
	m := Machine(env.OS())
	if m.Hostname == "" || m.Kernel == "" || m.Arch != runtime.GOARCH || m.CPUs < 1 {
		t.Errorf("%+v", m)
	}
	if runtime.GOOS == "linux" && (m.OS == "" || m.Memory < 64<<20 || m.CgroupMemory < 0 || m.CgroupMemory >= m.Memory || m.CgroupCPU < 0) {
		t.Errorf("%+v", m)
	}
}

func TestLimits(t *testing.T) {
	got := readLimits(files(map[string]string{
		"proc/sys/fs/aio-max-nr": "65536\n", "proc/sys/fs/aio-nr": "128\n", "proc/sys/kernel/io_uring_disabled": "2\n",
	}))
	if diff := cmp.Diff(Limits{AIOMax: 65536, AIOUsed: 128, IOUringDisabled: new(2)}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Limits{}, readLimits(files(nil))); diff != "" {
		t.Error(diff)
	}
	if l := ReadLimits(); l.Memlock != nil && *l.Memlock <= 0 || runtime.GOOS == "linux" && l.AIOMax <= 0 {
		t.Errorf("%+v", l)
	}
}
