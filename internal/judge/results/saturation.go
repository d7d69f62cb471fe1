package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/saturation"
	"github.com/loadline/loadline/internal/model/units"
)

const (
	// leastPoints is the minimum number of points of a curve: two show that more clients bring more, not
	// where that ends.
	leastPoints = 3
	// saturatedMargin is how much faster the rate may be with more clients where the load is saturated.
	saturatedMargin = 1.2
)

// clientPoint is a load measured with a number of clients.
type clientPoint struct {
	workload string
	clients  int
	rate     model.Estimate
	latency  float64
	// unused is a phrase: why the rate is not used; empty if it is.
	unused string
}

// saturations are the answers to the question at how many clients the rate of each load of an application
// stops growing. Loads at a given rate have no answer, and a number of clients that was measured only once
// is not used: what the storage did meanwhile would look like an effect of the clients.
func saturations(rec *model.Recorded, results []model.Result, findings []model.Finding) []saturation.Curve {
	type load struct {
		app       model.AppLoad
		direction model.Direction
		blockSize int64
	}
	var order []load
	points, names := map[load][]clientPoint{}, map[load]string{}
	for _, w := range rec.Plan.Workloads {
		if !w.Loads() || w.OpenLoop {
			continue
		}
		// One load differs in nothing but the clients, for which the load tool needs threads.
		key := load{w.App, w.Direction, w.BlockSize}
		key.app.Threads, key.app.Published, key.app.PublishedScale = 0, 0, 0
		if points[key] == nil {
			order = append(order, key)
			names[key], _, _ = strings.Cut(w.Words, ",")
		}
		points[key] = append(points[key], pointOf(w, results))
	}
	var curves []saturation.Curve
	for _, key := range order {
		list := points[key]
		slices.SortStableFunc(list, func(a, b clientPoint) int { return a.clients - b.clients })
		list = slices.CompactFunc(list, func(a, b clientPoint) bool { return a.clients == b.clients })
		used := slices.DeleteFunc(slices.Clone(list), func(p clientPoint) bool { return p.unused != "" })
		if len(used) >= leastPoints {
			c := curve(names[key], used, findings)
			c.Says += leftOut(list)
			curves = append(curves, c)
		}
	}
	return curves
}

func pointOf(w model.Workload, results []model.Result) clientPoint {
	p := clientPoint{workload: w.Name, clients: max(1, w.Depth), unused: "was not measured"}
	i := slices.IndexFunc(results, func(r model.Result) bool { return r.Workload == w.Name && r.Direction == w.Direction })
	if i < 0 {
		return p
	}
	p.rate, p.latency = results[i].Metrics[model.Transactions], results[i].Metrics[model.Latency].Value
	switch {
	case results[i].Verdict == model.Invalid:
		p.unused = "is invalid"
	case results[i].Repeats < 2:
		p.unused = "was measured only once"
	case p.rate.Confidence == 0 || !(p.rate.Low > 0) || math.IsInf(p.rate.High, 0):
		p.unused = "has no interval"
	default:
		p.unused = ""
	}
	return p
}

// leftOut names the numbers of clients that were planned and are not used.
func leftOut(list []clientPoint) (words string) {
	for _, p := range list {
		if p.unused != "" {
			words += fmt.Sprintf("; the rate with %s %s and is left out", clients(p.clients), p.unused)
		}
	}
	return words
}

// curve finds the smallest number of clients whose rate is certainly within the margin of the rates with
// all larger ones.
func curve(load string, points []clientPoint, findings []model.Finding) saturation.Curve {
	c := saturation.Curve{Load: load}
	last := len(points) - 1
	for _, p := range points {
		x := saturation.Point{Workload: p.workload, Clients: p.clients, More: 1, Low: 1, High: 1}
		if p.clients != points[last].clients {
			x.More, x.Low, x.High = ratio(points[last].rate, p.rate)
		}
		c.Points = append(c.Points, x)
	}
	// within and beyond say whether some larger number of clients is certainly within the margin in all
	// cases, and certainly beyond it in one.
	within := func(i int) bool {
		return !slices.ContainsFunc(points[i+1:], func(p clientPoint) bool {
			_, _, high := ratio(p.rate, points[i].rate)
			return !(high < saturatedMargin)
		})
	}
	beyond := func(i int) bool {
		return slices.ContainsFunc(points[i+1:], func(p clientPoint) bool { _, low, _ := ratio(p.rate, points[i].rate); return low > saturatedMargin })
	}
	at := last
	for at > 0 && within(at-1) {
		at--
	}
	top, before := points[last], points[last-1]
	reached := func(p clientPoint) string {
		return fmt.Sprintf("%s transactions/s in all, %s each", units.FormatRate(p.rate.Value), units.FormatDuration(p.latency))
	}
	switch {
	case at < last:
		p := points[at]
		c.To = p.clients
		below := at - 1
		for below >= 0 && !beyond(below) {
			below--
		}
		where := "with " + clients(p.clients)
		switch {
		case below >= 0:
			c.From = points[below].clients
			where = fmt.Sprintf("between %d and %d clients", c.From, p.clients)
		case at > 0:
			where += " or fewer"
		}
		more, low, high := ratio(top.rate, p.rate)
		c.Says = fmt.Sprintf("the load (%s) is saturated %s: %s with %d; with %d the rate changes by %+.0f %% (%+.0f to %+.0f %%)", load, where, reached(p), p.clients,
			top.clients, 100*(more-1), 100*(low-1), 100*(high-1)) + limitedBy(points[at:], findings)
	case beyond(last - 1):
		more, low, high := ratio(top.rate, before.rate)
		c.Says = fmt.Sprintf("the load (%s) is not saturated up to %s: %s, %s times the rate with %d (%s to %s)", load, clients(top.clients), reached(top),
			factor(more), before.clients, factor(low), factor(high))
	default:
		more, low, high := ratio(top.rate, before.rate)
		c.Says = fmt.Sprintf("whether the load (%s) is saturated with %s is not certain: with %d the rate is %s times as high (%s to %s), and less than %s counts as saturated", load,
			clients(before.clients), top.clients, factor(more), factor(low), factor(high), factor(saturatedMargin))
	}
	return c
}

// ratio is a rate divided by another one, with its 95 % interval. Their errors are taken to be
// independent, which makes the interval too wide if the storage's speed changed for both.
func ratio(of, to model.Estimate) (value, low, high float64) {
	value = of.Value / to.Value
	low = value * math.Exp(-math.Hypot(math.Log(of.Value/of.Low), math.Log(to.High/to.Value)))
	high = value * math.Exp(math.Hypot(math.Log(of.High/of.Value), math.Log(to.Value/to.Low)))
	return value, low, high
}

// factor writes a ratio: "1.08", "12.3".
func factor(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.2f", v)
	}
	return units.FormatRate(v)
}

// limitedBy says what the rules know of the limit of a saturated load, from its first saturated point on: a
// phrase that begins with "; ".
func limitedBy(points []clientPoint, findings []model.Finding) string {
	for _, p := range points {
		warns := func(rule string) bool {
			return slices.ContainsFunc(findings, func(f model.Finding) bool { return about(f, rule, p.workload) })
		}
		with := "; with " + clients(p.clients) + " "
		switch {
		case warns("full-cpu"):
			return with + "the processors are full, so this need not be the limit of the storage"
		case warns("cpu"):
			return with + "others, or a limit, took processor time away, so this need not be the limit of the storage"
		case warns("hot-rows"):
			return with + "most of them wait for each other's rows, so this need not be the limit of the storage"
		case warns("connecting"):
			return with + "the load tool connects in turn, so this is not the limit of the storage"
		case warns("others"):
			return with + "others use the server too, so this need not be the limit of the storage"
		case warns("storage-bound"):
			return with + "transactions hardly wait for the storage, so this is not its limit"
		}
	}
	p := points[0]
	passed := func(rule string) bool {
		return slices.ContainsFunc(findings, func(f model.Finding) bool {
			return f.Rule == rule && f.Severity == model.SeverityPassed && (len(f.Results) == 0 || slices.Contains(f.Results, p.workload))
		})
	}
	if passed("full-cpu") && passed("storage-bound") {
		return "; most of that time is spent waiting for the storage"
	}
	return "; whether the storage is the limit is not known"
}
