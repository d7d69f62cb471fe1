package model

import "math"

// Link is the traffic of a network card in bytes, and its Speed in bytes/s in each direction.
type Link struct {
	Name     string  `json:"name"`
	Received uint64  `json:"received"`
	Sent     uint64  `json:"sent"`
	Speed    float64 `json:"speed"`
}

// Counters holds the machine's counters over a step (ramp included).
type Counters struct {
	Seconds float64 `json:"seconds"`
	// Idle, Steal and IOWait are fractions of all CPU time.
	Idle   float64 `json:"idle"`
	Steal  float64 `json:"steal"`
	IOWait float64 `json:"iowait"`
	// BusiestCPU is the busy fraction of the busiest core.
	BusiestCPU float64 `json:"busiest_cpu"`
	// OwnCPU is the CPU time, in seconds, of the worker itself and of its load tools that have ended: all of
	// fio's threads and what reads its output, not only what moves I/O; 0 if it was not counted.
	OwnCPU float64 `json:"own_cpu_seconds,omitempty"`
	// Throttled is the time in seconds for which the cgroup's CPU limit throttled us.
	Throttled float64 `json:"throttled"`
	// Device is the block device behind the volume, if any, with its counts.
	Device        string `json:"device,omitempty"`
	DeviceReads   uint64 `json:"device_reads,omitempty"`
	DeviceWrites  uint64 `json:"device_writes,omitempty"`
	DeviceRead    uint64 `json:"device_read_bytes,omitempty"`
	DeviceWritten uint64 `json:"device_written_bytes,omitempty"`
	ReadMerges    uint64 `json:"read_merges,omitempty"`
	WriteMerges   uint64 `json:"write_merges,omitempty"`
	// Link is the busiest network card of known speed; nil if there is none.
	Link *Link `json:"link,omitempty"`
	// Window is the part of the step over which client and device can be compared; nil if the step was
	// too short, or there is no device.
	Window *Window `json:"window,omitempty"`
	// DeviceFlushes is the number of flushes requested of the device. Some kernels also count each as a
	// write (of 0 bytes).
	DeviceFlushes uint64 `json:"device_flushes,omitempty"`
	// LogDevice is the device behind an application's log, if the log has its own, with its counts.
	LogDevice        string `json:"log_device,omitempty"`
	LogDeviceReads   uint64 `json:"log_device_reads,omitempty"`
	LogDeviceWrites  uint64 `json:"log_device_writes,omitempty"`
	LogDeviceFlushes uint64 `json:"log_device_flushes,omitempty"`
	LogDeviceWritten uint64 `json:"log_device_written_bytes,omitempty"`
}

// Window is a part of a step for which the device's and the client's counts are known at the same
// moments (from the end of one sample to the end of another), so that they can be compared. Counts are
// I/Os, except Read and Written, which are bytes.
type Window struct {
	Seconds       float64 `json:"seconds"`
	DeviceReads   uint64  `json:"device_reads"`
	DeviceWrites  uint64  `json:"device_writes"`
	DeviceRead    uint64  `json:"device_read_bytes"`
	DeviceWritten uint64  `json:"device_written_bytes"`
	ReadMerges    uint64  `json:"read_merges"`
	WriteMerges   uint64  `json:"write_merges"`
	ClientReads   uint64  `json:"client_reads"`
	ClientWrites  uint64  `json:"client_writes"`
	ClientRead    uint64  `json:"client_read_bytes"`
	ClientWritten uint64  `json:"client_written_bytes"`
}

// DeviceWindow sums the windows, over several steps, in which client and device can be compared. A
// device shared by several workers of a step was counted by each of them and counts once. ok is false
// if there is none; a step in which any worker has no window is left out.
func DeviceWindow(steps []StepResult, node func(worker int) string) (sum Window, ok bool) {
	byStep := map[int][]StepResult{}
	var order []int
	for _, s := range steps {
		if len(byStep[s.Step.Number]) == 0 {
			order = append(order, s.Step.Number)
		}
		byStep[s.Step.Number] = append(byStep[s.Step.Number], s)
	}
	for _, n := range order {
		if w, whole := deviceWindow(byStep[n], node); whole {
			sum.add(w, 1)
			sum.Seconds += w.Seconds
			ok = true
		}
	}
	return sum, ok
}

// deviceWindow is DeviceWindow for one step. The workers' windows are not exactly the same, so it sums
// rates, not counts.
func deviceWindow(step []StepResult, node func(worker int) string) (sum Window, whole bool) {
	users := map[string]float64{}
	for _, s := range step {
		if s.Counters == nil || s.Counters.Window == nil || s.Counters.Window.Seconds <= 0 {
			return sum, false
		}
		users[node(s.Worker)+"/"+s.Counters.Device]++
		sum.Seconds += s.Counters.Window.Seconds / float64(len(step))
	}
	for _, s := range step {
		w := *s.Counters.Window
		scale := sum.Seconds / w.Seconds
		device, client := w, w
		client.DeviceReads, client.DeviceWrites, client.DeviceRead, client.DeviceWritten, client.ReadMerges, client.WriteMerges = 0, 0, 0, 0, 0, 0
		device.ClientReads, device.ClientWrites, device.ClientRead, device.ClientWritten = 0, 0, 0, 0
		sum.add(client, scale)
		sum.add(device, scale/users[node(s.Worker)+"/"+s.Counters.Device])
	}
	return sum, true
}

// DeviceRates returns how many bytes per second the devices below several steps read and wrote. For a
// shared device one worker's count is enough. ok is false if nothing was counted; a step in which a
// device was not counted is left out.
func DeviceRates(steps []StepResult, node func(worker int) string) (read, written float64, ok bool) {
	type sums struct{ read, written, seconds, n float64 }
	byStep := map[int]map[string]*sums{}
	for _, s := range steps {
		devices := byStep[s.Step.Number]
		if devices == nil {
			devices = map[string]*sums{}
			byStep[s.Step.Number] = devices
		}
		name := node(s.Worker) + "/"
		if s.Counters != nil {
			name += s.Counters.Device
		}
		if devices[name] == nil {
			devices[name] = &sums{}
		}
		if s.Counters != nil && s.Counters.Window != nil && s.Counters.Window.Seconds > 0 {
			d, w := devices[name], s.Counters.Window
			d.read, d.written = d.read+float64(w.DeviceRead)/w.Seconds, d.written+float64(w.DeviceWritten)/w.Seconds
			d.seconds, d.n = d.seconds+w.Seconds, d.n+1
		}
	}
	var seconds float64
	for _, devices := range byStep {
		var r, w, t float64
		whole := true
		for _, d := range devices {
			if d.n == 0 {
				whole = false
				break
			}
			r, w, t = r+d.read/d.n, w+d.written/d.n, t+d.seconds/d.n/float64(len(devices))
		}
		if whole {
			read, written, seconds = read+r*t, written+w*t, seconds+t
		}
	}
	if seconds == 0 {
		return 0, 0, false
	}
	return read / seconds, written / seconds, true
}

// add adds the scaled counts of another window, without changing the time.
func (w *Window) add(o Window, scale float64) {
	for _, c := range []struct {
		to   *uint64
		from uint64
	}{
		{&w.DeviceReads, o.DeviceReads}, {&w.DeviceWrites, o.DeviceWrites}, {&w.DeviceRead, o.DeviceRead}, {&w.DeviceWritten, o.DeviceWritten},
		{&w.ReadMerges, o.ReadMerges}, {&w.WriteMerges, o.WriteMerges},
		{&w.ClientReads, o.ClientReads}, {&w.ClientWrites, o.ClientWrites}, {&w.ClientRead, o.ClientRead}, {&w.ClientWritten, o.ClientWritten},
	} {
		*c.to += uint64(math.Round(float64(c.from) * scale))
	}
}
