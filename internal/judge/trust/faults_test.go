package trust

import (
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// eachStep and eachFlow change the records of one workload ("" is all).
func eachStep(ev *Evidence, workload string, change func(*model.StepResult)) {
	steps := ev.Recorded.Run.Steps
	for i := range steps {
		if workload == "" || steps[i].Step.Workload == workload {
			change(&steps[i])
		}
	}
}

func eachFlow(ev *Evidence, workload string, change func(*model.Flow)) {
	of := map[int]bool{}
	for _, s := range ev.steps(workload) {
		of[s.Step.Number] = true
	}
	for i := range ev.Recorded.Samples {
		s := &ev.Recorded.Samples[i]
		for _, f := range []*model.Flow{s.Read, s.Write} {
			if f != nil && of[s.Step] {
				change(f)
			}
		}
	}
}

func setWorkload(ev *Evidence, w model.Workload) {
	for i := range ev.Recorded.Plan.Workloads {
		if ev.Recorded.Plan.Workloads[i].Name == w.Name {
			ev.Recorded.Plan.Workloads[i] = w
		}
	}
}

// unanswered has no I/O of a workload complete.
func unanswered(ev *Evidence) {
	eachFlow(ev, lat.Name, func(f *model.Flow) { *f = model.Flow{} })
	ev.Results = slices.DeleteFunc(ev.Results, func(r model.Result) bool { return r.Workload == lat.Name })
}

// busyFor leaves little idle time on two processors while a latency was measured, with a load generator
// that used 0.1 of them and waited for a processor for that share of the time.
func busyFor(idle, waited float64, further func(*Evidence)) func(*Evidence) {
	return func(ev *Evidence) {
		ev.Recorded.Environment.CPUs = 2
		eachStep(ev, lat.Name, func(s *model.StepResult) {
			s.Counters.Idle, s.Counters.IOWait, s.UserCPU, s.SystemCPU, s.CPUWait = idle, 0, 0.04, 0.06, &waited
		})
		if further != nil {
			further(ev)
		}
	}
}

// fault damages a sound run in one way. want is what the rule then reports, also lists the other rules
// that may report something, and says is a part of each of the rule's messages.
type fault struct {
	rule, name string
	spoil      func(*Evidence)
	want       []string
	also       []string
	says       string
	// multiVolume damages a run of several volumes at once; it is implied for faults of the rules about
	// such runs.
	multiVolume bool
}

// evidence is what the fault damages.
func (c fault) evidence() Evidence {
	for _, r := range multiVolumeRules {
		if c.multiVolume || r.Name == c.rule {
			return soundMultiVolume()
		}
	}
	return sound()
}

// faults are those of all files.
var faults = slices.Concat(firstFaults, machineFaults, settledFaults, timeFaults, baselineFaults, multiVolumeFaults)

// asLog turns all workloads into logs, written through the page cache to space that was never written,
// on a volume smaller than what they write.
func asLog(ev *Evidence) {
	for i := range ev.Recorded.Plan.Workloads {
		w := &ev.Recorded.Plan.Workloads[i]
		w.Append, w.Sync = true, "fdatasync"
	}
	v := &ev.Recorded.Plan.Volume
	v.Direct, v.Size = false, 64<<20
	ev.Recorded.Run.Prepare.Proof.Unwritten = 1 << 20
}

var logSpeaks = []string{"buffered", "sparse", "size", "depth"}

var firstFaults = []fault{
	{rule: "interrupted", name: "by the user", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Status, ev.Recorded.Run.Reason = model.Interrupted, "SIGINT"
	}, want: []string{"warning"}, says: "interrupted (SIGINT); 40 repeats were made (at least 40 were planned)"},
	{rule: "interrupted", name: "early", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Status = model.Interrupted
		ev.Recorded.Plan.Steps = append(ev.Recorded.Plan.Steps, model.Step{Number: 41, Workload: lat.Name})
	}, want: []string{"warning"}, says: "interrupted; 40 of at least 41 repeats were made"},
	{rule: "interrupted", name: "in the middle of a repeat", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Status = model.Interrupted
		ev.Recorded.Run.Steps[len(ev.Recorded.Run.Steps)-1].EndedEarly = true
	}, want: []string{"warning"}, says: "interrupted; 39 of at least 40 repeats were made, and a part of another one"},
	{rule: "interrupted", name: "failed", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Status = model.Failed
	}, want: []string{"warning"}, says: "partial: the run failed"},
	{rule: "interrupted", name: "killed", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Status, ev.Recorded.Plan.Steps = model.Running, nil
	}, want: []string{"warning"}, says: "killed"},
	{rule: "interrupted", name: "no status", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Status = ""
	}, want: []string{"not-checked"}},

	{rule: "replaced", name: "in the last repeat", spoil: func(ev *Evidence) {
		last := &ev.Recorded.Run.Steps[len(ev.Recorded.Run.Steps)-1]
		last.Held, last.Replaced = false, "/srv/my data/x was replaced by a symbolic link during the run"
	}, want: []string{"invalid rand-read-iops,rand-write-iops,rand-read-lat,rand-read-rate"}, says: "replaced by a symbolic link"},
	{rule: "replaced", name: "nothing held", spoil: func(ev *Evidence) {
		eachStep(ev, "", func(s *model.StepResult) { s.Held = false })
	}, want: []string{"not-checked"}},
	{rule: "errors", name: "one repeat of two", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Steps[0].Error = "fio: Input/output error."
	}, want: []string{"invalid rand-read-iops"}, says: "incomplete: 1 of 10 repeats of rand-read-iops failed: fio: Input/output error"},
	{rule: "errors", name: "one cause, two workloads", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Steps[0].Error, ev.Recorded.Run.Steps[10].Error = "no space left", "no space left"
	}, want: []string{"invalid rand-read-iops,rand-write-iops"}, says: "2 of 20 repeats of rand-read-iops, rand-write-iops failed: no space left"},
	{rule: "errors", name: "two causes", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Steps[0].Error, ev.Recorded.Run.Steps[10].Error = "killed", "no space left"
	}, want: []string{"invalid rand-read-iops", "invalid rand-write-iops"}, says: "1 of 10"},
	{rule: "errors", name: "counted although the tool ended well", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Steps[20].IOErrors = 12
	}, want: []string{"invalid rand-read-lat"}, says: "I/Os failed"},
	{rule: "errors", name: "short I/O", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Steps[20].ShortIOs = 1
	}, want: []string{"invalid rand-read-lat"}, says: "fewer bytes"},
	{rule: "errors", name: "early exit", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Steps[20].Ended = ev.Recorded.Run.Steps[20].Started + 1.5
	}, want: []string{"invalid rand-read-lat"}, says: "1.50 s instead of 4.00 s"},
	{rule: "errors", name: "ended early on purpose", spoil: func(ev *Evidence) {
		s := &ev.Recorded.Run.Steps[20]
		s.Ended, s.EndedEarly = s.Started+1.5, true
	}},
	{rule: "errors", name: "nothing completed", spoil: unanswered,
		also: []string{"bytes", "depth", "warm-up", "cliff"}, want: []string{"invalid rand-read-lat"}, says: "no I/O of rand-read-lat completed in any repeat: there is no result"},
	{rule: "errors", name: "nothing is known of the end", spoil: func(ev *Evidence) {
		unanswered(ev)
		eachStep(ev, lat.Name, func(s *model.StepResult) { s.EndedEarly = true })
	}},
	{rule: "errors", name: "the samples are lost", spoil: func(ev *Evidence) {
		unanswered(ev)
		ev.Recorded.Damage = []string{"samples.jsonl.zst is missing"}
	}, also: []string{"interrupted"}},

	{rule: "memory", name: "tmpfs", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Storage = model.Storage{Filesystem: "tmpfs", Memory: true}
	}, also: []string{"buffered", "bytes", "merge", "foreign"}, want: []string{"invalid"}, says: "this is memory: the volume is in tmpfs"},
	{rule: "memory", name: "loop on tmpfs", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Storage = model.Storage{Device: "loop0", Memory: true}
	}, also: []string{"buffered"}, want: []string{"invalid"}, says: "this is memory"},
	{rule: "memory", name: "a cache in RAM before a disk", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Storage.MemoryPart = "ram0"
	}, want: []string{"warning"}, says: "of the devices below the volume, ram0 is in RAM"},
	{rule: "memory", name: "a log behind a cache in RAM", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.LogStorage = &model.Storage{Filesystem: "ext4", Device: "dm-0", DeviceChain: []string{"dm-0", "sdb", "ram0"}, MemoryPart: "ram0"}
	}, want: []string{"warning"}, says: "of the devices below the log, ram0 is in RAM"},
	{rule: "memory", name: "both behind caches in RAM", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Storage.MemoryPart = "ram0"
		ev.Recorded.Environment.LogStorage = &model.Storage{Filesystem: "ext4", Device: "dm-0", DeviceChain: []string{"dm-0", "sdb", "ram1"}, MemoryPart: "ram1"}
	}, want: []string{"warning", "warning"}, says: "partly in memory: of the devices below the "},
	{rule: "memory", name: "the log alone", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.LogStorage = &model.Storage{Filesystem: "tmpfs", Memory: true}
	}, want: []string{"warning"}, says: "the log is in memory (tmpfs): its flushes reach no storage"},
	{rule: "memory", name: "the log is not", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.LogStorage = &model.Storage{Filesystem: "xfs", Device: "vdb"}
	}},
	{rule: "memory", name: "across a socket", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Volume.Target.Kind = model.NBD
	}, want: []string{"not-checked"}, says: "server"},
	{rule: "memory", name: "on another machine", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Storage = model.Storage{Filesystem: "nfs4", DeviceChain: []string{"nfs4"}}
	}, want: []string{"not-checked"}, says: "no block device of this machine stands behind nfs4", also: []string{"buffered", "bytes", "foreign", "merge"}},
	{rule: "memory", name: "unknown", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Storage = model.Storage{}
	}, also: []string{"buffered", "bytes", "merge", "foreign"}, want: []string{"not-checked"}},

	{rule: "sparse", name: "holes", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Prepare.Proof.Unwritten = 4096
	}, want: []string{"invalid rand-read-iops,rand-read-lat,rand-read-rate", "warning rand-write-iops"}, says: "4 KiB of 4 GiB were never written (fiemap)"},
	{rule: "sparse", name: "no proof", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Prepare.Proof = model.Proof{Method: "none", Detail: "the filesystem has no FIEMAP"}
	}, want: []string{"not-checked"}, says: "the filesystem has no FIEMAP"},
	{rule: "sparse", name: "content of others", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Prepare.Proof = model.Proof{Method: "none", Sampled: 64, Zeros: 3}
	}, want: []string{"not-checked"}, says: "3 of 64 sampled blocks contain only zeros"},
	{rule: "sparse", name: "content of others, much of it zeros", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Prepare.Proof = model.Proof{Method: "none", Sampled: 64, Zeros: 4}
	}, want: []string{"warning rand-read-iops,rand-read-lat,rand-read-rate"}, says: "4 of 64 sampled blocks contain only zeros"},
	{rule: "sparse", name: "no preparation", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Prepare = nil
	}, want: []string{"not-checked"}},
	{rule: "sparse", name: "a proof that looked at nothing", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Prepare.Proof.Checked = 0
	}, want: []string{"not-checked"}},

	{rule: "sparse", name: "read from memory, so uneven that no second has counts of its own", spoil: func(ev *Evidence) {
		eachStep(ev, "rand-read-iops", func(s *model.StepResult) {
			s.Counters.Window, s.Counters.DeviceRead = nil, 100<<10
		})
	}, want: []string{"invalid rand-read-iops"}, says: "the device served only 0.4 %", also: []string{"bytes", "merge", "foreign"}},
	{rule: "sparse", name: "read from the disk, and no second has counts of its own", spoil: func(ev *Evidence) {
		eachStep(ev, "rand-read-iops", func(s *model.StepResult) { s.Counters.Window = nil })
	}, also: []string{"bytes", "merge", "foreign"}},

	{rule: "buffered", name: "refused", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Volume.Direct, ev.Recorded.Environment.Storage.DirectError = false, "invalid argument"
	}, want: []string{"warning"}, says: "direct I/O was refused (invalid argument)"},
	{rule: "buffered", name: "accepted, and not direct", spoil: func(ev *Evidence) {
		no := false
		ev.Recorded.Environment.Storage.Bypassed, ev.Recorded.Environment.Storage.BypassDetail = &no, "1 MiB of the 1 MiB that were read past the page cache are in it"
	}, want: []string{"warning"}, says: "direct I/O is accepted here but is not direct: 1 MiB"},
	{rule: "buffered", name: "accepted, without a reason", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Storage.Bypassed = nil
	}, want: []string{"warning"}, says: "nothing shows that it is direct (the run does not say why)"},
	{rule: "buffered", name: "accepted, and nothing could be seen", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Volume.Target.Kind = model.File
		ev.Recorded.Environment.Storage = model.Storage{Filesystem: "overlay", DeviceChain: []string{"overlay"}, BypassDetail: "64 KiB stay in it"}
	}, want: []string{"warning"}, says: "nothing shows that it is direct (64 KiB stay in it)", also: []string{"memory", "bytes", "foreign", "merge"}},
	{rule: "buffered", name: "accepted by a device, without a reason", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Volume.Target.Kind = model.BlockDevice
		ev.Recorded.Environment.Storage = model.Storage{Device: "vda", DeviceChain: []string{"vda"}}
	}, want: []string{"warning"}, says: "nothing shows that it is direct"},
	{rule: "buffered", name: "accepted in a volume of a cluster, without a reason", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Volume.Target.Kind = model.VolumeClaim
		ev.Recorded.Environment.Storage.Bypassed = nil
	}, want: []string{"warning"}, says: "nothing shows that it is direct"},
	{rule: "buffered", name: "a loop device that uses the page cache", spoil: func(ev *Evidence) {
		no := false
		ev.Recorded.Plan.Volume.Target.Kind = model.BlockDevice
		ev.Recorded.Environment.Storage = model.Storage{Device: "loop0", DeviceChain: []string{"loop0", "vda"}, Bypassed: &no,
			BypassDetail: "loop0 reads and writes its file through the page cache (losetup --direct-io=on prevents that)"}
	}, want: []string{"warning"}, says: "is not direct: loop0 reads and writes its file through the page cache"},
	{rule: "buffered", name: "an image of Ceph", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Volume.Target = model.Target{Kind: model.RBD, URI: "pool/vol", Name: "rbd:pool/vol"}
		ev.Recorded.Environment.Storage = model.Storage{Server: "ceph: objects of 4 MiB"}
	}, want: []string{"not-checked"}, says: "whether librbd, in fio's process, answered from a cache of its own does not show", also: []string{"memory", "bytes", "foreign", "merge"}},
	{rule: "buffered", name: "a server behind a socket", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Volume.Target.Kind = model.NBD
		ev.Recorded.Environment.Storage = model.Storage{Server: "nbd: flush"}
	}, also: []string{"memory", "bytes", "foreign", "merge"}},
	{rule: "buffered", name: "accepted by a process that may cache", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Storage = model.Storage{Filesystem: "fuse.cached", DeviceChain: []string{"fuse.cached"}}
		ev.Recorded.Environment.Memory = 16 << 30
	}, want: []string{"warning"}, says: "nothing shows whether that process answered from memory, which has room for all of the 4 GiB", also: []string{"memory", "bytes", "foreign", "merge"}},
	{rule: "buffered", name: "accepted by a process with less memory than the volume", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Storage = model.Storage{Filesystem: "fuse.cached", DeviceChain: []string{"fuse.cached"}}
		ev.Recorded.Environment.Memory = 2 << 30
	}, want: []string{"not-checked"}, says: "what the process that serves fuse.cached keeps in memory cannot be seen", also: []string{"memory", "bytes", "foreign", "merge"}},
	{rule: "buffered", name: "accepted by the client of a server elsewhere", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Storage = model.Storage{Filesystem: "fuse.glusterfs", MountFrom: "10.0.0.3:/shared", DeviceChain: []string{"fuse.glusterfs"}}
		ev.Recorded.Environment.Memory = 16 << 30
	}, want: []string{"not-checked"}, says: "what fuse.glusterfs or its server keeps in memory does not show, and a server's cache is part", also: []string{"memory", "bytes", "foreign", "merge"}},
	{rule: "buffered", name: "accepted by the kernel's client of a server", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Storage = model.Storage{Filesystem: "nfs4", MountFrom: "10.0.0.3:/shared", DeviceChain: []string{"nfs4"}}
	}, want: []string{"not-checked"}, says: "what nfs4 or its server keeps in memory does not show", also: []string{"memory", "bytes", "foreign", "merge"}},
	{rule: "buffered", name: "accepted by a process whose source looks like a server", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Storage = model.Storage{Filesystem: "fuse.rclone", MountFrom: "remote:", DeviceChain: []string{"fuse.rclone"}}
	}, want: []string{"warning"}, says: "fuse.rclone, which a process of this machine serves", also: []string{"memory", "bytes", "foreign", "merge"}},
	{rule: "buffered", name: "accepted by a process on a device", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Storage = model.Storage{Filesystem: "fuseblk", Device: "vda", DeviceChain: []string{"vda"}}
	}, want: []string{"warning"}, says: "fuseblk, which a process of this machine serves"},
	{rule: "buffered", name: "no engine", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Volume.Engine = ""
	}, want: []string{"not-checked"}},

	{rule: "buffered", name: "a log", spoil: asLog, also: logSpeaks},
	{rule: "sparse", name: "a log", spoil: asLog, also: logSpeaks},
	{rule: "size", name: "a log", spoil: asLog, want: []string{"not-checked"}, says: "a log is written to new space", also: logSpeaks},
	{rule: "size", name: "too small", spoil: func(ev *Evidence) {
		ev.Results[0].Metrics[model.Bandwidth] = estimate(model.Bandwidth, 874<<20, 0.01)
	}, also: []string{"above-disks"}, want: []string{"warning rand-read-iops"}, says: "rand-read-iops did at least 865 MiB/s (the low end of the interval), and 4 GiB is less than 25 s of that, so a cache below may have answered; the rule asks for 21.1 GiB, rounded up to 22 GiB"},
	{rule: "size", name: "only the middle of the interval is beyond", spoil: func(ev *Evidence) {
		ev.Results[0].Metrics[model.Bandwidth] = estimate(model.Bandwidth, 240<<20, 0.05)
	}, also: []string{"above-disks"}},
	{rule: "size", name: "both flows of a mixed workload", spoil: func(ev *Evidence) {
		ev.Results[0].Metrics[model.Bandwidth] = estimate(model.Bandwidth, 150<<20, 0)
		other := ev.Results[0]
		other.Direction = model.Write
		ev.Results = append(ev.Results, other)
	}, also: []string{"above-disks", "faster-writes"}, want: []string{"warning rand-read-iops"}, says: "300 MiB/s"},
	{rule: "size", name: "what quick chose after a slow probe", spoil: func(ev *Evidence) {
		// 4 GiB are 22 s at 186 MiB/s.
		ev.Results[0].Metrics[model.Bandwidth] = estimate(model.Bandwidth, 225<<20, 0.01)
	}, also: []string{"above-disks"}},
	{rule: "size", name: "bandwidth from IOPS", spoil: func(ev *Evidence) {
		ev.Results[0].Metrics = map[model.Metric]model.Estimate{model.IOPS: estimate(model.IOPS, 100000, 0)}
	}, also: []string{"above-disks", "cap"}, want: []string{"warning rand-read-iops"}, says: "391 MiB/s"},
	{rule: "size", name: "no bandwidth", spoil: func(ev *Evidence) {
		ev.Results[2].Metrics = nil
	}, also: []string{"above-disks", "faster-reads", "cap"}, want: []string{"not-checked rand-read-lat"}},

	{rule: "depth", name: "an engine that cannot queue", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Volume.Engine = "psync"
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.DepthLevels = map[string]float64{"1": 1} })
	}, want: []string{"invalid rand-read-iops"}, says: "at most 1, but 64 was requested (psync cannot queue)"},
	{rule: "depth", name: "a fifth of the I/Os alone", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.DepthLevels = map[string]float64{"1": 0.2, ">=64": 0.8} })
	}, want: []string{"invalid rand-read-iops"}, says: "at most 51"},
	{rule: "depth", name: "one below in the next bucket", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.DepthLevels = map[string]float64{"32": 1} })
	}},
	{rule: "depth", name: "a depth that is no power of two", spoil: func(ev *Evidence) {
		w := iops
		w.Depth = 48
		setWorkload(ev, w)
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.DepthLevels = map[string]float64{"32": 1} })
		eachFlow(ev, iops.Name, func(f *model.Flow) { f.LatencySum = 48 })
	}},
	{rule: "depth", name: "io_uring makes a power of two of it", spoil: func(ev *Evidence) {
		w := iops
		w.Depth = 48
		setWorkload(ev, w)
		ev.Recorded.Plan.Volume.Engine = "io_uring"
	}, want: []string{"invalid rand-read-iops"}, says: "64 I/Os were in flight, but 48 were requested (fio's io_uring rounds it up to a power of two, 64)"},
	{rule: "depth", name: "Little's law, too few", spoil: func(ev *Evidence) {
		eachFlow(ev, write.Name, func(f *model.Flow) { f.LatencySum *= 0.8 })
	}, want: []string{"invalid rand-write-iops"}, says: "51 I/Os were in flight, but 64"},
	{rule: "depth", name: "Little's law, too many", spoil: func(ev *Evidence) {
		eachFlow(ev, write.Name, func(f *model.Flow) { f.LatencySum *= 1.2 })
	}, want: []string{"invalid rand-write-iops"}, says: "77 I/Os"},
	{rule: "depth", name: "Little's law without a map", spoil: func(ev *Evidence) {
		eachStep(ev, "", func(s *model.StepResult) { s.DepthLevels = nil })
		eachFlow(ev, write.Name, func(f *model.Flow) { f.LatencySum *= 0.8 })
	}, want: []string{"invalid rand-write-iops"}},
	{rule: "depth", name: "what fio itself takes at 400,000 IOPS", spoil: func(ev *Evidence) {
		eachFlow(ev, lat.Name, func(f *model.Flow) { f.IOs, f.LatencySum = 400000, 0.865 })
	}},
	{rule: "depth", name: "jobs multiply", spoil: func(ev *Evidence) {
		w := write
		w.Jobs = 4
		setWorkload(ev, w)
	}, want: []string{"invalid rand-write-iops"}, says: "64 I/Os were in flight, but 256"},
	{rule: "depth", name: "failed repeats do not count", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Steps[0].Error = "killed"
		ev.Recorded.Run.Steps[0].DepthLevels = map[string]float64{"1": 1}
		for i := range 3 {
			ev.Recorded.Samples[i].Read.LatencySum = 0.1
		}
	}, also: []string{"errors"}},
	{rule: "depth", name: "a queue that had not turned over", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.Step.Ramp = 0.3 })
		eachFlow(ev, iops.Name, func(f *model.Flow) { f.IOs, f.LatencySum = 20, 0.42*64 })
	}, want: []string{"warning rand-read-iops"}, says: "a queue of 64 I/Os takes 3.20 s to turn over"},
	{rule: "depth", name: "a queue that had turned over", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.Step.Ramp = 3.5 })
		eachFlow(ev, iops.Name, func(f *model.Flow) { f.IOs, f.LatencySum = 20, 0.94*64 })
	}, also: []string{"errors"}},
	{rule: "depth", name: "storage that delays each I/O, however many there are", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.Step.Ramp = 0.3 })
		eachFlow(ev, iops.Name, func(f *model.Flow) { f.IOs, f.LatencySum = 64, 64 })
	}},
	{rule: "depth", name: "flushes and rate limits are not judged", spoil: func(ev *Evidence) {
		flush, limited := write, iops
		flush.Sync, limited.RateIOPS = "fdatasync", 2000
		setWorkload(ev, flush)
		setWorkload(ev, limited)
		eachFlow(ev, write.Name, func(f *model.Flow) { f.LatencySum *= 0.1 })
		eachFlow(ev, iops.Name, func(f *model.Flow) { f.LatencySum *= 0.1 })
	}},
	{rule: "depth", name: "one's own job", spoil: func(ev *Evidence) {
		own := iops
		own.Job = "rw=randread"
		setWorkload(ev, own)
	}, want: []string{"not-checked rand-read-iops"}},
	{rule: "depth", name: "neither of the two measurements", spoil: func(ev *Evidence) {
		eachStep(ev, "", func(s *model.StepResult) { s.DepthLevels = nil })
		ev.Recorded.Samples = nil
	}, also: []string{"stall", "tail", "warm-up", "burst", "cliff", "modes", "drift", "settled"}, want: []string{"not-checked rand-read-iops,rand-write-iops,rand-read-lat"}},

	{rule: "precision", name: "up to twice as wide", spoil: func(ev *Evidence) {
		ev.Results[0].Estimate, ev.Results[0].Converged = estimate(model.IOPS, 2000, 0.08), false
	}, want: []string{"note rand-read-iops"}, says: "±8%, but ±5% was requested"},
	{rule: "precision", name: "far", spoil: func(ev *Evidence) {
		ev.Results[0].Estimate, ev.Results[0].Converged = estimate(model.IOPS, 2000, 0.23), false
		ev.Results[1].Estimate, ev.Results[1].Converged = estimate(model.IOPS, 2000, 0.08), false
	}, want: []string{"warning rand-read-iops", "note rand-write-iops"}, says: "not converged"},
	{rule: "precision", name: "narrow but not settled", spoil: func(ev *Evidence) {
		ev.Results[0].Converged = false
	}, want: []string{"note rand-read-iops"}, says: "not settled: the interval is ±2%"},
	{rule: "precision", name: "no interval", spoil: func(ev *Evidence) {
		ev.Results[0].Estimate, ev.Results[0].Converged = model.Estimate{Value: 2000, Low: 2000, High: 2000}, false
	}, want: []string{"warning rand-read-iops"}, says: "no interval"},
	{rule: "precision", name: "a flush is promised nothing", spoil: func(ev *Evidence) {
		flush := ev.Results[1]
		flush.Direction, flush.Estimate, flush.Converged = model.Sync, estimate(model.Latency, 1e-3, 0.5), false
		ev.Results = append(ev.Results, flush)
	}, also: []string{"faster-writes"}},
	{rule: "precision", name: "none asked", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Schedule.Precision = 0
	}, want: []string{"not-checked"}},

	{rule: "clock", name: "a median of nothing", spoil: func(ev *Evidence) {
		zero := 0.0
		ev.Results[0].Latency.P50 = &zero
	}, want: []string{"invalid rand-read-iops"}, says: "a median of 0 s"},
	{rule: "clock", name: "99 ns", spoil: func(ev *Evidence) {
		short := 99e-9
		ev.Results[0].Latency.P50 = &short
	}, want: []string{"invalid rand-read-iops"}, says: "99.0 ns"},
	{rule: "clock", name: "slow source", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Clocksource = "hpet"
	}, want: []string{"note"}, says: "hpet"},
	{rule: "clock", name: "unknown source", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Clocksource = ""
	}, want: []string{"not-checked"}},
	{rule: "clock", name: "no median", spoil: func(ev *Evidence) {
		ev.Results[1].Latency = nil
	}, also: []string{"tail"}, want: []string{"not-checked rand-write-iops"}},

	{rule: "cpu", name: "busy during a latency", spoil: func(ev *Evidence) {
		eachStep(ev, "", func(s *model.StepResult) { s.Counters.Idle, s.Counters.IOWait = 0.3, 0.09 })
	}, want: []string{"invalid rand-read-lat"}, says: "only 39 % of the CPU was idle"},
	{rule: "cpu", name: "waiting for I/O is idle", spoil: func(ev *Evidence) {
		eachStep(ev, "", func(s *model.StepResult) { s.Counters.Idle, s.Counters.IOWait = 0, 0.41 })
	}},
	{rule: "cpu", name: "a driver that polls", spoil: busyFor(0.39, 0.02, nil),
		want: []string{"warning rand-read-lat"}, says: "39 % was idle, and a latency should have 40 %; the load generator used 5 % and waited for a processor for 2 % of the latency. Other programs used the rest"},
	{rule: "cpu", name: "the load generator waited", spoil: busyFor(0.39, 0.2, nil),
		want: []string{"invalid rand-read-lat"}, says: "only 39 % of the CPU was idle, and for 20 % of the latency the load generator waited"},
	{rule: "cpu", name: "the load generator waited a little for few I/Os", spoil: busyFor(0.39, 0.02, func(ev *Evidence) {
		eachFlow(ev, lat.Name, func(f *model.Flow) { f.LatencySum /= 10 })
	}), want: []string{"invalid rand-read-lat"}, also: []string{"depth"}, says: "for 20 % of the latency"},
	{rule: "cpu", name: "the load generator waited where there was idle time", spoil: busyFor(0.41, 0.2, nil)},
	{rule: "cpu", name: "the storage may have waited, not the load generator", spoil: busyFor(0.04, 0.02, nil),
		want: []string{"invalid rand-read-lat"}, says: "only 4 % of the CPU was idle"},
	{rule: "cpu", name: "a repeat does not know what the load generator waited", spoil: busyFor(0.39, 0.02, func(ev *Evidence) {
		eachStep(ev, lat.Name, func(s *model.StepResult) {
			if s.Step.Number%2 == 0 {
				s.CPUWait = nil
			}
		})
	}), want: []string{"invalid rand-read-lat"}, says: "only 39 % of the CPU was idle, and a latency needs 40 %"},
	{rule: "cpu", name: "a mean says nothing about a percentile", spoil: busyFor(0.39, 0.02, func(ev *Evidence) {
		tail := lat
		tail.Metric = model.P99
		setWorkload(ev, tail)
	}), want: []string{"invalid rand-read-lat"}, says: "a latency needs 40 %"},
	{rule: "cpu", name: "a rate beside others", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.CPUs = 2
		eachStep(ev, iops.Name, func(s *model.StepResult) {
			s.Counters.Idle, s.Counters.IOWait, s.UserCPU, s.SystemCPU = 0.02, 0.01, 0.1, 0.1
		})
	}, want: []string{"warning rand-read-iops"}, says: "97 % of the CPU was busy, mostly with other work"},
	{rule: "cpu", name: "a rate whose load fills the processors", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.CPUs = 1
		eachStep(ev, iops.Name, func(s *model.StepResult) {
			s.Counters.Idle, s.Counters.IOWait, s.UserCPU, s.SystemCPU = 0.02, 0.01, 0.3, 0.5
		})
	}, also: []string{"client"}},
	{rule: "cpu", name: "stolen", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.Counters.Steal = 0.06 })
	}, want: []string{"warning rand-read-iops"}, says: "gave 6 % of the CPU to others"},
	{rule: "cpu", name: "throttled", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.Counters.Throttled = 0.1 })
	}, want: []string{"warning rand-read-iops"}, says: "2.5 % of the time"},
	{rule: "cpu", name: "no counters", spoil: func(ev *Evidence) {
		eachStep(ev, lat.Name, func(s *model.StepResult) { s.Counters = nil })
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.Counters.Seconds = math.Inf(-1) })
	}, also: []string{"bytes", "merge", "foreign"}, want: []string{"not-checked rand-read-iops,rand-read-lat"}},
	{rule: "cpu", name: "counters of a system without /proc/stat", spoil: func(ev *Evidence) {
		eachStep(ev, "", func(s *model.StepResult) { s.Counters = &model.Counters{Seconds: 4} })
	}, want: []string{"not-checked rand-read-iops,rand-write-iops,rand-read-lat,rand-read-rate"}, also: []string{"bytes", "merge", "foreign"}},
	{rule: "cpu", name: "never idle", spoil: func(ev *Evidence) {
		eachStep(ev, "", func(s *model.StepResult) { s.Counters = &model.Counters{Seconds: 4, BusiestCPU: 1} })
	}, want: []string{"invalid rand-read-lat"}, also: []string{"bytes", "merge", "foreign"}, says: "0 %"},
}
