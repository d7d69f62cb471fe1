package words

import "github.com/loadline/loadline/internal/model"

// Star says what the star beside intervals means; "" if none has one. An interval that is as narrow as requested has one if
// storage that may not be steady was observed too briefly to rely on it.
func Star(r *model.Report) string {
	asked := Asked(r.Run.Schedule.Precision)
	switch wide, brief, _ := open(r); {
	case wide > 0 && brief > 0:
		return "not shown to be within the ±" + asked + " that was requested, or observed too briefly to rely on it"
	case wide > 0:
		return "not shown to be within the ±" + asked + " that was requested"
	case brief > 0:
		return "observed too briefly to rely on this interval"
	}
	return ""
}

// open counts the results that have not converged: those whose interval is wider than requested, and those with a narrow one of
// storage that was observed too briefly, and bare ones without an interval. No width is requested of a flush.
func open(r *model.Report) (wide, brief, bare int) {
	for _, res := range r.Results {
		switch {
		case res.Converged || res.Direction == model.Sync:
		case res.Confidence == 0:
			bare++
		case res.HalfWidth() <= r.Run.Schedule.Precision:
			brief++
		default:
			wide++
		}
	}
	return wide, brief, bare
}
