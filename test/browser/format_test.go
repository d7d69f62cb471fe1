package browser

import (
	"bytes"
	"encoding/json"
	"math"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/words"
	"github.com/loadline/loadline/test/lab"
)

// figures are some values and their texts.
type figures struct {
	Values    []float64 `json:"values"`
	Rate      []string  `json:"rate"`
	Bandwidth []string  `json:"bandwidth"`
	Duration  []string  `json:"duration"`
	Span      []string  `json:"span"`
	Size      []string  `json:"size"`
	Block     []string  `json:"block"`
	Share     []string  `json:"share"`
	Change    []string  `json:"change"`
	Words     []string  `json:"words"`
	Quoted    []string  `json:"quoted"`
}

// TestThePageWritesAsTheProgramDoes checks that web/src/format.ts agrees with internal/model about
// numbers, and about the words of a command.
func TestThePageWritesAsTheProgramDoes(t *testing.T) {
	lab.Need(t, "node")
	lab.NeedPackages(t, "../../web")
	var want figures
	for e := -9.7; e < 13; e += 0.0713 {
		want.Values = append(want.Values, math.Pow(10, e))
	}
	// Values at which a unit or a digit begins.
	want.Values = append(want.Values, 0.003, 0.0003, 0.0099, 0.0951, 0.0949, 0.8, 0.9, 1.05, 2.9,
		9.994, 9.996, 99.94, 99.96, 999.4, 999.6, 9994, 9996, 999.4e3, 999.6e3,
		1024, 1<<20, 1<<30, 1<<40, 4096, 131072, 59.4, 59.6, 3599, 3600, 86400, 0)
	for _, v := range want.Values {
		want.Rate = append(want.Rate, units.FormatRate(v))
		want.Bandwidth = append(want.Bandwidth, units.FormatBandwidth(v))
		want.Duration = append(want.Duration, units.FormatDuration(v))
		want.Span = append(want.Span, units.FormatSpan(v))
		want.Size = append(want.Size, units.FormatSize(int64(v)))
		want.Block = append(want.Block, units.FormatBlock(int64(v)))
		if v > 0 {
			want.Share = append(want.Share, units.FormatShare(v))
			want.Change = append(want.Change, words.Change(v, 1))
		}
	}
	want.Words = []string{"", "/var/lib/postgresql", "--only=a,b", "/mnt/日本", "rand-*", "it's", "$(reboot)", "~root", "=ls", "a=b", "two words", "a\nb", "\x1b]0;'\\\x07",
		"a\u202eb", "nbd+unix:///?socket=/x", "back\\slash", "\u00a0", "e\u0301", "\u3164", "\u200b", "Ⅷ", "½", "٣", "a\u0085b", "😀", "x\ufe0f"}
	for _, w := range want.Words {
		want.Quoted = append(want.Quoted, safetext.ShellWord(w))
	}
	told, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "format.mjs")
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(told), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("format.mjs: %v\n%s", err, stderr.String())
	}
	got := figures{Values: want.Values, Words: want.Words}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-program +page):\n%s", diff)
	}
}
