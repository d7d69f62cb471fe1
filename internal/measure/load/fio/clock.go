package fio

import "strings"

// clockArgs returns the argument that names fio's clock for a job, nil where fio has to find out by itself.
//
// A fio that is not told its clock tests at every start whether the cycle counters of all processors agree, which takes
// 0.07 s of a core, half of a start (fio 3.33), and then reads the counter or the kernel's clock (fio_clock_init in fio's
// gettime.c). Where the kernel's own clock is that counter, the kernel has tested the same and keeps watching it, so that
// the outcome is known. A job that names its clock keeps it.
func (d *Driver) clockArgs(text string) []string {
	if namesClock(text) || !d.countsCycles() {
		return nil
	}
	return []string{"--clocksource=cpu"}
}

// countsCycles reports whether the kernel's clock is the cycle counter that fio would use: on x86 the time stamp counter,
// if the processor says that it runs at one rate and does not stop, which fio asks for too; on Arm the system counter.
func (d *Driver) countsCycles() bool {
	d.known.Lock()
	defer d.known.Unlock()
	if d.cycles == nil {
		cycles := false
		source, _ := d.env.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
		switch strings.TrimSpace(string(source)) {
		case "arch_sys_counter":
			cycles = true
		case "tsc":
			cpus, _ := d.env.ReadFile("/proc/cpuinfo")
			cycles = strings.Contains(string(cpus), " constant_tsc ") && strings.Contains(string(cpus), " nonstop_tsc ")
		}
		d.cycles = &cycles
	}
	return *d.cycles
}

// namesClock reports whether a job's text names fio's clock.
func namesClock(text string) bool {
	for line := range strings.Lines(text) {
		if name, _ := option(line); name == "clocksource" {
			return true
		}
	}
	return false
}
