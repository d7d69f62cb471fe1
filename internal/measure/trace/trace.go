package trace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// Options are the parameters of a trace and its callbacks.
type Options struct {
	Request iotrace.Request
	Clock   env.Clock
	// Method is how to trace; empty selects the available method that sees most.
	Method iotrace.Method
	// Ready, if set, is called when everything is loaded and before the trace begins; it may block.
	// An error ends the trace there.
	Ready func() error
	// Begun is called with the record when the trace has begun, before its first second.
	Begun func(iotrace.Run) error
	// Second is called for each second with the I/Os that ended in it, restricted to what was
	// requested; end is when that second ended, since the beginning. An error ends the trace.
	Second func(end float64, samples []iotrace.Sample) error
}

// settleTime is how long devices are watched before counting begins, so that few I/Os are in flight
// whose start was not seen.
const settleTime = 100 * time.Millisecond

// interval is how often the kernel's maps are read.
const interval = time.Second

// root is the root of this machine's files.
var root = os.DirFS("/")

// Resolve finds the devices and cgroups that a request names, and refuses those that do not exist.
// device is what a target is on, by the kernel's name or a path below /dev.
func Resolve(r *iotrace.Request, clock env.Clock, device, cgroup string) error {
	if device != "" {
		name, err := deviceNamed(root, device)
		if err != nil {
			return err
		}
		r.Devices = append(r.Devices, name)
	}
	if r.PID != 0 {
		if _, err := os.Stat("/proc/" + strconv.Itoa(r.PID)); err != nil || r.PID < 0 {
			return model.RefusedError(fmt.Sprintf("there is no process %d", r.PID), "name one that runs (ps -e), or trace the whole device and look for its command")
		}
	}
	given := 0
	c := machineCgroups(clock)
	for _, one := range []struct {
		name string
		find func(string) ([]string, error)
	}{{r.Container, c.containerCgroups}, {r.Pod, func(pod string) ([]string, error) { return c.podCgroups(pod, "/var/log/pods") }}, {cgroup, c.given}} {
		if one.name == "" {
			continue
		}
		found, err := one.find(one.name)
		if err != nil {
			return err
		}
		r.Cgroups = append(r.Cgroups, found...)
		given++
	}
	if given > 1 {
		return model.RefusedError("--container, --pod and --cgroup each name whose I/O is wanted", "use one of them")
	}
	return nil
}

func machineCgroups(clock env.Clock) *cgroups {
	text, _ := os.ReadFile("/proc/self/mountinfo")
	return newCgroups(clock, string(text))
}

// deviceNamed returns the whole device for a name: "vda", "/dev/vda1", or a link to one.
func deviceNamed(files fs.FS, name string) (string, error) {
	if !strings.Contains(name, "/") {
		if _, err := readDevice(files, name); err == nil {
			return name, nil
		}
		name = "/dev/" + name
	}
	info, err := os.Stat(name)
	if err != nil {
		return "", model.RefusedError(fmt.Sprintf("there is no block device %s", strings.TrimPrefix(name, "/dev/")), "lsblk lists those of this machine")
	}
	number, ok := blockNumber(info)
	if !ok {
		return "", model.RefusedError(name+" is not a block device", "name one that lsblk lists, or give the directory or the file as TARGET")
	}
	whole, err := wholeOf(files, number)
	if err != nil {
		return "", model.RefusedError(fmt.Sprintf("%s: %v", name, err), "lsblk lists those of this machine")
	}
	return whole, nil
}

// Below returns the device that holds a file or a directory; empty if it is not on a single device of
// this machine (on a network, in memory, or on several devices).
func Below(file string) (string, error) {
	var st unix.Stat_t
	if err := unix.Stat(file, &st); err != nil {
		return "", model.RefusedError(fmt.Sprintf("%s cannot be looked at: %v", file, err), "")
	}
	number := uint64(st.Dev)
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		number = uint64(st.Rdev)
	}
	if unix.Major(number) == 0 {
		return "", nil
	}
	name, err := wholeOf(root, fmt.Sprintf("%d:%d", unix.Major(number), unix.Minor(number)))
	if err != nil {
		return "", nil
	}
	return name, nil
}

// Holding returns the device or the partition that holds a directory, to be counted. It fails if the
// directory is not on exactly one.
func Holding(dir string) (string, error) {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return "", fmt.Errorf("it cannot be looked at: %w", err)
	}
	number := uint64(st.Dev)
	if unix.Major(number) == 0 {
		return "", errors.New("its filesystem is on no single block device (btrfs, ZFS, a network, memory)")
	}
	return holding(root, fmt.Sprintf("%d:%d", unix.Major(number), unix.Minor(number)))
}

// Run traces until the time is over or the context ends, which is not an error. It returns the record
// of the trace, without the names and times of the run that it is part of.
func Run(ctx context.Context, o Options) (iotrace.Run, error) {
	run := iotrace.Run{Schema: iotrace.RunSchema, Request: o.Request}
	t, err := chooseTracer(o, &run)
	if err != nil {
		return run, err
	}
	run.Limitations = append(run.Limitations, t.limitations()...)
	if o.Ready != nil {
		if err := o.Ready(); err != nil {
			return run, errors.Join(err, t.close())
		}
	}
	err = errors.Join(record(ctx, t, o, &run), t.close())
	return run, err
}

// chooseTracer returns the tracer for the requested method, or else for the one that sees most, and
// records in run which it is and why it is not a better one.
func chooseTracer(o Options, run *iotrace.Run) (tracer, error) {
	filtered := o.Request.PID != 0 || len(o.Request.Cgroups) > 0
	var refusals []*model.WorkerError
	for _, m := range []struct {
		method iotrace.Method
		begin  func(iotrace.Request, env.Clock) (tracer, error)
		why    func(error) *model.WorkerError
	}{{iotrace.ByBPF, newBPFTracer, bpfRefusal}, {iotrace.ByPerf, func(r iotrace.Request, c env.Clock) (tracer, error) {
		return newPerfTracer(r, c, o.Method == iotrace.ByPerf)
	}, perfRefusal}} {
		if o.Method != "" && o.Method != m.method {
			continue
		}
		t, err := m.begin(o.Request, o.Clock)
		if err == nil {
			run.Method = m.method
			for _, why := range refusals {
				run.Limitations = append(run.Limitations, why.Message+", so this trace is by the events that Linux writes for perf")
			}
			return t, nil
		}
		var refused *model.WorkerError
		if errors.As(err, &refused) {
			return nil, err
		}
		refusals = append(refusals, m.why(err))
	}
	if len(refusals) > 0 && (o.Method != "" || filtered) {
		return nil, joinRefusals(refusals)
	}
	for i, why := range refusals {
		sentence := why.Message
		if i == len(refusals)-1 {
			sentence += ", so this trace is the device's own counters"
		}
		run.Limitations = append(run.Limitations, sentence)
	}
	if filtered {
		return nil, model.RefusedError("the device's own counters do not tell processes and cgroups apart", "leave out --method counters, or the process and the cgroup")
	}
	run.Method = iotrace.ByCounters
	return newCounterTracer(o.Request)
}

// joinRefusals says why none of the methods that were tried is possible; its hint is that of the
// first one, which sees most.
func joinRefusals(refusals []*model.WorkerError) error {
	var sentences []string
	for _, why := range refusals {
		sentences = append(sentences, why.Message)
	}
	return model.RefusedError(strings.Join(sentences, "; and "), refusals[0].Hint)
}

// tracer produces the samples of one method.
type tracer interface {
	// limitations returns sentences about what the method cannot tell on this machine.
	limitations() []string
	// begin starts counting; second returns what has ended since then or since its last call, and
	// finish the devices.
	begin() error
	second() ([]iotrace.Sample, error)
	finish() ([]iotrace.Device, error)
	// lostRecords returns how many of the kernel's records had been lost by the call of finish; 0 if the
	// method reads none.
	lostRecords() uint64
	// close releases its resources in the kernel.
	close() error
}

// record traces, and stores the outcome in run.
func record(ctx context.Context, t tracer, o Options, run *iotrace.Run) error {
	if err := t.begin(); err != nil {
		return err
	}
	began := o.Clock.Now()
	if o.Begun != nil {
		if err := o.Begun(*run); err != nil {
			return err
		}
	}
	var finished <-chan time.Time
	if o.Request.Seconds > 0 {
		timer := o.Clock.NewTimer(o.Clock.Until(began.Add(time.Duration(o.Request.Seconds * float64(time.Second)))))
		defer timer.Stop()
		finished = timer.C
	}
	tick := o.Clock.NewTicker(interval)
	defer tick.Stop()
	last := began
	deliver := func(samples []iotrace.Sample) error {
		now := o.Clock.Now()
		for i := range samples {
			samples[i].End, samples[i].Seconds = now.Sub(began).Seconds(), now.Sub(last).Seconds()
		}
		last = now
		slices.SortFunc(samples, compareSamples)
		return o.Second(now.Sub(began).Seconds(), samples)
	}
	for going := true; going; {
		select {
		case <-tick.C:
			samples, err := t.second()
			if err != nil {
				return err
			}
			if err := deliver(samples); err != nil {
				return err
			}
		case <-finished:
			going = false
		case <-ctx.Done():
			going = false
		}
	}
	var err error
	run.Seconds = o.Clock.Since(began).Seconds()
	if run.Devices, err = t.finish(); err != nil {
		return err
	}
	run.LostRecords = t.lostRecords()
	samples, err := t.second()
	if err != nil {
		return err
	}
	return deliver(samples)
}

// errNoDevice is the refusal if there is nothing to trace.
var errNoDevice = model.RefusedError("this machine has no block device", "run this where the devices are: on the node, not in the volume's client")

// matches reports whether a sample matches the request.
func matches(r *iotrace.Request, s *iotrace.Sample) bool {
	return (r.PID == 0 || s.PID == r.PID) && (len(r.Cgroups) == 0 || inCgroups(s.Cgroup, r.Cgroups))
}

// matchingDevices returns the existing devices of a request.
func matchingDevices(r *iotrace.Request) ([]device, error) {
	list, err := devices(root)
	return slices.DeleteFunc(list, func(d device) bool { return len(r.Devices) > 0 && !slices.Contains(r.Devices, d.name) }), err
}

// compareSamples orders the samples of a second.
func compareSamples(a, b iotrace.Sample) int {
	for _, c := range []int{
		strings.Compare(a.Device, b.Device), strings.Compare(string(a.Operation), string(b.Operation)),
		a.PID - b.PID, strings.Compare(a.Command, b.Command), strings.Compare(a.Cgroup, b.Cgroup),
	} {
		if c != 0 {
			return c
		}
	}
	return int(a.Size - b.Size)
}
