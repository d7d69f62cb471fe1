package imported

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// latency parses the lines of latencies of one direction.
func (r *fioText) latency(s string) bool {
	if m := fioLat.FindStringSubmatch(s); m != nil {
		unit, err := timeUnit(m[2])
		avg, err2 := number(m[5])
		most, err3 := number(m[4])
		// "lat" is the total latency and takes precedence over "clat", which is used if there is
		// nothing better.
		rank := map[string]int{"clat": 1, "lat": 2}[m[1]]
		if err == nil && err2 == nil && err3 == nil && rank > r.rank && avg > 0 {
			r.rank = rank
			r.flow.Values[model.Latency] = avg * unit
			if r.flow.Latency == nil {
				r.flow.Latency = &model.LatencySummary{Unit: "s"}
			}
			r.flow.Latency.Mean, r.flow.Latency.Max = avg*unit, most*unit
			r.flow.Latency.Count = uint64(math.Min(math.Max(0, r.flow.Values[model.IOPS]*r.flow.Seconds), 1<<62))
		}
		return true
	}
	if m := fioClat.FindStringSubmatch(s); m != nil {
		r.unit, _ = timeUnit(m[2])
		return true
	}
	if r.unit > 0 && strings.HasPrefix(strings.TrimSpace(s), "|") {
		for _, m := range fioPercent.FindAllStringSubmatch(s, -1) {
			at, err1 := strconv.ParseFloat(m[1], 64)
			v, err2 := strconv.ParseFloat(m[2], 64)
			if err1 == nil && err2 == nil {
				setPercentile(r.flow, at, v*r.unit)
			}
		}
		return true
	}
	return false
}

// levels parses "1=0.1%, 2=0.1%, 4=0.1%, 8=99.7%, … >=64=0.0%".
func (r *fioText) levels(s string) {
	var sum float64
	m := map[string]float64{}
	for _, l := range fioLevel.FindAllStringSubmatch(s, -1) {
		if v, err := strconv.ParseFloat(l[2], 64); err == nil && v > 0 {
			m[l[1]] += v
			sum += v
		}
	}
	if sum == 0 {
		return
	}
	for k := range m {
		m[k] /= sum
	}
	r.run.step.DepthLevels = m
}

// shorts sums "0,0,0,0" (fio 3) or "r=0/w=0/d=0" (fio 2).
func shorts(s string) (sum uint64) {
	for _, n := range regexp.MustCompile(`\d+`).FindAllString(s, 3) {
		if v, err := strconv.ParseUint(n, 10, 32); err == nil {
			sum += v
		}
	}
	return sum
}

// binary replaces the units of fio 2 by what they mean: there KB is KiB.
func binary(s string) string {
	for _, u := range []string{"K", "M", "G", "T"} {
		s = strings.Replace(s, u+"B", u+"iB", 1)
	}
	return s
}
