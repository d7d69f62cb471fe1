package model_test

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestCapsAreRead(t *testing.T) {
	for text, want := range map[string]model.Cap{
		"iops=3000":                           {IOPS: 3000},
		"bandwidth=125MiB/s":                  {Bandwidth: 125 << 20},
		"iops=3k, bandwidth=125MB":            {IOPS: 3000, Bandwidth: 125e6},
		"bandwidth=131072000,iops=0.5":        {IOPS: 0.5, Bandwidth: 131072000},
		" iops = 16000 , bandwidth = 1GiB/s ": {IOPS: 16000, Bandwidth: 1 << 30},
	} {
		c, err := model.ParseCap(text)
		if err != nil || c != want {
			t.Errorf("%q: %+v, %v; want %+v", text, c, err, want)
			continue
		}
		if again, err := model.ParseCap(c.String()); err != nil || again != c {
			t.Errorf("%q is written as %q, which reads back as %+v, %v", text, c.String(), again, err)
		}
	}
	for _, text := range []string{"", "3000", "iops", "iops=", "iops=-1", "iops=0", "iops=many", "iops=NaN", "iops=1e99",
		"bandwidth=0", "bandwidth=fast", "iops=3000;bandwidth=1", "latency=1ms", "iops=3000,", "iops=3000,iops=4", "bandwidth=1MiB, bandwidth =2MiB"} {
		if c, err := model.ParseCap(text); err == nil {
			t.Errorf("%q was read as %+v", text, c)
		}
	}
}
