package imported

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
)

var formatKafka = Format{
	Name:    "kafka",
	Title:   "the lines of Kafka's perf-test tools",
	Example: "60000000 records sent, 222707.229077 records/sec (21.24 MB/sec), 46.02 ms avg latency, 776.00 ms max latency",
	words:   []string{"records sent", "records/sec", "data.consumed.in.MB", "nMsg.sec"},
	read:    readKafka,
}

var (
	kafkaSent    = regexp.MustCompile(`^\s*(\d+) records sent, ([0-9.]+) records/sec \(([0-9.]+) MB/sec\), ([0-9.]+) ms avg latency, ([0-9.]+) ms max latency(.*)$`)
	kafkaPercent = regexp.MustCompile(`([0-9.]+) ms ([0-9.]+)th`)
	kafkaHead    = regexp.MustCompile(`^\s*start\.time, end\.time, data\.consumed\.in\.MB`)
	kafkaRead    = regexp.MustCompile(`^\s*(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3}), (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3}), ([0-9.]+), ([0-9.]+), (\d+), ([0-9.]+)`)
	ending       = regexp.MustCompile(`(?i)(?:producer|consumer)[^\d]*(\d+)\s*$`)
)

// sent is a line of the producer's output.
type sent struct {
	at                int
	records, rate, mb float64
	mean, most        float64
	percentiles       [][]string
	label             string
}

func readKafka(t *text, p *Part) (last int, err error) {
	var windows []sent
	var head []string
	headAt := -2
	for i, l := range t.lines {
		switch {
		case kafkaSent.MatchString(l):
			m := kafkaSent.FindStringSubmatch(l)
			s := sent{at: t.at(i), label: t.label(i), percentiles: kafkaPercent.FindAllStringSubmatch(m[6], -1)}
			// The tool ends the line of a five-second window with a full stop, the line of the total
			// without one.
			window := strings.TrimSpace(m[6]) == "."
			for k, to := range []*float64{&s.records, &s.rate, &s.mb, &s.mean, &s.most} {
				*to, _ = number(m[1+k])
			}
			if windows = append(windows, s); !window {
				s.add(p)
				windows = nil
			}
			last = t.at(i)
			continue
		case kafkaHead.MatchString(l):
			head, headAt = strings.Split(l, ","), i
			last = t.at(i)
		case kafkaRead.MatchString(l):
			from := i
			if headAt == i-1 {
				from = headAt
			}
			addConsumer(t.at(i), t.label(from), kafkaRead.FindStringSubmatch(l), head, p)
			last = t.at(i)
		case l == "" || strings.HasPrefix(l, "["):
			// The tool's own log messages may appear between its windows.
			continue
		}
		unsummed(windows, p)
		windows = nil
	}
	unsummed(windows, p)
	return last, nil
}

// unsummed handles windows without a total: a single window is a short run by itself, several are a
// truncated log.
func unsummed(windows []sent, p *Part) {
	switch n := len(windows); n {
	case 0:
	case 1:
		windows[0].add(p)
	default:
		p.remark(model.SeverityWarning, nil, fmt.Sprintf("cut off: %d windows of the producer (to line %d) have no sum behind them and were left out", n, windows[n-1].at))
		p.status, p.reason = model.Interrupted, "the producer's log has no end"
	}
}

// add adds the producer's run.
func (s sent) add(p *Part) {
	if s.rate <= 0 {
		return
	}
	w := model.Workload{Name: "kafka-produce" + suffix(s.label), Direction: model.Write, Metric: model.Records,
		Words: fmt.Sprintf("produce %.0f records of %.0f B", s.records, s.size())}
	f := model.Figure{Direction: model.Write, Group: "kafka", Line: s.at, Seconds: s.records / s.rate,
		Values: map[model.Metric]float64{model.Records: s.rate, model.Bandwidth: s.mb * (1 << 20)}}
	if s.mean > 0 {
		f.Values[model.Latency] = s.mean / 1e3
		f.Latency = &model.LatencySummary{Unit: "s", Count: uint64(s.records), Mean: s.mean / 1e3, Max: s.most / 1e3}
	}
	for _, m := range s.percentiles {
		v, err1 := number(m[1])
		at, err2 := strconv.ParseFloat(m[2], 64)
		if err1 == nil && err2 == nil {
			setPercentile(&f, at, v/1e3)
		}
	}
	r := run{label: s.label, workload: w, figures: []model.Figure{f}}
	r.step.Step.Seconds = f.Seconds
	p.status = cmp.Or(p.status, model.Complete)
	p.add(r)
}

// size returns the size of a record: perf-test's MB are 1024² bytes. It is rounded to two digits,
// because the printed rate is no more precise.
func (s sent) size() float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(s.mb*(1<<20)/s.rate, 'g', 2, 64), 64)
	if err != nil {
		return 0
	}
	return v
}

// addConsumer adds the consumer's run. nMsg.sec includes the time of the rebalance.
func addConsumer(line int, label string, m, head []string, p *Part) {
	from, err1 := kafkaTime(m[1])
	to, err2 := kafkaTime(m[2])
	mb, err3 := number(m[4])
	messages, err4 := number(m[5])
	rate, err5 := number(m[6])
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil || err5 != nil || rate <= 0 {
		return
	}
	if p.started.IsZero() {
		p.started = from
	}
	w := model.Workload{Name: "kafka-consume" + suffix(label), Direction: model.Read, Metric: model.Records,
		Words: fmt.Sprintf("consume %.0f records", messages)}
	f := model.Figure{Direction: model.Read, Group: "kafka", Line: line, Seconds: to.Sub(from).Seconds(),
		Values: map[model.Metric]float64{model.Records: rate, model.Bandwidth: mb * (1 << 20)}}
	r := run{label: label, workload: w, figures: []model.Figure{f}}
	r.step.Step.Seconds = f.Seconds
	if len(head) == 0 {
		p.remark(model.SeverityNote, []string{w.Name}, fmt.Sprintf("line %d has no head: its columns were taken for those of kafka-consumer-perf-test", line))
	}
	p.status = cmp.Or(p.status, model.Complete)
	p.add(r)
}

// suffix returns "-2" for a label such as "Producer test 2".
func suffix(label string) string {
	if m := ending.FindStringSubmatch(label); m != nil {
		return "-" + m[1]
	}
	return ""
}

// kafkaTime parses "2020-06-23 20:48:08:163"; it has no time zone, so UTC is assumed.
func kafkaTime(s string) (time.Time, error) {
	i := len(s) - len(":000")
	return time.Parse("2006-01-02 15:04:05.000", s[:i]+"."+s[i+1:])
}
