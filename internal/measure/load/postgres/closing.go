package postgres

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"github.com/loadline/loadline/internal/model"
)

// closing is the summary that pgbench prints at its end.
type closing struct {
	done uint64
	// rate is in 1/s; without initial connection times, or including those of each transaction.
	rate float64
	// connect is the mean connection time in seconds, 0 if not reported.
	connect float64
	// initial is how long connecting all clients took, in seconds, 0 if not reported.
	initial float64
}

var (
	saidDone    = regexp.MustCompile(`(?m)^number of transactions actually processed: (\d+)`)
	saidRate    = regexp.MustCompile(`(?m)^tps = ([0-9.]+) \((?:without initial connection time|including reconnection times)\)`)
	saidInitial = regexp.MustCompile(`(?m)^initial connection time = ([0-9.]+) ms`)
	saidConnect = regexp.MustCompile(`(?m)^average connection time = ([0-9.]+) ms`)
)

// parseClosing parses the summary; ok is false if pgbench did not finish.
func parseClosing(text string) (c closing, ok bool) {
	done, rate := saidDone.FindStringSubmatch(text), saidRate.FindStringSubmatch(text)
	if done == nil || rate == nil {
		return c, false
	}
	c.done, _ = strconv.ParseUint(done[1], 10, 64)
	c.rate, _ = strconv.ParseFloat(rate[1], 64)
	if m := saidInitial.FindStringSubmatch(text); m != nil {
		ms, _ := strconv.ParseFloat(m[1], 64)
		c.initial = ms / 1e3
	}
	if m := saidConnect.FindStringSubmatch(text); m != nil {
		ms, _ := strconv.ParseFloat(m[1], 64)
		c.connect = ms / 1e3
	}
	return c, true
}

// agree is the largest relative difference allowed between two rates of the same load.
const agree = 0.005

// check compares our record with pgbench's own summary; it returns a message if they do not
// describe the same load. pgbench's time begins when its clients are connected and ends with its
// last thread; ours is from the start of the first transaction to the end of the last. The
// difference (edges, in seconds) is allowed on top of agree.
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
