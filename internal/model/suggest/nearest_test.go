package suggest

import "testing"

func TestNearestFindsWhatWasMeant(t *testing.T) {
	names := []string{"standard", "quick", "kbench", "dbench", "grid", "rand-read-iops", "rand-write-iops"}
	for name, want := range map[string]string{
		"kbnch":         "kbench",
		"Kbench":        "kbench",
		"qiuck":         "quick",
		"dbench2":       "dbench",
		"rand-raed-iop": "rand-read-iops",
		"rand-wirte":    "",
		"rand-write":    "rand-write-iops",
		"stand":         "standard",
		"zebra":         "",
		"r":             "",
		"":              "",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
	if got := Nearest("kbench", nil); got != "" {
		t.Errorf("without candidates: %q", got)
	}
}

func TestEditDistanceCountsASwapOnce(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ABC", "abc", 0}} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestQuestionAsksOnlyWhereSomethingIsNear(t *testing.T) {
	known := []string{"read", "write"}
	for name, want := range map[string]string{"raed": `; did you mean "read"?`, "Write": `; did you mean "write"?`, "zebra": "", "": ""} {
		if got := Question(name, known); got != want {
			t.Errorf("Question(%q) = %q, want %q", name, got, want)
		}
	}
}
