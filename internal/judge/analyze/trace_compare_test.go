package analyze

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model/iotrace"
)

// Within one size class, the mean may differ by a small amount, by chance, or for a few of the I/Os.
func TestMeanSizesWithinAClassAreCompared(t *testing.T) {
	// of is a load with the given number of I/Os and mean size in each class.
	of := func(classes map[int64][2]float64) Made {
		m := Made{Sizes: map[int64]float64{}, Bytes: map[int64]float64{}}
		for class, x := range classes {
			m.Sizes[class], m.Bytes[class] = x[0], x[0]*x[1]
		}
		return m
	}
	one := func(class int64, n, mean float64) Made { return of(map[int64][2]float64{class: {n, mean}}) }
	for name, c := range map[string]struct {
		a, b Made
		want string
	}{
		"equal":          {one(8192, 1e5, 8192), one(8192, 2e5, 8192), ""},
		"8k and 12k":     {one(8192, 1e5, 8192), one(8192, 1e5, 12288), "of 8k to 16k, A's are of 8 KiB and B's of 12 KiB"},
		"12k and 8k":     {one(8192, 1e5, 12288), one(8192, 1e5, 8192), "A's are of 12 KiB and B's of 8 KiB"},
		"4 % more":       {one(8192, 1e5, 10000), one(8192, 1e5, 10400), ""},
		"6 % more":       {one(8192, 1e5, 10000), one(8192, 1e5, 10600), "not comparable"},
		"6 % of few":     {one(8192, 200, 10000), one(8192, 200, 10600), ""},
		"a small class":  {of(map[int64][2]float64{4096: {95, 4096}, 65536: {5, 65536}}), of(map[int64][2]float64{4096: {95, 4096}, 65536: {5, 130000}}), ""},
		"a large class":  {of(map[int64][2]float64{4096: {9e4, 4096}, 65536: {2e4, 65536}}), of(map[int64][2]float64{4096: {9e4, 4096}, 65536: {2e4, 98304}}), "of 64k to 128k"},
		"both together":  {of(map[int64][2]float64{4096: {94e3, 4096}, 65536: {6e3, 65536}}), of(map[int64][2]float64{4096: {86e3, 4096}, 65536: {14e3, 98304}}), "of 64k to 128k"},
		"by the counter": {one(0, 1e5, 8192), one(0, 1e5, 12288), "of all I/Os together"},
		"without data":   {one(0, 1e5, 0), one(0, 1e5, 0), ""},
		"nothing":        {of(nil), of(nil), ""},
		"only one":       {of(nil), one(4096, 1e5, 4096), ""},
	} {
		got := DifferentIO(c.a, c.b, iotrace.Read)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
