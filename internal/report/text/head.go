package text

import (
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// head writes what was measured, where and how.
func (p *page) head(r *model.Report) {
	run := &r.Run
	p.field("target", run.Target.Name, storageWords(run.Environment.Storage), volumeWords(run.Volume))
	env := run.Environment
	p.field("where", env.Hostname, toolWords(run.Tools), ioWords(run.Volume), prefixed("kernel ", env.Kernel),
		machineWords(env))
	p.field("ran", ranWords(r)...)
	if run.Note != "" {
		p.field("note", run.Note)
	}
}

// storageWords describes what lies under the target: "ext4 on vda (QEMU HARDDISK)".
func storageWords(s model.Storage) string {
	words := s.Filesystem
	if s.Device != "" {
		if words != "" {
			words += " on "
		}
		words += s.Device
	}
	switch {
	case s.Model != "":
		words += " (" + s.Model + ")"
	case words == "" && s.Server != "":
		words = "server: " + s.Server
	}
	return words
}

// volumeWords tells how much of what is walked over: "file of 4 GiB".
func volumeWords(v model.Volume) string {
	size := model.FormatSize(v.Size)
	switch v.Target.Kind {
	case model.Directory, model.File:
		return "file of " + size
	case model.BlockDevice:
		return size + " of the device"
	case model.NBD, model.RBD:
		return size + " of the image"
	}
	return size
}

// ioWords tells how the I/O was made: "io_uring direct=1".
func ioWords(v model.Volume) string {
	if v.Engine == "" {
		return ""
	}
	if v.Direct {
		return v.Engine + " direct=1"
	}
	return v.Engine + " direct=0 (buffered)"
}

// machineWords is "2 CPUs, 8 GiB".
func machineWords(e model.Environment) string {
	switch {
	case e.CPUs == 0:
		return ""
	case e.Memory == 0:
		return count(e.CPUs, "CPU")
	}
	return count(e.CPUs, "CPU") + ", " + model.FormatSize(e.Memory)
}

// toolWords is "fio 3.33": Loadline's own version is no news to its user.
func toolWords(tools map[string]string) string {
	var names []string
	for name := range tools {
		if name != "loadline" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	words := ""
	for i, name := range names {
		if i > 0 {
			words += ", "
		}
		words += name + " " + tools[name]
	}
	return words
}

// ranWords tells when the run was, how the time was spent, and how it ended.
func ranWords(r *model.Report) []string {
	run := &r.Run
	var parts []string
	switch run.Status {
	case model.Interrupted, model.Failed:
		parts = append(parts, string(run.Status)+prefixed(": ", run.Reason))
	case model.Running:
		parts = append(parts, "not finished: the process that measured is gone, or still at work")
	}
	if !run.Started.IsZero() {
		parts = append(parts, run.Started.Format("2006-01-02 15:04"))
	}
	return append(parts, count(len(run.Workloads), "workload")+visitWords(r),
		prefixed("measured in ", positiveSpan(run.MeasuredSeconds)), prefillWords(run.Prepare))
}

// visitWords is " in rounds, 3–12 visits each".
func visitWords(r *model.Report) string {
	s := r.Run.Schedule
	switch s.Mode {
	case model.Fixed:
		return fmt.Sprintf(", one visit of %s each", model.FormatSpan(s.Visit))
	case model.Steady:
		return ", one visit each until steady"
	}
	if len(r.Results) == 0 {
		return ""
	}
	lo, hi := r.Results[0].Repeats, r.Results[0].Repeats
	for _, res := range r.Results {
		lo, hi = min(lo, res.Repeats), max(hi, res.Repeats)
	}
	if lo == hi {
		return fmt.Sprintf(" in rounds, %s each", count(hi, "visit"))
	}
	return fmt.Sprintf(" in rounds, %d–%d visits each", lo, hi)
}

// prefillWords is "prefill 4 GiB in 9 s".
func prefillWords(p *model.Preparation) string {
	if p == nil || p.Written == 0 {
		return ""
	}
	return fmt.Sprintf("prefill %s in %s", model.FormatSize(p.Written), model.FormatSpan(p.Seconds))
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func positiveSpan(seconds float64) string {
	if seconds <= 0 {
		return ""
	}
	return model.FormatSpan(seconds)
}

// count is "1 visit", "3 visits".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
