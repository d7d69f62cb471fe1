package words

import "testing"

func TestPercent(t *testing.T) {
	for v, want := range map[float64]string{
		0: "<0.01%", 0.0004: "0.04%", 0.00096: "0.1%", 0.021: "2.1%", 0.0994: "9.9%", 0.0996: "10%", 0.234: "23%", 1.5: "150%", 12: "1200%",
	} {
		if got := Percent(v); got != want {
			t.Errorf("Percent(%g) = %s, want %s", v, got, want)
		}
	}
}
