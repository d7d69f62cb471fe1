package spec

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Only options that describe I/O are accepted: commands, files and machine settings are refused even if
// they are on no list.
func TestOnlyListedOptionsAreTaken(t *testing.T) {
	for option, says := range map[string]string{
		"iodepth=16": "", "randrepeat=0": "", "continue_on_error=all": "", "refill_buffers": "", "readwrite=randread": "", "blocksize=8k": "",
		"description=mine": "", "size=10g": "", "write_bw_log=x": "",
		"exec_postrun = reboot":           "starts no commands",
		"ioengine=exec":                   "does not do its I/O on the target",
		"ioengine=external:/tmp/x.so":     "does not do its I/O on the target",
		"mem=mmaphuge:/etc/passwd":        "does not know this option",
		"verify_state_save=1":             "does not know this option",
		"verify_dump=1":                   "does not know this option",
		"no_such_option":                  "does not know this option",
		"ioscheduler=none":                "machine's settings",
		"offset=1g":                       "as a whole",
		"buffer_pattern='/etc/passwd'":    "every block would be the same",
		"buffer_pattern=0x00":             "every block would be the same",
		"dedupe_percentage=90":            "no result says so",
		"dedupe_mode=working_set":         "no result says so",
		"buffer_compress_percentage=80":   "no result says so",
		"scramble_buffers=0":              "the same blocks would be written again",
		"scramble_buffers=1":              "",
		"random_distribution=zoned:100/1": "more often than others",
		"random_distribution=zipf:1.1":    "more often than others",
		"random_distribution=random":      "",
		"percentage_random=1":             "would be called random",
		"percentage_random=100":           "",
		"random_generator=lfsr":           "easier load for a disk",
		"random_generator=tausworthe64":   "",
		"rate_process=poisson":            "loadline sweep --load measures that",
		"rate_process=linear":             "",
		"thinktime=5000":                  "the job would pause",
		"thinktime_blocks=8":              "the job would pause",
		"thinkcycles=10000":               "the job would pause",
		"blockalign=1m":                   "only a part of the volume",
		"ba=64k":                          "only a part of the volume",
		"randseed=42":                     "the same blocks",
		"allrandrepeat":                   "the same blocks",
		"iodepth_low=1":                   "fewer I/Os would be in flight",
		"bs_is_seq_rand=1":                "by which the results are described",
		"write_iolog=/etc/cron.d/x":       "",
		"ignore_error=EIO":                "never ignored",
		"continue_on_error=all\nunlink=1": "",
	} {
		list, err := ParseJob("own.fio", []byte("[j]\n"+option+"\n"))
		switch {
		case says == "" && err != nil:
			t.Errorf("%s: %v", option, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says)):
			t.Errorf("%s: %v does not say %q", option, err, says)
		}
		if err == nil && regexp.MustCompile("log|unlink|size=|description").MatchString(list[0].Job) {
			t.Errorf("%s: the job keeps %q", option, list[0].Job)
		}
	}
}

// The lists are disjoint.
func TestOptionListsAreApart(t *testing.T) {
	for name := range allowedOptions {
		if replacedOptions[name] || refusedOptions[name] != "" || jobAliases[name] != "" {
			t.Errorf("%s is allowed, and something else too", name)
		}
	}
	for name := range refusedOptions {
		if replacedOptions[name] {
			t.Errorf("%s is refused and replaced", name)
		}
	}
}

// Every allowed option is known to at least one of fio's engines.
func TestAllowedOptionsAreFios(t *testing.T) {
	path, err := exec.LookPath("fio")
	if err != nil {
		t.Skip("skipped: fio is not installed")
	}
	const bogus = "no_such_option"
	job := filepath.Join(t.TempDir(), "job.fio")
	bad := map[string]int{}
	engines := []string{"io_uring", "libaio", "pvsync2"}
	for _, engine := range engines {
		text := "[x]\nioengine=" + engine + "\n" + bogus + "=1\n"
		for _, o := range slices.Sorted(maps.Keys(allowedOptions)) {
			if o != "ioengine" {
				text += o + "=1\n"
			}
		}
		if err := os.WriteFile(job, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		// A value may be invalid here; an option that fio does not know is "bad".
		out, _ := exec.Command(path, "--parse-only", job).CombinedOutput()
		for _, m := range regexp.MustCompile(`Bad option <(\w+)`).FindAllStringSubmatch(string(out), -1) {
			bad[m[1]]++
		}
	}
	if bad[bogus] != len(engines) {
		t.Fatalf("fio does not name bad options as expected: %v", bad)
	}
	for o, n := range bad {
		if n == len(engines) && o != bogus {
			t.Errorf("fio does not know %s", o)
		}
	}
}
