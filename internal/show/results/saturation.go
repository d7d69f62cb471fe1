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

// found is where a load saturates: at is the index of the smallest number of clients that qualifies, and below
// that of the largest smaller one that certainly does not, or −1. Only the first far points are followed by
// enough clients to qualify, and none of them does if at is far.
type found struct{ far, at, below int }

// search finds the smallest number of clients whose rate is certainly within the margin of the rates with all
// larger ones.
func search(points []clientPoint) found {
	last := len(points) - 1
	f := found{below: -1}
	for f.far < last && points[last].clients >= saturatedBy*points[f.far].clients {
		f.far++
	}
	for ; f.at < f.far; f.at++ {
		within, beyond := true, false
		for _, p := range points[f.at+1:] {
			_, low, high := ratio(p.rate, points[f.at].rate)
			within, beyond = within && high < saturatedMargin, beyond || low > saturatedMargin
		}
		if within {
			break
		}
		if beyond {
			f.below = f.at
		}
	}
	return f
}

// curve is the answer for the points of one load, at least two of them.
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
	f := search(points)
	if f.far == 0 {
		c.Says = fmt.Sprintf("with how many clients the load (%s) is saturated is not known: %s are less than twice as many as %s", load, clients(top.clients), clients(points[0].clients))
		return c
	}
	if f.at < f.far {
		p := points[f.at]
		c.To = p.clients
		where := "is saturated with " + clients(p.clients)
		switch {
		case f.below >= 0:
			c.From = points[f.below].clients
			where = fmt.Sprintf("saturates somewhere between %d and %d clients", c.From, p.clients)
		case f.at > 0:
			where += ", perhaps with fewer"
		}
		more, low, high := ratio(top.rate, p.rate)
		c.Says = fmt.Sprintf("the load (%s) %s: with %s, %s; from %d to %d the rate changes by %s (%s to %s)", load, where, clients(p.clients), p.reached(),
			p.clients, top.clients, change(more), change(low), change(high)) + limitedBy(points[f.at:], findings)
		return c
	}
	before := points[f.far-1]
	more, low, high := ratio(top.rate, before.rate)
	if low > saturatedMargin && f.below == f.far-1 {
		c.Says = fmt.Sprintf("the load (%s) is not saturated up to %s: %s, %s times the rate with %d (%s to %s)", load, clients(top.clients), top.reached(),
			factor(more), before.clients, factor(low), factor(high))
		return c
	}
	c.Says = fmt.Sprintf("whether the load (%s) is saturated with %s is not certain: with %d the rate is %s times as high (%s to %s), and less than %s counts as saturated", load,
		clients(before.clients), top.clients, factor(more), factor(low), factor(high), factor(saturatedMargin))
	return c
}

func (p clientPoint) reached() string {
	return fmt.Sprintf("%s tps in all and %s each", units.FormatRate(p.rate.Value), units.FormatDuration(p.latency))
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
