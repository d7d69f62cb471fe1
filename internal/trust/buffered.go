package trust

import "github.com/loadline/loadline/internal/model"

var ruleBuffered = Rule{
	Name:     "buffered",
	Checks:   "the page cache was bypassed",
	Evidence: "what probing found out about direct I/O",
	Severity: "warning: the numbers are partly the page cache's",
	Advice:   "measure a filesystem or device that takes O_DIRECT",
	check:    checkBuffered,
}

// checkBuffered: without direct I/O the page cache answers, so a warning stands
// on every number. The queue depth proves nothing then: buffered libaio still
// reports the depth that was asked.
//
// Evidence: what the plan settled on after probing. Source: methodology's "Buffered".
func checkBuffered(ev Evidence) []model.Finding {
	v, s := ev.Recorded.Plan.Volume, ev.Recorded.Environment.Storage
	switch {
	case v.Engine == "":
		return notChecked("the plan names no I/O engine")
	case v.Direct && s.Remote():
		return passedAll("the I/O bypassed this machine's page cache; what " + s.Filesystem + " or its server keeps in memory does not show")
	case v.Direct:
		return passedAll("the I/O bypassed the page cache")
	}
	why := s.DirectError
	message := "buffered: direct I/O was not used, so these numbers are partly the page cache's"
	if why != "" {
		message = "buffered: direct I/O was refused (" + why + "), so these numbers are partly the page cache's"
	}
	return []model.Finding{{
		Severity: model.SeverityWarning,
		Message:  message,
		Evidence: map[string]any{"engine": v.Engine, "direct": false, "direct_error": why},
		Next:     "measure a filesystem or device that takes O_DIRECT",
	}}
}
