package observe

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/measure/procfs"
)

func TestMemoryKills(t *testing.T) {
	const (
		vmstat = "nr_free_pages 7\noom_kill 9\n"
		v1     = "30 23 0:25 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
		v2     = "31 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
	)
	n := func(n int64) *int64 { return &n }
	for name, c := range map[string]struct {
		files map[string]string
		want  procfs.MemoryKills
	}{
		"version 1": {map[string]string{
			"proc/self/cgroup": "4:memory:/x\n0::/\n", "proc/self/mountinfo": v1 + v2, "proc/vmstat": vmstat,
			"sys/fs/cgroup/memory/x/memory.oom_control":        "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes":     "67108864\n",
			"sys/fs/cgroup/memory/x/memory.max_usage_in_bytes": "50331648\n",
		}, procfs.MemoryKills{Group: n(3), Machine: n(9), Limit: 64 << 20, Used: new(0.75)}},
		"version 2": {map[string]string{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": v2, "proc/vmstat": vmstat,
			"sys/fs/cgroup/memory.events": "low 0\nhigh 0\nmax 8\noom 2\noom_kill 2\n", "sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/memory.peak": "67108864\n",
		}, procfs.MemoryKills{Group: n(2), Machine: n(9), Limit: 0, Used: nil}},
		"a group in a group": {map[string]string{
			"proc/self/cgroup": "0::/user/fio\n", "proc/self/mountinfo": v2, "proc/vmstat": vmstat,
			"sys/fs/cgroup/user/fio/memory.events": "oom 7\noom_kill 8\n", "sys/fs/cgroup/user/fio/memory.events.local": "oom 0\noom_kill 1\n",
			"sys/fs/cgroup/user/fio/memory.max": "134217728\n", "sys/fs/cgroup/user/fio/memory.peak": "33554432\n",
			"sys/fs/cgroup/user/memory.events": "oom 50\noom_kill 60\n", "sys/fs/cgroup/user/memory.max": "67108864\n", "sys/fs/cgroup/user/memory.peak": "67108864\n",
		}, procfs.MemoryKills{Group: n(1), Machine: n(9), Limit: 64 << 20, Used: new(1.0)}},
		"a group that is nearer to its own limit": {map[string]string{
			"proc/self/cgroup": "0::/user/fio\n", "proc/self/mountinfo": v2, "proc/vmstat": vmstat,
			"sys/fs/cgroup/user/fio/memory.events": "oom_kill 8\n", "sys/fs/cgroup/user/fio/memory.max": "134217728\n", "sys/fs/cgroup/user/fio/memory.peak": "134217728\n",
			"sys/fs/cgroup/user/memory.max": "268435456\n", "sys/fs/cgroup/user/memory.peak": "134217728\n",
		}, procfs.MemoryKills{Group: n(8), Machine: n(9), Limit: 128 << 20, Used: new(1.0)}},
		"a group far from its own limit": {map[string]string{
			"proc/self/cgroup": "0::/user/fio\n", "proc/self/mountinfo": v2, "proc/vmstat": vmstat,
			"sys/fs/cgroup/user/fio/memory.events": "oom_kill 8\n", "sys/fs/cgroup/user/fio/memory.max": "134217728\n", "sys/fs/cgroup/user/fio/memory.peak": "67108864\n",
			"sys/fs/cgroup/user/memory.max": "268435456\n", "sys/fs/cgroup/user/memory.peak": "268435456\n",
		}, procfs.MemoryKills{Group: n(8), Machine: n(9), Limit: 256 << 20, Used: new(1.0)}},
		"an old kernel": {map[string]string{
			"proc/self/cgroup": "4:memory:/x\n", "proc/self/mountinfo": v1,
			"sys/fs/cgroup/memory/x/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "67108864\n",
		}, procfs.MemoryKills{Group: nil, Machine: nil, Limit: 64 << 20, Used: nil}},
		"no cgroups": {map[string]string{"proc/vmstat": vmstat}, procfs.MemoryKills{Group: nil, Machine: n(9), Limit: 0, Used: nil}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, memoryKills(files(c.files))); d != "" {
				t.Error(d)
			}
		})
	}
}
