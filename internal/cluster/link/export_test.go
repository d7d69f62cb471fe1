package link

import "time"

// SetReconnectTimeout sets the timeout for reconnecting, so that a test takes less time than the
// constants.
func SetReconnectTimeout(l *Link, d time.Duration) { l.reconnectTimeout = d }

// SetSilence is SetReconnectTimeout for the timeout of a silent connection.
func SetSilence(l *Link, d time.Duration) { l.silenceTimeout = d }

// SetAbsence is SetReconnectTimeout for the timeout of a lost node.
func SetAbsence(l *Link, d time.Duration) { l.nodeTimeout = d }

// SetReplaced is SetReconnectTimeout for asking why a server was replaced.
func SetReplaced(l *Link, d time.Duration) { l.replacedTimeout = d }
