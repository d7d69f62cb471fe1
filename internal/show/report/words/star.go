package words

import "github.com/loadline/loadline/internal/model"

// Star says what the star beside intervals means; "" if none has one. An interval that is as narrow as requested has one if
// storage that may not be steady was observed too briefly to rely on it.
func Star(r *model.Report) string {
	asked, wide, brief := r.Run.Schedule.Precision, false, false
	for _, res := range r.Results {
		if res.Converged || res.Confidence == 0 || res.Direction == model.Sync {
			continue
		}
		if res.HalfWidth() <= asked {
			brief = true
		} else {
			wide = true
		}
	}
	switch {
	case wide && brief:
		return "not shown to be within the ±" + Asked(asked) + " that was requested, or observed too briefly to rely on it"
	case wide:
		return "not shown to be within the ±" + Asked(asked) + " that was requested"
	case brief:
		return "observed too briefly to rely on this interval"
	}
	return ""
}
