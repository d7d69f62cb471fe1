package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/model/prediction"
)

// After a checkpoint the first change of a page writes an image of the whole page to the log
// (full_page_writes). So the log of a transaction depends on how many were done since: where the storage
// is slow, few of the pages have an image yet, and a transaction writes twice as much log as where it is fast.
// (PostgreSQL documentation, "Reliability and the Write-Ahead Log".)
const (
	// accountsPage is the number of rows of pgbench_accounts in a page of 8 KiB, branchRows that for one
	// branch, and accountsLeaf the number of entries in a leaf page of its primary key: 16 bytes and 4 for
	// the item each, filled to 90 %.
	accountsPage, accountsLeaf, branchRows = 61, 366, 100_000
	// accountsImage and leafImage are the sizes of their images in the log, in bytes: the page without the unused
	// space in its middle, and the header of the record.
	accountsImage, leafImage = 8126.0, 7410.0
	// leastImages is the number of images per transaction below which the log does not depend on them.
	leastImages = 0.05
	// countError is the relative error of the number of images: some other pages are changed, too. On one disk,
	// with 780 to 2,470 transactions per second, 2 % more were counted than the model says.
	countError = 0.05
)

// imageModel is how many full-page images a transaction writes, depending on how many were done since the
// last checkpoint. Each changes one page of accounts drawn at random. The tables are filled to the last byte, so the first
// new version of a row of a page goes to another page, and the index needs an entry for it: a leaf page is changed, too. It
// leaves space in the old page, where later versions fit, which need no entry (PostgreSQL documentation,
// "Heap-Only Tuples").
type imageModel struct {
	// rows is the share of transactions that change a page of accounts, and leaves the share of the first changes of a
	// page that change the index.
	rows, leaves float64
	// before are the transactions between the filling of the tables and the beginning of each repeat, at a rate (1/s).
	before []float64
	rate   float64
	// size is the size of an image relative to accountsImage and leafImage, factor multiplies their number, and rest is the
	// number of bytes that a transaction writes besides.
	size, factor, rest float64
	// ramp and repeat are how long a repeat was loaded before it was measured, and for how long, in
	// seconds, beginning with a checkpoint.
	ramp, repeat float64
}

// imageModels are the fitted model and those for fewer and for more images than were counted, all nil if nothing
// is known of them.
type imageModels struct{ is, fewer, more *imageModel }

// changed is how many of n pages are changed at least once by so many changes of a page drawn at random.
func changed(n, changes float64) float64 { return -n * math.Expm1(-changes/n) }

// written are images of pages of accounts and of leaf pages.
type written struct{ accounts, leaves float64 }

func (w written) count() float64 { return w.accounts + w.leaves }
func (w written) bytes() float64 { return accountsImage*w.accounts + leafImage*w.leaves }

// after are the expected images that the first so many transactions after a checkpoint write, if so many were done
// between the filling of the tables and the checkpoint.
func (m imageModel) after(transactions, before, scale float64) written {
	pages := scale * branchRows / accountsPage
	first := changed(pages, m.rows*(before+transactions)) - changed(pages, m.rows*before)
	return written{m.factor * changed(pages, m.rows*transactions), m.factor * changed(scale*branchRows/accountsLeaf, m.leaves*first)}
}

// log is the number of bytes of log of a transaction in the measured part of a repeat at a rate (1/s): the mean of
// the repeats.
func (m imageModel) log(rate float64, scale int) float64 {
	begin, end := m.ramp*rate, (m.ramp+m.repeat)*rate
	sum := 0.0
	for _, n := range m.before {
		n *= rate / m.rate
		sum += m.after(end, n, float64(scale)).bytes() - m.after(begin, n, float64(scale)).bytes()
	}
	return m.rest + m.size*sum/(end-begin)/float64(len(m.before))
}

// imagesIn is what the repeats of a workload say of full-page images: transactions is the number in each
// repeat, which began with a checkpoint and counts its ramp, images the mean number of one transaction.
type imagesIn struct {
	imageModel
	workload     string
	transactions []float64
	images       float64
	logBytes     float64
}

// imagesIn returns the counts of a workload; ok is false if images were not counted, if there are next to
// none, if a repeat did not begin with a checkpoint, or if a script of unknown effect ran before.
func (ev Evidence) imagesIn(c prediction.Costs) (x imagesIn, ok bool) {
	p := ev.Report.Run.Prepare
	if c.PageImages == nil || *c.PageImages < leastImages || p == nil || p.App == nil || p.App.Server != nil && !p.App.Server.Checkpoint {
		return x, false
	}
	x = imagesIn{workload: c.Workload, images: *c.PageImages, logBytes: c.LogBytes}
	x.rows, x.factor = 1, 1
	var ramp, repeat, seconds []float64
	done := 0.0
	for _, s := range ev.Recorded.Run.Steps {
		if s.App == nil || s.App.Transactions == 0 {
			continue
		}
		switch changes, known := ev.changesAccounts(s.Step.Workload); {
		case !known:
			return x, false
		case !changes:
			continue
		}
		n := float64(s.App.Transactions)
		if s.Step.Workload == c.Workload && s.Error == "" {
			x.transactions, x.before = append(x.transactions, n), append(x.before, done)
			ramp, repeat, seconds = append(ramp, s.Step.Ramp), append(repeat, s.Step.Seconds), append(seconds, s.App.Seconds)
		}
		done += n
	}
	if len(x.transactions) == 0 || slices.Min(repeat) <= 0 || slices.Min(seconds) <= 0 {
		return x, false
	}
	x.ramp, x.repeat = stats.Mean(ramp), stats.Mean(repeat)
	x.rate = stats.Mean(x.transactions) / stats.Mean(seconds)
	return x, true
}

// changesAccounts reports whether the transactions of a workload change rows of pgbench_accounts; known is false of
// the user's own script.
func (ev Evidence) changesAccounts(workload string) (changes, known bool) {
	for _, w := range ev.Recorded.Plan.Workloads {
		if w.Name == workload && w.App.Tool == apps.Postgres.Tool {
			return slices.ContainsFunc(scripts, func(s script) bool { return slices.Contains(w.App.OptionList(), s.option) }), w.App.Script == ""
		}
	}
	return false, true
}

// each are the images of a transaction of the workload's repeats.
func (x imagesIn) each(scale float64) (w written) {
	all := 0.0
	for i, n := range x.transactions {
		is := x.after(n, x.before[i], scale)
		w.accounts, w.leaves, all = w.accounts+is.accounts, w.leaves+is.leaves, all+n
	}
	return written{w.accounts / all, w.leaves / all}
}

// imagesOf are the models of the workloads with those costs. The repeats with the fewest transactions tell how
// many change the index: after many, each of its pages has its image.
func (ev Evidence) imagesOf(costs []prediction.Costs, scale int) map[string]imageModels {
	var list []imagesIn
	for _, c := range costs {
		if x, ok := ev.imagesIn(c); ok && scale > 0 {
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return nil
	}
	fewest := slices.MinFunc(list, func(a, b imagesIn) int { return cmp.Compare(stats.Mean(a.transactions), stats.Mean(b.transactions)) })
	rows, leaves := fewest.changes(float64(scale))
	models := map[string]imageModels{}
	for _, x := range list {
		fitted := func(factor float64) *imageModel {
			x := x
			x.rows, x.leaves, x.factor = rows, leaves, factor
			bytes := x.each(float64(scale)).bytes()
			x.size = math.Min(1, x.logBytes/bytes)
			// Images that the model does not explain are as many at any rate.
			x.rest = x.logBytes - x.size*bytes
			return &x.imageModel
		}
		models[x.workload] = imageModels{is: fitted(1), fewer: fitted(1 - countError), more: fitted(1 + countError)}
	}
	return models
}

// changes are the shares of transactions and of first changes that make as many images as were counted: all, unless
// clearly fewer were counted. A fillfactor below 100 is the likeliest reason, with which fewer changes need another page.
func (x imagesIn) changes(scale float64) (rows, leaves float64) {
	of := func(rows, leaves float64) float64 {
		x.rows, x.leaves = rows, leaves
		return x.each(scale).count()
	}
	switch {
	case x.images >= (1-countError)*of(1, 1):
		return 1, 1
	case x.images >= of(1, 0):
		return 1, upToOne(x.images, func(v float64) float64 { return of(1, v) })
	}
	return upToOne(x.images, func(v float64) float64 { return of(v, 0) }), 0
}

// upToOne is the x from 0 to 1 at which an increasing function has a value.
func upToOne(value float64, of func(float64) float64) float64 {
	low, high := 0.0, 1.0
	for range 50 {
		if x := (low + high) / 2; of(x) < value {
			low = x
		} else {
			high = x
		}
	}
	return high
}
