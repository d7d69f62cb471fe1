package waits

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestBinsComeBackFromText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Sampled{Sessions: rapid.IntRange(0, 100).Draw(t, "sessions"), Width: 1}
		for range rapid.IntRange(0, 4).Draw(t, "bins") {
			var b Bin
			for range rapid.IntRange(0, 3).Draw(t, "moments") {
				b.Add(rapid.MapOfN(rapid.SampledFrom([]string{None, "IO:WalSync", "Lock:tuple", "Extension:a=b c"}), rapid.IntRange(0, 1000), 0, 4).Draw(t, "states"))
			}
			s.Bins = append(s.Bins, b)
		}
		text, err := json.Marshal(&s)
		if err != nil {
			t.Fatal(err)
		}
		var back Sampled
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, _ := json.Marshal(&back)
		if string(again) != string(text) || back.Moments() != s.Moments() || len(back.Bins) != len(s.Bins) {
			t.Fatalf("%s became %s", text, again)
		}
		for i := range s.Bins {
			if back.Bins[i].Sessions() != s.Bins[i].Sessions() {
				t.Fatalf("%s became %s", text, again)
			}
		}
	})
}

func TestTextOfABin(t *testing.T) {
	b := Bin{}
	b.Add(map[string]int{"IO:WalSync": 1, None: 2})
	b.Add(map[string]int{"IO:WalSync": 3})
	if text, _ := b.MarshalText(); string(text) != "2 IO:WalSync=4 none=2" || b.Sessions() != 6 {
		t.Errorf("%q, %d sessions", text, b.Sessions())
	}
	for _, wrong := range []string{"x", "1 a", "1 a=-1", "1 =3", "1 a=b", "99999999999", "1 a=1e3"} {
		if err := (&Bin{}).UnmarshalText([]byte(wrong)); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
	var none *Sampled
	if none.Moments() != 0 {
		t.Error("nothing has moments")
	}
}
