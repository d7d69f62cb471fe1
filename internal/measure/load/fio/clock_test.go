package fio

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// fio is told to read the cycle counter exactly where the kernel does and the processor says that it is reliable, and never
// for a job that names a clock.
func TestClockIsNamedWhereTheKernelKnowsIt(t *testing.T) {
	const reliable = "processor\t: 0\nflags\t\t: fpu tsc constant_tsc rep_good nonstop_tsc cpuid\n"
	for name, c := range map[string]struct {
		source, cpus, job string
		named             bool
	}{
		"reliable":              {source: "tsc\n", cpus: reliable, job: "[w]\nrw=read\n", named: true},
		"Arm":                   {source: "arch_sys_counter\n", job: "[w]\nrw=read\n", named: true},
		"stops in deep sleep":   {source: "tsc\n", cpus: strings.Replace(reliable, "nonstop_tsc ", "", 1), job: "[w]\nrw=read\n"},
		"changes its rate":      {source: "tsc\n", cpus: strings.Replace(reliable, "constant_tsc ", "", 1), job: "[w]\nrw=read\n"},
		"the hypervisor's":      {source: "kvm-clock\n", cpus: reliable, job: "[w]\nrw=read\n"},
		"unknown":               {cpus: reliable, job: "[w]\nrw=read\n"},
		"the job's own":         {source: "tsc\n", cpus: reliable, job: "[global]\nclocksource=gettimeofday\n[w]\nrw=read\n"},
		"the job's own, spaced": {source: "tsc\n", cpus: reliable, job: "[w]\n clocksource = clock_gettime\nrw=read\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := fakeDriver(t, `echo "$@" >"$docs/arguments"`)
			d.env.ReadFile = func(path string) ([]byte, error) {
				switch {
				case strings.HasSuffix(path, "/current_clocksource") && c.source != "":
					return []byte(c.source), nil
				case path == "/proc/cpuinfo":
					return []byte(c.cpus), nil
				}
				return nil, errors.New("no such file")
			}
			path, err := d.find()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.execute(t.Context(), process{text: c.job, args: []string{"--readonly"}, silence: d.limits.silence}); err != nil {
				t.Fatal(err)
			}
			said, err := os.ReadFile(strings.TrimSuffix(path, "/fio") + "/arguments")
			if err != nil {
				t.Fatal(err)
			}
			if args := strings.Fields(string(said)); slices.Contains(args, "--clocksource=cpu") != c.named || args[len(args)-1] != "job.fio" {
				t.Errorf("fio was started with %q", args)
			}
		})
	}
}
