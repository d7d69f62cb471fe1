package link

import "time"

// SetReconnectTimeout, SetSilence and SetAbsence make a test shorter than the constants.
func SetReconnectTimeout(l *Link, d time.Duration) { l.reconnectTimeout = d }

// SetSilence is as SetReconnectTimeout.
func SetSilence(l *Link, d time.Duration) { l.silenceTimeout = d }

// SetAbsence is as SetReconnectTimeout.
func SetAbsence(l *Link, d time.Duration) { l.nodeTimeout = d }
