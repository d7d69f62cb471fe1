package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
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
	// leastImages is the number of images per transaction below which the log does not depend on them.
	leastImages = 0.05
	// countError is the relative error of the number of images: some other pages are changed, too.
	countError = 0.05
	// mostLeaves is the most changes of leaf pages that a transaction is taken to make: the new version of a row gets
	// one entry.
	mostLeaves = 1.0
)

// imageModel is how many full-page images a transaction writes, depending on how many were done since the
// last checkpoint: each changes one page of accounts drawn at random, and some also a leaf page of the
// index, unless the new version of the row fits into the same page.
type imageModel struct {
	// rows and leaves are the changes of pages of accounts and of the index per transaction: 1 and up to 1.
	rows, leaves float64
	// bytes is the size of an image in the log, rest what a transaction writes besides.
	bytes, rest float64
	// ramp and repeat are how long a repeat was loaded before it was measured, and for how long, in
	// seconds, beginning with a checkpoint.
	ramp, repeat float64
}

// imageModels are the fitted model and those for fewer and for more images than were counted, all nil if nothing
// is known of them.
type imageModels struct{ is, fewer, more *imageModel }

// changed is how many of n pages are changed at least once by so many changes of a page drawn at random.
func changed(n, changes float64) float64 { return -n * math.Expm1(-changes/n) }

// after is the expected number of images that the first so many transactions after a checkpoint write.
func (m imageModel) after(transactions, scale float64) float64 {
	return changed(scale*branchRows/accountsPage, m.rows*transactions) + changed(scale*branchRows/accountsLeaf, m.leaves*transactions)
}

// log is the number of bytes of log of a transaction in the measured part of a repeat at a rate (1/s).
func (m imageModel) log(rate float64, scale int) float64 {
	begin, end := m.ramp*rate, (m.ramp+m.repeat)*rate
	return m.rest + m.bytes*(m.after(end, float64(scale))-m.after(begin, float64(scale)))/(end-begin)
}

// imagesIn is what the repeats of a workload say of full-page images: transactions is their mean number in a
// repeat, which began with a checkpoint, images that of one transaction.
type imagesIn struct {
	imageModel
	workload             string
	transactions, images float64
	logBytes             float64
}

// imagesIn returns the counts of a workload; ok is false if images were not counted, if there are next to
// none, or if a repeat did not begin with a checkpoint.
func (ev Evidence) imagesIn(c prediction.Costs) (x imagesIn, ok bool) {
	p := ev.Report.Run.Prepare
	if c.PageImages == nil || *c.PageImages < leastImages || p == nil || p.App == nil || p.App.Server != nil && !p.App.Server.Checkpoint {
		return x, false
	}
	var done, ramp, repeat []float64
	for _, s := range ev.steps(c.Workload) {
		if s.App != nil && s.App.Transactions > 0 {
			done, ramp, repeat = append(done, float64(s.App.Transactions)), append(ramp, s.Step.Ramp), append(repeat, s.Step.Seconds)
		}
	}
	if len(done) == 0 || slices.Min(repeat) <= 0 {
		return x, false
	}
	x = imagesIn{imageModel: imageModel{ramp: stats.Mean(ramp), repeat: stats.Mean(repeat)},
		workload: c.Workload, transactions: stats.Mean(done), images: *c.PageImages, logBytes: c.LogBytes}
	x.bytes = math.Min(page, x.logBytes/x.images)
	return x, true
}

// each is the number of images per transaction of a repeat, which counts its ramp.
func (x imagesIn) each(rows, leaves, scale float64) float64 {
	return imageModel{rows: rows, leaves: leaves}.after(x.transactions, scale) / x.transactions
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
	fewest := slices.MinFunc(list, func(a, b imagesIn) int { return cmp.Compare(a.transactions, b.transactions) })
	models := map[string]imageModels{}
	for _, x := range list {
		fitted := func(off float64) *imageModel {
			m := x.imageModel
			m.rows, m.leaves = fewest.changes(fewest.images*(1+off), float64(scale))
			// Images that the model does not explain are as many at any rate.
			m.rest = math.Max(0, x.logBytes-m.bytes*x.each(m.rows, m.leaves, float64(scale)))
			return &m
		}
		models[x.workload] = imageModels{is: fitted(0), fewer: fitted(-countError), more: fitted(countError)}
	}
	return models
}

// changes are the changes of pages per transaction that make so many images.
func (x imagesIn) changes(images, scale float64) (rows, leaves float64) {
	if leaves = atMost(mostLeaves, images, func(v float64) float64 { return x.each(1, v, scale) }); leaves > 0 {
		return 1, leaves
	}
	return atMost(1, images, func(v float64) float64 { return x.each(v, 0, scale) }), 0
}

// atMost is the x from 0 to most at which an increasing function has a value.
func atMost(most, value float64, of func(float64) float64) float64 {
	low, high := 0.0, most
	for range 50 {
		if x := (low + high) / 2; of(x) < value {
			low = x
		} else {
			high = x
		}
	}
	if of(0) >= value {
		return 0
	}
	return high
}
