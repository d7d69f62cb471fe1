package text

import (
	"fmt"
	"io"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// Head prints what a run is about to do, before it begins: how much, on what,
// and where. It fails only when w does.
func Head(w io.Writer, pl *model.Plan, env model.Environment, tools map[string]string, o Options) error {
	p := newPage(o)
	p.field("plan", planWords(pl)...)
	p.field("writes", writeWords(pl))
	p.place(pl.Volume, env, tools)
	return p.flush(w)
}

// head writes what was measured, where and how.
func (p *page) head(r *model.Report, o Options) {
	run := &r.Run
	if !o.Brief {
		p.place(run.Volume, run.Environment, run.Tools)
	}
	p.field("ran", ranWords(r)...)
	if run.Note != "" {
		p.field("note", run.Note)
	}
}

// place writes the lines "target" and "where".
func (p *page) place(v model.Volume, env model.Environment, tools map[string]string) {
	p.field("target", v.Target.Name, storageWords(env.Storage), volumeWords(v))
	p.field("where", env.Hostname, toolWords(tools), ioWords(v), prefixed("kernel ", env.Kernel), machineWords(env))
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
		return fmt.Sprintf(", one visit of %s each", seconds(s.Visit))
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
	took := model.FormatSpan(p.Seconds)
	if p.Seconds < 9.95 {
		took = fmt.Sprintf("%.1f s", p.Seconds)
	}
	return fmt.Sprintf("prefill %s in %s", model.FormatSize(p.Written), took)
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
