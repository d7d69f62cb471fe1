package postgres

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"github.com/loadline/loadline/internal/model"
)

// closing is what pgbench prints at its end.
type closing struct {
	done uint64
	// rate is in 1/s; without the first connections, or with those of each transaction.
	rate float64
	// connect is the mean time of a connection in seconds, 0 where it was not told.
	connect float64
}

var (
	saidDone    = regexp.MustCompile(`(?m)^number of transactions actually processed: (\d+)`)
	saidRate    = regexp.MustCompile(`(?m)^tps = ([0-9.]+) \((?:without initial connection time|including reconnection times)\)`)
	saidConnect = regexp.MustCompile(`(?m)^average connection time = ([0-9.]+) ms`)
)

// parseClosing reads it; ok is false where pgbench did not come to its end.
func parseClosing(text string) (c closing, ok bool) {
	done, rate := saidDone.FindStringSubmatch(text), saidRate.FindStringSubmatch(text)
	if done == nil || rate == nil {
		return c, false
	}
	c.done, _ = strconv.ParseUint(done[1], 10, 64)
	c.rate, _ = strconv.ParseFloat(rate[1], 64)
	if m := saidConnect.FindStringSubmatch(text); m != nil {
		ms, _ := strconv.ParseFloat(m[1], 64)
		c.connect = ms / 1e3
	}
	return c, true
}

// agree is how far two rates of one load may be apart.
const agree = 0.005

// check holds our record against pgbench's own words; it returns a sentence when they are not
// of one load. pgbench's time begins when its clients are connected and ends with its last
// thread; ours is from the first transaction's begin to the last one's end. What lies between
// (edges, in seconds) is allowed on top of agree.
func (c closing) check(own model.AppCounts, edges float64) string {
	if c.done != own.Transactions {
		return fmt.Sprintf("pgbench says that it did %d transactions, and its log holds %d", c.done, own.Transactions)
	}
	if own.Seconds <= 0 || c.rate <= 0 || own.Transactions == 0 {
		return ""
	}
	rate := float64(own.Transactions) / own.Seconds
	if allowed := agree + edges/own.Seconds; math.Abs(rate/c.rate-1) > allowed {
		return fmt.Sprintf("pgbench says that it did %.6g transactions per second, and its log holds %.6g: they differ by more than %.2g %%", c.rate, rate, 100*allowed)
	}
	return ""
}
