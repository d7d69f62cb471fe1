package trust

import "github.com/loadline/loadline/internal/model"

var ruleMemory = Rule{
	Name:     "memory",
	Checks:   "the volume is not in RAM (tmpfs, ramfs, a loop device on them)",
	Evidence: "the filesystem's type and the chain of devices below it",
	Severity: "invalid: this is memory",
	Advice:   "name a directory on a disk",
	check:    checkMemory,
}

// checkMemory: a volume that lives in RAM is not storage. tmpfs accepts direct
// I/O like a disk does, so only its type gives it away.
//
// Evidence: the filesystem's type and the chain of devices below it.
func checkMemory(ev Evidence) []model.Finding {
	s := ev.Recorded.Environment.Storage
	kind := ev.Recorded.Plan.Volume.Target.Kind
	switch {
	case s.Memory:
		where := s.Filesystem
		if where == "" {
			where = "a device whose data is in RAM"
		}
		return []model.Finding{{
			Severity: model.SeverityInvalid,
			Message:  "this is memory: the volume lives in " + where + ", so no disk was measured",
			Evidence: map[string]any{"filesystem": s.Filesystem, "device": s.Device, "mount": s.Mount},
			Next:     "name a directory on a disk; findmnt -t notmpfs,noramfs lists the filesystems that are not memory",
		}}
	case kind == model.NBD || kind == model.RBD:
		return notChecked("a server across a socket does not tell whether its data lives in memory")
	case s.Filesystem == "" && s.Device == "":
		return notChecked("neither the filesystem nor the device behind the volume is known")
	case s.Remote():
		return notChecked("no block device of this machine stands behind " + s.Filesystem + ", so where its data lives does not show")
	}
	return passedAll("the volume is not in memory")
}
