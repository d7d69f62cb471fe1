package explain

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/external"
)

// drawnTables are tables in a random experiment: which pages of accounts have been changed since they were filled.
type drawnTables struct {
	r       *rand.Rand
	scale   int
	leaf    float64
	touched map[int]bool
}

// images are the full-page images of accounts and of the index that so many transactions after a checkpoint write: each
// changes a page of accounts, and the first change of a page also changes a leaf page, with that probability.
func (d drawnTables) images(transactions int) (accounts, leaves int) {
	imaged, imagedLeaves := map[int]bool{}, map[int]bool{}
	for range transactions {
		page := d.r.IntN(d.scale * branchRows / accountsPage)
		if !imaged[page] {
			accounts++
		}
		imaged[page] = true
		if !d.touched[page] && d.r.Float64() < d.leaf {
			leaf := d.r.IntN(d.scale * branchRows / accountsLeaf)
			if !imagedLeaves[leaf] {
				leaves++
			}
			imagedLeaves[leaf] = true
		}
		d.touched[page] = true
	}
	return accounts, leaves
}

// withImages is a run of PostgreSQL of one client, whose repeats of 5 s began with a checkpoint and wrote so many images.
func withImages(images, log float64, transactions ...int) Evidence {
	total := 0.0
	for _, n := range transactions {
		total += float64(n)
	}
	ev := onPostgres("--builtin=tpcb-like", cost{log: log / total}, 1)
	ev.Report.Run.Prepare.App.Scale = 16
	first := ev.Recorded.Run.Steps[0]
	ev.Recorded.Run.Steps = nil
	for _, n := range transactions {
		step, app := first, *first.App
		step.Step.Ramp, step.Step.Seconds = 1, 4
		more := float64(n) / float64(app.Transactions)
		app.Transactions, app.Seconds = uint64(n), 5
		flushes, flushing, reading := *app.Flushes*more, 3.0, 0.1
		app.Flushes, app.FlushSeconds, app.ReadSeconds = &flushes, &flushing, &reading
		app.Processor = &model.AppProcessor{Seconds: 5, ServerCPU: 1, ClientCPU: 0.3}
		step.App = &app
		ev.Recorded.Run.Steps = append(ev.Recorded.Run.Steps, step)
	}
	each := images / total
	ev.Report.Results[0].App.PageImages = &each
	return ev
}

// A run says how much log a transaction writes at any other rate, faster or slower, on data of any size, whether its
// tables were new or had been changed often.
func TestImagesFollowTheRate(t *testing.T) {
	const rest = 650.0
	for _, x := range []struct {
		leaf         float64
		transactions []int
	}{{1, []int{2000}}, {1, []int{60000}}, {1, []int{5000, 5000, 5000}}, {0.5, []int{5000}}, {0, []int{20000}}, {0, []int{5000, 5000}}} {
		r := rand.New(rand.NewPCG(18, 27))
		counted := func(d drawnTables, n int) (images, log float64) {
			accounts, leaves := d.images(n)
			return float64(accounts + leaves), accountsImage*float64(accounts) + leafImage*float64(leaves) + rest*float64(n)
		}
		var images, log float64
		d := drawnTables{r, 16, x.leaf, map[int]bool{}}
		for _, n := range x.transactions {
			i, l := counted(d, n)
			images, log = images+i, log+l
		}
		l, err := withImages(images, log, x.transactions...).like()
		if err != nil {
			t.Fatal(err)
		}
		m := l.images["load-c1"].is
		if m == nil {
			t.Fatalf("%+v: there is no model of the images", x)
		}
		for _, scale := range []int{16, 50} {
			for _, rate := range []int{20, 300, 2000, 10000} {
				// The measured part of repeats of 5 s, of which 1 s is not measured, on new tables.
				d := drawnTables{r, scale, x.leaf, map[int]bool{}}
				is := 0.0
				for range x.transactions {
					// The images of the first second are those of a repeat that ends then, on a copy of the tables.
					_, ramp := counted(drawnTables{r, scale, x.leaf, maps.Clone(d.touched)}, rate)
					_, all := counted(d, 5*rate)
					is += (all - ramp) / float64(4*rate) / float64(len(x.transactions))
				}
				got, a, b := m.log(float64(rate), scale), l.images["load-c1"].fewer.log(float64(rate), scale), l.images["load-c1"].more.log(float64(rate), scale)
				chance := 1.5 * leafImage / math.Sqrt(float64(4*rate*len(x.transactions))) // three standard errors of a share of a half
				if low, high := min(a, b), max(a, b); math.Abs(got-is) > 0.03*is+chance || is < 0.98*low-chance || is > 1.02*high+chance {
					t.Errorf("%+v at %v/s, scale %d: %.0f bytes of log (%.0f to %.0f), and there are %.0f", x, rate, scale, got, low, high, is)
				}
			}
		}
	}
}

// Counts of PostgreSQL 15 at scale 16 on a disk, with 1, 4 and 16 clients, each repeat after a checkpoint on tables that the
// repeats before it had changed.
func TestImagesThatWereCounted(t *testing.T) {
	before := 0.0
	for _, x := range []struct{ transactions, images float64 }{{4698, 7219}, {8078, 10377}, {14135, 14710}} {
		got := imageModel{rows: 1, leaves: 1, factor: 1}.after(x.transactions, before, 16).count()
		if got < 0.96*x.images || got > 1.01*x.images {
			t.Errorf("%.0f transactions after %.0f: %.0f images, and %.0f were counted", x.transactions, before, got, x.images)
		}
		before += x.transactions
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
		ev := withImages(1800, 1800*8000, 1000)
		change(ev)
		l, err := ev.like()
		if err != nil {
			t.Fatal(err)
		}
		if len(l.images) > 0 {
			t.Errorf("%s: there is a model, %+v", name, l.images["load-c1"].is)
		}
	}
	ev := withImages(1800, 1800*8000, 1000)
	ev.Report.Run.Prepare.App.Server = &external.Server{Checkpoint: true}
	if l, err := ev.like(); err != nil || l.images["load-c1"].is == nil {
		t.Errorf("a server that may be told to make a checkpoint has no model: %v", err)
	}
}

// What ran before counts, whatever its budget: a load that opens connections changes the tables as well, and of the
// user's own script it is not known.
func TestImagesDependOnWhatRanBefore(t *testing.T) {
	modelAfter := func(change func(*model.Workload)) *imageModel {
		ev := withImages(1800, 1800*8000, 1000)
		before := ev.Recorded.Plan.Workloads[0]
		before.Name = "before"
		change(&before)
		step := ev.Recorded.Run.Steps[0]
		step.Step.Workload = before.Name
		ev.Recorded.Plan.Workloads = append(ev.Recorded.Plan.Workloads, before)
		ev.Recorded.Run.Steps = slices.Insert(ev.Recorded.Run.Steps, 0, step)
		l, err := ev.like()
		if err != nil {
			t.Fatal(err)
		}
		return l.images["load-c1"].is
	}
	if m := modelAfter(func(w *model.Workload) { w.App.Reconnect = true }); m == nil || !slices.Equal(m.before, []float64{1000}) {
		t.Errorf("transactions that reconnect are not counted: %+v", m)
	}
	if m := modelAfter(func(w *model.Workload) { w.App.Options = "--builtin=select-only" }); m == nil || !slices.Equal(m.before, []float64{0}) {
		t.Errorf("transactions that only read are counted: %+v", m)
	}
	if m := modelAfter(func(w *model.Workload) { w.App.Script = "SELECT 1" }); m != nil {
		t.Errorf("there is a model after a script of unknown effect: %+v", m)
	}
}

// Storage that limits bytes per second limits transactions to as many as their log permits, and a transaction
// writes more log there than where it was measured, because fewer share the images.
func TestSlowStorageGetsMoreLog(t *testing.T) {
	const bandwidth = 7 << 20
	accounts, leaves := drawnTables{rand.New(rand.NewPCG(18, 28)), 16, 1, map[int]bool{}}.images(40000)
	ev := withImages(float64(accounts+leaves), accountsImage*float64(accounts)+leafImage*float64(leaves)+600*40000, 40000)
	from := onStorage(float64(8<<10)/bandwidth, float64(64<<10)/bandwidth, 0)
	p, err := Predict(from, ev, Ask{Clients: []int{16}})
	if err != nil {
		t.Fatal(err)
	}
	x := p.Points[0]
	// Each flush also writes the page again that the one before began.
	if used := x.Rate.Value * (x.LogBytes + x.Flushes*page) / bandwidth; used < 0.95 || used > 1.03 {
		t.Errorf("%.0f transactions per second with %.0f bytes of log each are %.2f of the bandwidth", x.Rate.Value, x.LogBytes, used)
	}
	if measured := p.Costs[0].LogBytes; x.LogBytes < 1.5*measured || x.Rate.Low > x.Rate.Value || x.Rate.High < x.Rate.Value {
		t.Errorf("%.0f bytes of log each, where %.0f were measured; %+v", x.LogBytes, measured, x.Rate)
	}
}
