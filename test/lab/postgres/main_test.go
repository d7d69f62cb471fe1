package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a machine without the package says is what a test says that is skipped, or that fails where
// nothing may be skipped.
func TestMachineWithoutPackages(t *testing.T) {
	for strict, code := range map[string]int{"": unavailable, "programs": 1, "required": 1} {
		t.Run(strict, func(t *testing.T) {
			t.Setenv("LOADLINE_LAB", strict)
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			// A pip that has no index. What the lab itself calls must be found.
			bin := t.TempDir()
			pip := "#!/bin/sh\necho there is no network >&2\nexit 1\n"
			if err := os.WriteFile(filepath.Join(bin, "python3"), []byte(pip), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
			var stdout, stderr bytes.Buffer
			if got := run([]string{"17", t.TempDir()}, &stdout, &stderr); got != code || stdout.Len() != 0 {
				t.Errorf("exit code %d, want %d: %s%s", got, code, &stdout, &stderr)
			}
			for _, words := range []string{"PostgreSQL 17.10.0 cannot be fetched", "apt-get install python3-pip", "there is no network"} {
				if !strings.Contains(stderr.String(), words) {
					t.Errorf("no %q in: %s", words, &stderr)
				}
			}
		})
	}
}

func TestNoSuchVersion(t *testing.T) {
	for args, code := range map[string]int{"": 2, "new DIR": 2, "16 DIR": 1} {
		var stdout, stderr bytes.Buffer
		if got := run(strings.Fields(args), &stdout, &stderr); got != code || stdout.Len() != 0 || stderr.Len() == 0 {
			t.Errorf("%q: exit code %d, want %d: %s%s", args, got, code, &stdout, &stderr)
		}
	}
}
