package env

import "time"

// Clock tells the time and waits. The zero value is the system's clock, so that a struct
// which holds one needs no constructor for it. A test that wants another date sets Read;
// one that wants time itself to fly runs in a bubble of testing/synctest, which this clock
// obeys like everything that stands on package time.
//
// Times of the system's clock carry its monotonic reading: differences of two of them are
// right whatever happens to the date meanwhile.
type Clock struct {
	// Read is the clock that Now reads; nil is the system's. Waiting takes the system's time
	// in any case.
	Read func() time.Time
}

// Now is the time.
func (c Clock) Now() time.Time {
	if c.Read != nil {
		return c.Read()
	}
	return time.Now()
}

// Since is the time that has passed since t. On the system's clock it costs half of a Now.
func (c Clock) Since(t time.Time) time.Duration {
	if c.Read != nil {
		return c.Read().Sub(t)
	}
	return time.Since(t)
}

// Until is the time that is left until t.
func (c Clock) Until(t time.Time) time.Duration { return -c.Since(t) }

// Watch begins to count seconds, and returns what tells how many have passed. It is for
// loops that ask before and after each I/O: on the system's clock a question costs what
// time.Since costs, and nothing is looked up anew.
func (c Clock) Watch() (seconds func() float64) {
	begin := c.Now()
	if c.Read == nil {
		return func() float64 { return time.Since(begin).Seconds() }
	}
	return func() float64 { return c.Read().Sub(begin).Seconds() }
}

// Sleep waits. What can be called off waits for After and its context instead.
func (Clock) Sleep(d time.Duration) { time.Sleep(d) }

// After sends the time when d has passed.
func (Clock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// AfterFunc calls f in a goroutine of its own when d has passed.
func (Clock) AfterFunc(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, f) }

// NewTimer sends the time once, when d has passed.
func (Clock) NewTimer(d time.Duration) *time.Timer { return time.NewTimer(d) }

// NewTicker sends the time whenever another d has passed.
func (Clock) NewTicker(d time.Duration) *time.Ticker { return time.NewTicker(d) }
