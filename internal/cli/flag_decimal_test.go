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
	refused(t, "is not a share", "plan", dir, "--precision=0x1p-3")
	refused(t, "is not a duration", "plan", dir, "--max-time=0x10")
	code, out, errs := runLoadline(t, "plan", "fake:?iops=3000", "--repeat", "010", "--seed", "016")
	if code != exitOK || !strings.Contains(out, "10 repeats") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}
