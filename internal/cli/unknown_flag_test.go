package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
)

func TestAnUnknownFlagIsAnsweredWithTheOneThatWasMeant(t *testing.T) {
	for args, want := range map[string]string{
		"run . --duration 20s":       "did you mean --time?\n  next: loadline run . --time 20s\n",
		"run . --runtime=60":         "next: loadline run . --time=60\n",
		"run . -p quick":             "unknown flag -p; did you mean --profile?\n  next: loadline run . --profile quick\n",
		"run . --ramp_time 5s":       "next: loadline run . --ramp-time 5s\n",
		"run . --max-tiem 5m":        "next: loadline run . --max-time 5m\n",
		"run . --iodepth 4":          "next: loadline sweep TARGET --depth",
		"run . --bs 4k":              "next: loadline sweep TARGET --bs",
		"run . --filename /dev/x":    "the target is an argument: loadline run TARGET",
		"run . --storageclass fast":  "loadline run sc:NAME",
		"run . --output-format json": "next: loadline run . --format json\n",
		"run . --volumes 3":          "it is a flag of loadline scale\n  next: loadline run --help\n",
		"sweep . --connect":          "it is a flag of loadline app postgres\n  next: loadline sweep --help\n",
		"run . --xyzzy":              "unknown flag --xyzzy\n  next: loadline run --help\n",
		"run . -x":                   "unknown flag -x\n  next: loadline run --help\n",
		"run . -qz 4g":               "did you mean --size?\n  next: write --size\n",
		"run . --dry-run":            "next: loadline plan TARGET",
		"run /dev/x --overwrite":     "name what may be overwritten: --destroy-data-on TARGET",
		"serve x --overwrite":        "loadline serve --help",
		"sweep . --numjobs 4":        "next: loadline sweep . --jobs 4\n",
		// A command whose value would be refused is not suggested.
		"sweep . --block-size 1_0k":     "did you mean --bs? --bs: \"1_0k\" is not a size: nothing may stand between its digits but a decimal point; write it like 4k, 512M or 20GiB\n  next: give a list separated by commas, such as --bs 4k,64k\n",
		"sweep . --iodepth=+4":          "did you mean --depth? --depth: \"+4\" is not a whole number: ",
		"run . --duration soon":         "did you mean --time? --time \"soon\" is not a duration\n  next: write it like 20s or 2m\n",
		"report x --out y.html":         "next: loadline report x --output y.html\n",
		"run 'a b' --iodeth 3":          "unknown flag --iodeth",
		"app postgres . --duration 60s": "next: loadline app postgres . --time 60s\n",
		"compare /a /b --app postgres":  "databases have verbs of their own: loadline app postgres PLACE, and loadline compare app postgres A B for two places\n",
		"run . --clients 1,16":          "databases have verbs of their own: loadline app postgres PLACE",
		"compare . /b --connect":        "it is a flag of loadline compare app postgres\n  next: loadline compare --help\n",
		"compare app etcd a b -c 16":    "next: loadline compare app etcd a b --clients 16\n",
		"app postgres . -c 16":          "next: loadline app postgres . --clients 16\n",
		"app postgres . -j 2":           "next: loadline app postgres . --threads 2\n",
		"trace --disk sda":              "next: loadline trace --device sda\n",
		// A list is as valid as when it is typed behind the right flag; all of several are replaced.
		"compare /a /b --fail worse,unclear": "next: loadline compare /a /b --fail-on worse,unclear\n",
		"run . --max-tiem 1m --max-tiem 2m":  "next: loadline run . --max-time 1m --max-time 2m\n",
		"run . --runtime":                    "did you mean --time? --time needs a value\n  next: loadline run --help\n",
		"run . --include=":                   "did you mean --only? --only is given, but empty\n",
		"run . --quiett=7":                   "did you mean --quiet? --quiet \"7\" is neither true nor false\n",
		// A flag that permits damage is never suggested in a command by a guess.
		"run /dev/x --destroy-data /dev/x": "did you mean --destroy-data-on?\n  next: loadline run --help\n",
		"run /x --creat":                   "did you mean --create?\n  next: loadline run --help\n",
	} {
		var out, stderr bytes.Buffer
		e := *env.OS()
		e.Args, e.Stdout, e.Stderr = strings.Fields(args), &out, &stderr
		if code := Run(t.Context(), &e); code != exitUsage || !strings.Contains(stderr.String(), want) || out.Len() > 0 {
			t.Errorf("loadline %s: exit code %d, want %q:\n%s%s", args, code, want, &stderr, &out)
		}
	}
}
