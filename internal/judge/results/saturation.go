package results

import (
	"cmp"
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
	// saturatedMargin is how much faster the rate may be with more clients where the load is saturated, and
	// saturatedBy how many times more clients have to show that: a quarter more cannot bring more than that.
	saturatedMargin, saturatedBy = 1.2, 2
	// storageLimit is the share of the time in which a flush of the log is in progress, or of the clients'
	// time that reads take, from which on the storage is called the limit.
	storageLimit = 0.9
)

// clientPoint is a load measured with a number of clients.
type clientPoint struct {
	workload string
	clients  int
	rate     model.Estimate
	latency  float64
	app      *model.AppResult
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
		// Of two with the same number of clients, one that is used comes first.
		slices.SortStableFunc(list, func(a, b clientPoint) int {
			return cmp.Or(a.clients-b.clients, cmp.Compare(a.unused, b.unused))
		})
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
	p.rate, p.latency, p.app = results[i].Metrics[model.Transactions], results[i].Metrics[model.Latency].Value, results[i].App
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
	top := points[last]
	for _, p := range points[:last] {
		x := saturation.Point{Workload: p.workload, Clients: p.clients}
		x.More, x.Low, x.High = ratio(top.rate, p.rate)
		c.Points = append(c.Points, x)
	}
	c.Points = append(c.Points, saturation.Point{Workload: top.workload, Clients: top.clients, More: 1, Low: 1, High: 1})
	// Points that are followed by enough clients: the first ones, and none if all are close together.
	far := 0
	for far < last && top.clients >= saturatedBy*points[far].clients {
		far++
	}
	within := func(i int) bool {
		return !slices.ContainsFunc(points[i+1:], func(p clientPoint) bool {
			_, _, high := ratio(p.rate, points[i].rate)
			return !(high < saturatedMargin)
		})
	}
	beyond := func(i int) bool {
		return slices.ContainsFunc(points[i+1:], func(p clientPoint) bool { _, low, _ := ratio(p.rate, points[i].rate); return low > saturatedMargin })
	}
	at, below := 0, -1
	for at < far && !within(at) {
		if beyond(at) {
			below = at
		}
		at++
	}
	reached := func(p clientPoint) string {
		return fmt.Sprintf("%s transactions/s in all and %s each", units.FormatRate(p.rate.Value), units.FormatDuration(p.latency))
	}
	switch {
	case far == 0:
		c.Says = fmt.Sprintf("with how many clients the load (%s) is saturated is not known: %s are less than twice as many as %s", load, clients(top.clients), clients(points[0].clients))
	case at < far:
		p := points[at]
		c.To = p.clients
		where := "is saturated with " + clients(p.clients)
		switch {
		case below >= 0:
			c.From = points[below].clients
			where = fmt.Sprintf("saturates somewhere between %d and %d clients", c.From, p.clients)
		case at > 0:
			where += ", perhaps with fewer"
		}
		more, low, high := ratio(top.rate, p.rate)
		c.Says = fmt.Sprintf("the load (%s) %s: with %s, %s; from %d to %d the rate changes by %s (%s to %s)", load, where, clients(p.clients), reached(p),
			p.clients, top.clients, change(more), change(low), change(high)) + limitedBy(points[at:], findings)
	default:
		before := points[far-1]
		more, low, high := ratio(top.rate, before.rate)
		if low > saturatedMargin && below == far-1 {
			c.Says = fmt.Sprintf("the load (%s) is not saturated up to %s: %s, %s times the rate with %d (%s to %s)", load, clients(top.clients), reached(top),
				factor(more), before.clients, factor(low), factor(high))
			break
		}
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

// change writes a ratio as a change in percent: "+7 %", "0 %".
func change(v float64) string {
	if percent := math.Round(100 * (v - 1)); percent != 0 {
		return fmt.Sprintf("%+.0f %%", percent)
	}
	return "0 %"
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
	const unknown = "; whether the storage is the limit is not known"
	if !passed("full-cpu") || p.app == nil {
		return unknown
	}
	share, words := 0.0, ""
	if p.app.Flushing != nil {
		share, words = *p.app.Flushing, "; a flush of its log is in progress %.0f %% of the time"
	}
	if p.app.Reading != nil && *p.app.Reading > share {
		share, words = *p.app.Reading, "; reads take %.0f %% of the clients' time"
	}
	switch {
	case words == "":
		return unknown
	case share < storageLimit:
		return fmt.Sprintf(words, 100*share)
	}
	return fmt.Sprintf(words, 100*share) + ", so the storage is the limit"
}
