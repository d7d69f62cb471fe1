package explain

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/loadline/loadline/internal/model/external"
)

// images are full-page images counted in a random experiment: so many transactions after a checkpoint, each
// changing a page of accounts, and with that probability a leaf page.
func drawnImages(r *rand.Rand, transactions, scale int, leaf float64) (images int) {
	changed := map[[2]int]bool{}
	change := func(kind, pages int) {
		page := [2]int{kind, r.IntN(pages)}
		if !changed[page] {
			images++
		}
		changed[page] = true
	}
	for range transactions {
		change(0, scale*branchRows/accountsPage)
		if r.Float64() < leaf {
			change(1, scale*branchRows/accountsLeaf)
		}
	}
	return images
}

// withImages is a run of PostgreSQL of one client, whose repeats began with a checkpoint and wrote so many images.
func withImages(transactions int, images, log float64) Evidence {
	ev := onPostgres("--builtin=tpcb-like", cost{log: log / float64(transactions)}, 1)
	ev.Report.Run.Prepare.App.Scale = 16
	step := &ev.Recorded.Run.Steps[0]
	step.Step.Ramp, step.Step.Seconds = 1, 4
	app, more := step.App, float64(transactions)/float64(step.App.Transactions)
	app.Transactions, app.Seconds = uint64(transactions), more*app.Seconds
	for _, v := range []*float64{app.Flushes, app.FlushSeconds, app.ReadSeconds, &app.Processor.Seconds, &app.Processor.ServerCPU, &app.Processor.ClientCPU} {
		*v *= more
	}
	each := images / float64(transactions)
	ev.Report.Results[0].App.PageImages = &each
	return ev
}

// A run says how much log a transaction writes at any other rate, faster or slower, on data of any size.
func TestImagesFollowTheRate(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 27))
	const imageBytes, rest = 7900.0, 650.0
	for _, x := range []struct {
		leaf         float64
		transactions int
	}{{0.3, 2000}, {0.9, 5000}, {0, 20000}, {0.6, 60000}} {
		images := float64(drawnImages(r, x.transactions, 16, x.leaf))
		ev := withImages(x.transactions, images, images*imageBytes+rest*float64(x.transactions))
		l, err := ev.like()
		if err != nil {
			t.Fatal(err)
		}
		m := l.images["load-c1"].is
		if m == nil {
			t.Fatalf("%+v: there is no model of the images", x)
		}
		for _, scale := range []int{16, 50} {
			for _, rate := range []float64{20, 300, 2000, 10000} {
				begin, end := int(rate*m.ramp), int(rate*(m.ramp+m.repeat))
				is := float64(drawnImages(r, end, scale, x.leaf)-drawnImages(r, begin, scale, x.leaf))/float64(end-begin)*imageBytes + rest
				// After many transactions it cannot be told how many changed the index, and the bounds say so.
				got, low, high := m.log(rate, scale), l.images["load-c1"].fewer.log(rate, scale), l.images["load-c1"].more.log(rate, scale)
				if margin := 0.06*is + 0.1*imageBytes; is < low-margin || is > high+margin || x.transactions < 20000 && math.Abs(got-is) > margin {
					t.Errorf("%+v at %v/s, scale %d: %.0f bytes of log (%.0f to %.0f), and there are %.0f", x, rate, scale, got, low, high, is)
				}
			}
		}
	}
}

// Nothing is derived from images that were not counted, that are next to none, or whose checkpoint is not known.
func TestImagesThatAreNotKnown(t *testing.T) {
	for name, change := range map[string]func(Evidence){
		"not counted": func(ev Evidence) { ev.Report.Results[0].App.PageImages = nil },
		"none":        func(ev Evidence) { *ev.Report.Results[0].App.PageImages = 0.01 },
		"no checkpoint": func(ev Evidence) {
			ev.Report.Run.Prepare.App.Server = &external.Server{}
		},
		"size of the data unknown": func(ev Evidence) { ev.Report.Run.Prepare.App.Scale = 0 },
	} {
		ev := withImages(1000, 1500, 1500*8000)
		change(ev)
		l, err := ev.like()
		if err != nil {
			t.Fatal(err)
		}
		if len(l.images) > 0 {
			t.Errorf("%s: there is a model, %+v", name, l.images["load-c1"].is)
		}
	}
	ev := withImages(1000, 1500, 1500*8000)
	ev.Report.Run.Prepare.App.Server = &external.Server{Checkpoint: true}
	if l, err := ev.like(); err != nil || l.images["load-c1"].is == nil {
		t.Errorf("a server that may be told to make a checkpoint has no model: %v", err)
	}
}

// Storage that limits bytes per second limits transactions to as many as their log permits, and a transaction
// writes more log there than where it was measured, because fewer share the images.
func TestSlowStorageGetsMoreLog(t *testing.T) {
	const bandwidth = 7 << 20
	r := rand.New(rand.NewPCG(18, 28))
	images := float64(drawnImages(r, 40000, 16, 0.8))
	ev := withImages(40000, images, images*8000+600*40000)
	from := onStorage(float64(8<<10)/bandwidth, float64(64<<10)/bandwidth, 0)
	p, err := Predict(from, ev, Ask{Clients: []int{16}})
	if err != nil {
		t.Fatal(err)
	}
	x := p.Points[0]
	if used := x.Rate.Value * x.LogBytes / bandwidth; used < 0.9 || used > 1.03 {
		t.Errorf("%.0f transactions per second with %.0f bytes of log each are %.2f of the bandwidth", x.Rate.Value, x.LogBytes, used)
	}
	if measured := p.Costs[0].LogBytes; x.LogBytes < 1.5*measured || x.Rate.Low > x.Rate.Value || x.Rate.High < x.Rate.Value {
		t.Errorf("%.0f bytes of log each, where %.0f were measured; %+v", x.LogBytes, measured, x.Rate)
	}
}
