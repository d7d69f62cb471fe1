package load

import "time"

// Seconds returns a number of seconds, as steps have it, as a duration.
func Seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
