package imported

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

// What a process read and wrote is kept alongside the results, by section, and is not a result itself.
func TestIotopStandsBesideResults(t *testing.T) {
	const block = "```\nTotal DISK READ :       3.25 M/s | Total DISK WRITE :       6.72 M/s\nTID  PRIO  USER     DISK READ  DISK WRITE  SWAPIN     IO>    COMMAND\n" +
		"549976 be/4 26          0.00 B/s    0.00 B/s  ?unavailable?  pgbench --client 1\n" +
		"567937 be/4 26          3.25 M/s    6.72 M/s  ?unavailable?  postgres: test: app app 10.42.1.138(49130) UPDATE\n" +
		"3677407 be/4 26        512.00 K/s   11.60 M/s  0.00 % 28.46 % postgres: test: app app INSERT\n```\n"
	const result = "```\npgbench (17.2)\nnumber of clients: 1\nlatency average = 2.000 ms\ntps = 500 (without initial connection time)\n```\n"
	parts, err := Parse("x.md", []byte("# Load\n## A\n"+block+result+"## B\n"+result+"# Again\n## A\n"+result+"## B\n"+result), "")
	if err != nil {
		t.Fatal(err)
	}
	rec := Assemble("A", time.Unix(0, 0), []*Part{system(t, parts, "A")})
	want := []model.Observation{
		{Group: "Load", Command: "postgres", Read: 3.25 * 1048576, Written: 6.72 * 1048576, Line: 7},
		{Group: "Load", Command: "postgres", Read: 512 * 1024, Written: 11.6 * 1048576, Line: 8},
	}
	if diff := cmp.Diff(want, rec.Imported.Observed); diff != "" {
		t.Errorf("(-want +got) %s", diff)
	}
	if other := Assemble("B", time.Unix(0, 0), []*Part{system(t, parts, "B")}); len(other.Imported.Observed) != 0 {
		t.Errorf("the other system has %+v", other.Imported.Observed)
	}
	if _, err := Parse("x.txt", []byte(block), ""); err == nil || !strings.Contains(err.Error(), "looks like iotop's rows") {
		t.Errorf("alone it is taken for a result: %v", err)
	}
}
