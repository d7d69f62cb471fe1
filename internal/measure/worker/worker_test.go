package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// start runs the program loadline-agent with the given standard input.
func start(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, problems bytes.Buffer
	e := env.OS()
	e.Args, e.Stdin, e.Stdout, e.Stderr = args, strings.NewReader(stdin), &out, &problems
	code = Main(context.Background(), e)
	return code, out.String(), problems.String()
}

func TestSessionOnTheStandardStreams(t *testing.T) {
	const probe = `{"id":1,"probe":{"target":{"name":"fake:?iops=1000","kind":"fake","uri":"fake:?iops=1000"}}}` + "\n"
	for name, c := range map[string]struct {
		stdin string
		code  int
	}{
		"told to go":      {probe + `{"id":2,"bye":{}}` + "\n", 0},
		"lost its engine": {probe, 1},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := start(c.stdin, "--run-id", "test")
			if code != c.code || stderr != "" {
				t.Errorf("exit code %d, want %d; it said %q", code, c.code, stderr)
			}
			events := json.NewDecoder(strings.NewReader(stdout))
			var hello, probed model.Event
			if err := events.Decode(&hello); err != nil || hello.Hello == nil || hello.Hello.Version != Version || hello.Hello.Protocol != model.ProtocolVersion {
				t.Fatalf("no hello of this version (%v): %s", err, stdout)
			}
			for events.More() && probed.Probed == nil && probed.Error == nil {
				if err := events.Decode(&probed); err != nil {
					t.Fatal(err)
				}
			}
			if probed.ID != 1 {
				t.Errorf("no answer: %s", stdout)
			}
		})
	}
}

func TestArgumentsAreAnsweredInASentence(t *testing.T) {
	for args, c := range map[string]struct {
		code           int
		stdout, stderr string
	}{
		"--version":                {0, "loadline-agent " + Version + "\n", ""},
		"--help":                   {0, "loadline run --help", ""},
		"--nonsense":               {2, "", "not defined: -nonsense\n  next: loadline-agent --help\n"},
		"run /tmp":                 {2, "", `"run" is not understood`},
		"--attach /no/such --x=":   {2, "", "next: loadline-agent --help"},
		"--detached /proc/nowhere": {1, "", "/proc/nowhere"},
	} {
		code, stdout, stderr := start("", strings.Fields(args)...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) || c.code == 0 && stderr != "" {
			t.Errorf("%s: exit code %d, %q, %q", args, code, stdout, stderr)
		}
	}
}
