package env

import "time"

// Clock provides the time and waiting. The zero value is the system's clock, so that a struct
// containing one needs no constructor for it. A test that needs another date sets Read; one that needs
// time to pass quickly runs in a bubble of testing/synctest, which this clock follows like everything
// based on package time.
//
// context.WithTimeout and its like are used directly everywhere: they wait, and waiting is in the system's
// time here as well.
//
// Times of the system's clock have a monotonic reading: the difference of two of them is right even if
// the date is changed meanwhile.
type Clock struct {
	// Read is the clock read by Now; nil means the system's. Waiting always uses the system's time.
	Read func() time.Time
}

// Now returns the current time.
func (c Clock) Now() time.Time {
	if c.Read != nil {
		return c.Read()
	}
	return time.Now()
}

// Since returns the time elapsed since t. On the system's clock it takes half as long as Now.
func (c Clock) Since(t time.Time) time.Duration {
	if c.Read != nil {
		return c.Read().Sub(t)
	}
	return time.Since(t)
}

// Until returns the time remaining until t.
func (c Clock) Until(t time.Time) time.Duration { return -c.Since(t) }

// Watch starts counting seconds, and returns a function that returns how many have passed. It is for
// loops that read the clock before and after each I/O: on the system's clock a call takes as long as
// time.Since, with no further lookups.
func (c Clock) Watch() (seconds func() float64) {
	begin := c.Now()
	if c.Read == nil {
		return func() float64 { return time.Since(begin).Seconds() }
	}
	return func() float64 { return c.Read().Sub(begin).Seconds() }
}

// Sleep waits. Code that can be cancelled uses After and its context instead.
func (Clock) Sleep(d time.Duration) { time.Sleep(d) }

// After sends the time after d.
func (Clock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// AfterFunc calls f in its own goroutine after d.
func (Clock) AfterFunc(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, f) }

// NewTimer sends the time once, after d.
func (Clock) NewTimer(d time.Duration) *time.Timer { return time.NewTimer(d) }

// NewTicker sends the time at intervals of d.
func (Clock) NewTicker(d time.Duration) *time.Ticker { return time.NewTicker(d) }
