package postgres

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/loadline/loadline/internal/model"
)

const began = int64(1_700_000_000_000_000)

// line returns a line of pgbench's log for a transaction that ends at t seconds after began.
func line(t float64, took string) string {
	at := began + int64(t*1e6)
	return fmt.Sprintf("0 1 %s 0 %d %d\n", took, at/1e6, at%1e6)
}

// gather feeds a log for each thread to a record and returns how many samples came before the end.
func gather(t *testing.T, r *record, samples *[]model.Sample, logs ...string) (before int, err error) {
	t.Helper()
	var lock sync.Mutex
	for i, log := range logs {
		// A byte at a time is the worst case for a pipe.
		if err := r.read(i, iotest.OneByteReader(strings.NewReader(log)), &lock); err != nil {
			return len(*samples), err
		}
	}
	before = len(*samples)
	r.tell(true)
	return before, nil
}

func TestRecordMakesSeconds(t *testing.T) {
	var samples []model.Sample
	r := newRecord(7, true, 1, began, 1, 3, 0, func(s model.Sample) { samples = append(samples, s) })
	log := line(0.5, "900") + // in the ramp
		line(1.0, "1000") + line(1.999999, "3000") + // the first second
		line(3.2, "2200000") + // the third: it began in the ramp; no transaction ended in the second
		line(4.0, "500") // after the end
	before, err := gather(t, r, &samples, log)
	if err != nil {
		t.Fatal(err)
	}
	if before != 3 || len(samples) != 3 {
		t.Fatalf("%d samples before the end, %d in all", before, len(samples))
	}
	for i, want := range []struct {
		ios      uint64
		sum, max float64
	}{{2, 0.004, 0.003}, {0, 0, 0.003}, {1, 2.2, 2.2}} {
		s := samples[i]
		if s.Step != 7 || s.Read != nil || s.End != float64(i+2) || s.Seconds != 1 || s.Write.IOs != want.ios || s.Write.LatencySum != want.sum || s.Write.Max != want.max || s.Write.Histogram.Count() != want.ios {
			t.Errorf("second %d: %+v %+v", i, s, s.Write)
		}
	}
	c := r.counts()
	if c.Transactions != 5 || r.due != 3 || c.Seconds != 4-0.4991 {
		t.Errorf("%+v, due %d", c, r.due)
	}
}

func TestRecordKeepsWhatWasSkipped(t *testing.T) {
	var samples []model.Sample
	r := newRecord(1, false, 1, began, 0, 1, 0.1, func(s model.Sample) { samples = append(samples, s) })
	if _, err := gather(t, r, &samples, line(0.2, "2000")+line(0.3, "skipped")+line(0.4, "skipped")+line(0.5, "failed")); err != nil {
		t.Fatal(err)
	}
	f := samples[0].Read
	if c := r.counts(); c.Transactions != 1 || c.Skipped != 2 || c.Failed != 1 || r.due != 4 {
		t.Errorf("%+v, due %d", c, r.due)
	}
	// Skipped transactions are not throughput, and were slower than the limit.
	if p := f.Histogram.Percentile(90); f.IOs != 1 || f.Histogram.Count() != 3 || p < 0.098 || p > 0.102 {
		t.Errorf("%+v: p90 %v", f, p)
	}
}

func TestRecordWaitsForAllThreads(t *testing.T) {
	var samples []model.Sample
	r := newRecord(1, true, 2, began, 0, 2, 0, func(s model.Sample) { samples = append(samples, s) })
	var lock sync.Mutex
	if err := r.read(0, strings.NewReader(line(0.5, "10")+line(1.5, "10")+line(2.5, "10")), &lock); err != nil {
		t.Fatal(err)
	}
	if len(samples) != 0 {
		t.Fatalf("a second was told before the other thread had done it: %+v", samples)
	}
	if err := r.read(1, strings.NewReader(line(0.6, "20")+line(1.2, "20")), &lock); err != nil {
		t.Fatal(err)
	}
	if len(samples) != 1 || samples[0].Write.IOs != 2 {
		t.Fatalf("%+v", samples)
	}
	// The load broke off at 1.5 s: the incomplete second does not count.
	if told := r.until(began + 1_500_000); told != 1 || len(samples) != 1 {
		t.Errorf("%d told, %+v", told, samples)
	}
}

func TestRecordRefusesWhatIsNoLog(t *testing.T) {
	for _, log := range []string{"nonsense\n", "0 1 12 0 x 5\n", "0 1 fast 0 1700000000 5\n", "0 1 12 0 1700000000 1000000\n", "0 1 12 0 17000", strings.Repeat("x", 70<<10)} {
		r := newRecord(1, true, 1, began, 0, 1, 0, func(model.Sample) {})
		var lock sync.Mutex
		if err := r.read(0, strings.NewReader(log), &lock); err == nil {
			t.Errorf("%.40q was taken for a log", log)
		}
	}
}

// A line that pgbench cannot have written ends its thread's part: the rest is read, because pgbench
// would otherwise block, but not counted, nor is any second for which the thread's part is missing.
func TestRecordAfterABadLine(t *testing.T) {
	var samples []model.Sample
	r := newRecord(1, true, 2, began, 0, 4, 0, func(s model.Sample) { samples = append(samples, s) })
	var lock sync.Mutex
	rest := strings.NewReader(line(0.5, "10") + line(1.5, "10") + "nonsense\n" + strings.Repeat(line(2.5, "10"), 10_000))
	if err := r.read(0, rest, &lock); err == nil || rest.Len() > 0 {
		t.Errorf("%v; of the log %d bytes were not taken", err, rest.Len())
	}
	if err := r.read(1, strings.NewReader(line(0.5, "10")+line(1.5, "10")+line(2.5, "10")+line(3.5, "10")), &lock); err != nil {
		t.Fatal(err)
	}
	if told := r.until(began + 3_900_000); told != 1 || len(samples) != 1 || samples[0].Write.IOs != 2 {
		t.Errorf("%d seconds told: %+v", told, samples)
	}
}

// However the log is split into pieces, the sums are those of its lines.
func TestRecordAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var log strings.Builder
	want, n := 0.0, 0
	for at := 0.0; at < 5; at += rng.ExpFloat64() / 2000 {
		took := 100 + rng.IntN(5000)
		log.WriteString(line(at, fmt.Sprint(took)))
		if at >= 1 && at < 4 {
			want += float64(took) / 1e6
			n++
		}
	}
	var samples []model.Sample
	r := newRecord(1, true, 1, began, 1, 3, 0, func(s model.Sample) { samples = append(samples, s) })
	if _, err := gather(t, r, &samples, log.String()); err != nil {
		t.Fatal(err)
	}
	got, ios := 0.0, uint64(0)
	for _, s := range samples {
		got, ios = got+s.Write.LatencySum, ios+s.Write.IOs
	}
	if len(samples) != 3 || int(ios) < n-1 || int(ios) > n+1 || got < 0.999*want || got > 1.001*want {
		t.Errorf("%d samples, %d of %d transactions, %v of %v s", len(samples), ios, n, got, want)
	}
}

func TestClosing(t *testing.T) {
	const said = `transaction type: <builtin: TPC-B (sort of)>
number of transactions actually processed: 2000
number of failed transactions: 0 (0.000%)
latency average = 1.000 ms
average connection time = 4.350 ms
tps = 500.000000 (including reconnection times)
`
	c, ok := parseClosing(said)
	if !ok || c.done != 2000 || c.rate != 500 || c.connect != 0.00435 {
		t.Fatalf("%+v %v", c, ok)
	}
	if _, ok := parseClosing("pgbench: error: Run was aborted; the above results are incomplete.\n"); ok {
		t.Error("an aborted run has closing lines")
	}
	for _, x := range []struct {
		own  model.AppCounts
		fine bool
	}{
		{model.AppCounts{Transactions: 2000, Seconds: 4}, true},
		{model.AppCounts{Transactions: 2000, Seconds: 4.018}, true},
		{model.AppCounts{Transactions: 2000, Seconds: 4.05}, false},
		{model.AppCounts{Transactions: 1999, Seconds: 4}, false},
	} {
		if why := c.check(x.own, 0); (why == "") != x.fine {
			t.Errorf("%+v: %q", x.own, why)
		}
	}
}

// pgbench's own time may exceed that of its transactions by what its process lived longer, which is little
// unless its threads wait for processors.
func TestEdges(t *testing.T) {
	c := model.AppCounts{Transactions: 1000, LatencySum: 1, Seconds: 4}
	for lived, want := range map[float64]float64{4.01: 0.052, 4.052: 0.052, 4.4: 0.4, 12: 1} {
		if got := edges(model.Workload{}, c, lived); math.Abs(got-want) > 1e-9 {
			t.Errorf("a process that lived %g s: %g s, want %g", lived, got, want)
		}
	}
}

// The cause of a server's end is reported, however many of its clients complain after it.
func TestTheEndOfALogTellsTheCause(t *testing.T) {
	const cause = "LOG:  background writer process (PID 7) was terminated by signal 9: Killed"
	log := "LOG:  ready\n" + cause + "\n" + strings.Repeat("LOG:  could not send data to client: Broken pipe\n", 6) + "LOG:  database system is shut down\n"
	if got := ending(log); !strings.HasPrefix(got, cause+"; …; ") || !strings.HasSuffix(got, "is shut down") || strings.Count(got, "Broken pipe") != 3 {
		t.Error(got)
	}
	if got := ending(cause + "\nLOG:  shutting down\n"); got != cause+"; LOG:  shutting down" {
		t.Error(got)
	}
	const query = "10:00 [7] STATEMENT:  SELECT 'a',\n\textract(epoch FROM now())\n\tUNION ALL\n\tSELECT 1, 2\n"
	if got := ending("10:00 [7] FATAL:  terminating connection\n" + query + "10:00 [8] FATAL:  the same\n" + query); got != "10:00 [7] FATAL:  terminating connection; 10:00 [8] FATAL:  the same" {
		t.Error(got)
	}
	if got := ending("LOG:  one\n"); got != "LOG:  one" {
		t.Error(got)
	}
}

// TestRecordTellsWhenNothingEnded: stalls are those of all threads together, including one that
// extends beyond the measured part.
func TestRecordTellsWhenNothingEnded(t *testing.T) {
	var samples []model.Sample
	r := newRecord(7, true, 2, began, 1, 12, 0, func(s model.Sample) { samples = append(samples, s) })
	one := line(1.5, "1000") + line(5.5, "3900000") + line(9.5, "100") + line(15, "5500000")
	two := line(1.5, "1000") + line(2, "1000") + line(5.6, "3500000") + line(15.2, "5000000")
	if _, err := gather(t, r, &samples, one, two); err != nil {
		t.Fatal(err)
	}
	// From 5.6 to 9.5 no transaction ended, but none was waiting.
	want := []model.Stall{{Begin: 2, Seconds: 3.5}, {Begin: 9.5, Seconds: 5.5}}
	if len(r.stalls) != 2 || r.stalls[0] != want[0] || r.stalls[1] != want[1] {
		t.Errorf("%+v, want %+v", r.stalls, want)
	}
}

// What of an open loop had not begun when the measured part ended counts as skipped, with the time that it had waited by
// then, although pgbench logs nothing of it.
func TestABacklogCounts(t *testing.T) {
	for name, x := range map[string]struct {
		rate, limit float64
		skipped     uint64
	}{"as many as are done": {50, 0, 0}, "twice as many": {100, 0, 501}, "with a limit": {100, 0.1, 0}, "a closed loop": {0, 0, 0}, "a few in progress": {55, 0, 0}} {
		var samples []model.Sample
		r := newRecord(1, true, 1, began, 0, 10, x.limit, func(s model.Sample) { samples = append(samples, s) })
		r.rate = x.rate
		log := ""
		for i := range 510 {
			// 50 a second are done; each was due when half of its time had passed.
			at := float64(i+1) / 50
			log += line(at, fmt.Sprint(int(at/2*1e6)))
		}
		if _, err := gather(t, r, &samples, log); err != nil {
			t.Fatal(err)
		}
		last := samples[9].Write
		if c := r.counts(); c.Skipped != x.skipped || r.due != 499+x.skipped || last.Histogram.Count() != last.IOs+x.skipped {
			t.Errorf("%s: %d skipped, %d due, %d latencies of %d transactions", name, c.Skipped, r.due, last.Histogram.Count(), last.IOs)
		}
		if p99 := last.Histogram.Percentile(99); x.skipped > 0 && (p99 < 4.8 || p99 > 5.1) {
			t.Errorf("%s: the p99 of the last second is %v s", name, p99)
		}
	}
}

// Until the clients are connected nothing is measured: the first second is shorter.
func TestTheFirstSecondBeginsWhenClientsAreConnected(t *testing.T) {
	for connecting, want := range map[bool]float64{true: 0.6, false: 1} {
		var samples []model.Sample
		r := newRecord(1, true, 1, began, 1, 2, 0, func(s model.Sample) { samples = append(samples, s) })
		r.connecting = connecting
		if _, err := gather(t, r, &samples, line(1.5, "100000")+line(2.5, "1000")+line(3.5, "1000")); err != nil {
			t.Fatal(err)
		}
		if len(samples) != 2 || math.Abs(samples[0].Seconds-want) > 1e-9 || samples[0].End != 2 || samples[1].Seconds != 1 {
			t.Errorf("connecting %v: %+v", connecting, samples)
		}
	}
}

// A log that something else than pgbench still holds open ends after a while, with all that was written.
func TestALogThatStaysOpen(t *testing.T) {
	r := newRecord(1, true, 1, began, 0, 1, 0, func(model.Sample) {})
	var lock sync.Mutex
	if err := r.read(0, io.MultiReader(strings.NewReader(line(0.5, "1000")), iotest.ErrReader(os.ErrDeadlineExceeded)), &lock); err != nil || r.counts().Transactions != 1 {
		t.Errorf("%v, %+v", err, r.counts())
	}
	if err := r.read(0, io.MultiReader(strings.NewReader("0 1 10"), iotest.ErrReader(os.ErrDeadlineExceeded)), &lock); err == nil {
		t.Error("half a line is no error")
	}
}
