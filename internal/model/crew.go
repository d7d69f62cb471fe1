package model

import "math"

// DeviceWindow adds up the stretches over which client and device can be compared, of
// several steps. A device that several workers of a step use was counted by each of
// them and counts once. ok is false when there is none, and a step in which a worker
// has none is left out.
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

// deviceWindow is DeviceWindow of one step. The workers' stretches are not exactly the
// same, so rates are added up and not counts.
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

// DeviceRates is how many bytes per second the devices below several steps read and
// wrote. One worker's count is enough for a device that several use. ok is false when
// nothing was counted; a step in which a device was not counted is left out.
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

// add adds the scaled counts of another window, and leaves the time as it is.
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

// NodeOf is the machine of a worker's volume; "" where there is one machine.
func (p *Plan) NodeOf(worker int) string {
	if worker < len(p.Volumes) {
		return p.Volumes[worker].Node
	}
	return ""
}

// VolumeOf is what a worker does its I/O on.
func (p *Plan) VolumeOf(worker int) Volume {
	if len(p.Volumes) == 0 {
		return p.Volume
	}
	return p.Volumes[worker]
}

// PrepareRequest asks a worker to make its volume ready. Each of several volumes may take
// as long as all of them, which may share one disk.
func (p *Plan) PrepareRequest(worker int) PrepareRequest {
	r := PrepareRequest{
		Volume: p.VolumeOf(worker), Destroy: p.Experiment.DestroyDataOn,
		MaxSeconds: p.Experiment.MaxPrefill * float64(max(1, len(p.Volumes))), Least: LeastSize(p.Workloads),
	}
	if len(p.Volumes) > 0 {
		r.Destroy = r.Volume.DestroyDataOn
	}
	return r
}

// SharedAs is a name for what several volumes of a plan may have in common, all of
// their bytes: an existing device, image, file or claim. It is empty for a volume that
// is nobody else's: a file of its own, or a claim that was made for it.
func (v *Volume) SharedAs() string {
	c := v.Target.Cluster
	switch {
	case v.Owned || v.Target.Kind == Fake || c.Made():
		return ""
	case c != nil:
		// Pods on several nodes may use one claim.
		return c.Namespace + "/" + c.Name
	}
	return v.Node + " " + string(v.Target.Kind) + " " + v.Target.Path + v.Target.URI
}
