package cli

import (
	"strings"
	"testing"
)

// A number is what a person reads: never octal, and without the notations of programs.
func TestNumbersAreDecimal(t *testing.T) {
	dir := t.TempDir()
	for _, flag := range []string{"--scale=0x1", "--scale=1_0", "--threads=0b1", "--seed=0x10"} {
		refused(t, "is not a whole number", "app", "postgres", dir, flag)
	}
	refused(t, "is not a whole number", "durability", dir, "--blocks=0x10")
	refused(t, "is not a whole number", "durability", dir, "--jobs=0x10")
	refused(t, "is not a percentage", "plan", dir, "--precision=0x1p-3")
	refused(t, "is not a duration", "plan", dir, "--max-time=0x10")
	code, out, errs := runLoadline(t, "plan", "fake:?iops=3000", "--repeat", "10", "--seed", "16")
	if code != exitOK || !strings.Contains(out, "10 repeats") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}

// Whole numbers are written with their digits alone, in lists as elsewhere.
func TestWholeNumbersArePlain(t *testing.T) {
	dir := t.TempDir()
	const plain = "write its digits alone, without a plus sign, leading zeros or separators"
	for _, args := range [][]string{
		{"app", "postgres", dir, "--clients", "+4"}, {"app", "postgres", dir, "--clients", "1,01"}, {"app", "etcd", dir, "--clients", "1_0"}, {"plan", dir, "--repeat", "010"},
		{"plan", dir, "--seed", "016"}, {"plan", dir, "--seed", "+5"}, {"sweep", dir, "--depth", "+4"}, {"sweep", dir, "--jobs", "1'0"}, {"scale", dir, "--volumes", "01"},
		{"predict", "postgres", "--clients", "+1"},
	} {
		refused(t, "is not a whole number", args...)
		refused(t, plain, args...)
	}
	for _, flag := range []string{"--bs=1_0k", "--bs=1'000"} {
		refused(t, "nothing may stand between its digits but a decimal point", "sweep", dir, flag)
	}
	refused(t, "nothing may stand between its digits but a decimal point", "plan", dir, "--size=1,5G")
	// So are other numbers, with or without a unit.
	for _, args := range [][]string{
		{"plan", dir, "--precision", "05%"}, {"plan", dir, "--max-time", "010"}, {"plan", dir, "--max-time", "+5m"}, {"plan", dir, "--size", "010M"}, {"plan", dir, "--cap", "iops=0300"},
		{"plan", dir, "--goal", "rand-read-iops iops > 010k"}, {"plan", dir, "--goal", "rand-read-lat p99 < 05ms"}, {"plan", dir, "--goal", "seq-read-bw bw > 0500MiB/s"},
		{"plan", "scale", dir, "--rate", "0100"}, {"app", "postgres", dir, "--rate", "0100"}, {"config", "sweep", "--bs", "04k"},
		{"size", "--from", "../../docs/medium-nodes.yaml", "--need", "pods=010 rand-read=400"}, {"size", "--from", "../../docs/medium-nodes.yaml", "--need", "pods=10 rand-read=0400"},
		{"size", "--from", "../../docs/medium-nodes.yaml", "--need", "pods=10 rand-read=400 bs=04k"}, {"size", "--from", "../../docs/medium-nodes.yaml", "--need", "seq-read=060MiB/s"},
	} {
		refused(t, plain, args...)
	}
	if code, _, errs := runLoadline(t, "plan", "fake:?iops=3000", "--precision", "0.05", "--max-time", "1h05m", "--goal", "rand-read-lat p99 < 0.5ms"); code != exitOK {
		t.Error(errs)
	}
	// With a number in plain digits, what is wrong with it is something else.
	if _, _, errs := runLoadline(t, "app", "postgres", dir, "--clients", "4,-1"); strings.Contains(errs, plain) || !strings.Contains(errs, "--clients -1 is not a number of clients") {
		t.Error(errs)
	}
}

// A duration is suggested that the flag is for.
func TestDurationsAreSuggestedThatFit(t *testing.T) {
	dir := t.TempDir()
	for args, want := range map[string]string{
		"app postgres DIR --rate 5 --latency-limit 0x1ms": "next: write it like 20ms or 0.5s\n", "app etcd DIR --rate 5 --latency-limit 0": "next: write it like 20ms or 0.5s\n",
		"plan DIR --time x": "next: write it like 20s or 2m\n", "app postgres DIR --time 5s --ramp-time x": "next: write it like 5s or 30s\n", "plan DIR --max-time x": "next: write it like 90s or 5m\n",
	} {
		words := strings.Fields(strings.ReplaceAll(args, "DIR", dir))
		if code, _, errs := runLoadline(t, words...); code != exitUsage || !strings.HasSuffix(errs, want) {
			t.Errorf("%s: exit code %d: %s", args, code, errs)
		}
	}
}
