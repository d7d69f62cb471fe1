package link

import "time"

// SetPatience, SetSilence and SetAbsence make a test shorter than the constants.
func SetPatience(l *Link, d time.Duration) { l.patience = d }

// SetSilence is as SetPatience.
func SetSilence(l *Link, d time.Duration) { l.silence = d }

// SetAbsence is as SetPatience.
func SetAbsence(l *Link, d time.Duration) { l.absence = d }
