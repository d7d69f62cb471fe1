package results

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/judge/capacity"
	"github.com/loadline/loadline/internal/model/sizing"
)

// asBlock formats a block size in one of the possible ways.
func asBlock(t *rapid.T, block int64) string {
	return rapid.SampledFrom([]string{fmt.Sprint(block), fmt.Sprintf("%dk", block>>10), fmt.Sprintf("%dK", block>>10), fmt.Sprintf("%dKiB", block>>10),
		fmt.Sprintf("%gMiB", float64(block)/(1<<20))}).Draw(t, "block as")
}

// asBandwidth formats a whole number of KiB/s in one of the possible ways.
func asBandwidth(t *rapid.T, kib int64) string {
	return rapid.SampledFrom([]string{fmt.Sprintf("%dB/s", kib<<10), fmt.Sprintf("%dk/s", kib), fmt.Sprintf("%dKiB/s", kib),
		fmt.Sprintf("%sMiB/s", decimal(float64(kib)/(1<<10)))}).Draw(t, "bandwidth as")
}

// decimal formats a number in full, without an exponent.
func decimal(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.12f", v), "0"), ".")
}

// wordsOf formats points and a need with every figure in a randomly chosen unit: the same numbers,
// expressed differently.
func wordsOf(t *rapid.T, capacities, blocks []int64, rate, needBlock int64, pods int) (file, need string) {
	var b strings.Builder
	b.WriteString("system: {nodes: 3}\nscales:\n")
	for i, block := range blocks {
		inBytes := rapid.Bool().Draw(t, "points in bytes")
		metric := map[bool]string{false: "iops", true: "bandwidth"}[inBytes]
		fmt.Fprintf(&b, "  - {workload: rand-read-%d, metric: %s, block_size: %s, depth: 64, points: [", i, metric, asBlock(t, block))
		for _, n := range []int64{1, 2, 4, 8, 12} {
			total := min(capacities[i], n*capacities[i]/4)
			figure := fmt.Sprint(total)
			if inBytes {
				figure = asBandwidth(t, total*(block>>10))
			}
			fmt.Fprintf(&b, "{volumes: %d, total: %s}, ", n, figure)
		}
		b.WriteString("]}\n")
	}
	r := fmt.Sprint(rate)
	if rapid.Bool().Draw(t, "need in bytes") {
		r = asBandwidth(t, rate*(needBlock>>10))
	}
	return b.String(), fmt.Sprintf("pods=%d rand-read=%s bs=%s", pods, r, asBlock(t, needBlock))
}

// The same points and the same need in other units give the same answer: 4k is 4096, MiB are bytes, and
// I/Os of a given size are bytes per second.
func TestUnitsChangeNoAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOfNDistinct(rapid.SampledFrom([]int64{4 << 10, 16 << 10, 64 << 10, 128 << 10}), 1, 3, rapid.ID).Draw(t, "blocks")
		var capacities []int64
		for range blocks {
			capacities = append(capacities, 4*rapid.Int64Range(25, 10000).Draw(t, "capacity"))
		}
		rate, needBlock, pods := rapid.Int64Range(1, 5000).Draw(t, "rate"), rapid.SampledFrom([]int64{4 << 10, 8 << 10, 64 << 10, 256 << 10}).Draw(t, "need's block"), rapid.IntRange(1, 50).Draw(t, "pods")
		var answers []sizing.Sizing
		var words []string
		for range 2 {
			file, need := wordsOf(t, capacities, blocks, rate, needBlock, pods)
			words = append(words, file+need)
			points, err := spec.ParsePublished("points.yaml", []byte(file))
			if err != nil {
				t.Fatalf("%v\n%s", err, file)
			}
			n, err := spec.ParseNeed(need)
			if err != nil {
				t.Fatal(err)
			}
			s, err := capacity.Size(&points, sizing.Ask{Needs: []sizing.Need{n}, Headroom: 0.3})
			if err != nil {
				t.Skip(err)
			}
			answers = append(answers, s)
		}
		a, b := answers[0], answers[1]
		if a.Nodes != b.Nodes || a.Binding != b.Binding || math.Abs(a.Exact/b.Exact-1) > 1e-9 || len(a.Lacking) != len(b.Lacking) {
			t.Fatalf("%d nodes (%g) by %s and %d (%g) by %s for\n%s\nand\n%s", a.Nodes, a.Exact, a.Binding, b.Nodes, b.Exact, b.Binding, words[0], words[1])
		}
	})
}
