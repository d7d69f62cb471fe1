package ssh

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/env/envtest"
	"github.com/loadline/loadline/internal/model"
)

// client replaces ssh by a program that runs the script.
func client(t *testing.T, script string) *env.Env {
	t.Helper()
	dir := t.TempDir()
	envtest.Program(t, filepath.Join(dir, "ssh"), "#!/bin/sh\n"+script)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return env.OS()
}

func TestStreamIsTheWorkers(t *testing.T) {
	// The script prints the command it was asked to run, repeats its input, and notes that it reached its
	// end.
	note := filepath.Join(t.TempDir(), "ended")
	e := client(t, `echo "$@"; cat; echo done > `+note)
	w, err := start(t.Context(), e, "user@db1", "20260101-run")
	if err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 1000)
	n, err := w.Read(line)
	if got := string(line[:n]); err != nil || !strings.HasSuffix(got, "-- user@db1 loadline agent --run-id 20260101-run\n") || !strings.Contains(got, "BatchMode=yes") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := io.WriteString(w, "ping\n"); err != nil {
		t.Fatal(err)
	}
	if n, err := w.Read(line); err != nil || string(line[:n]) != "ping\n" {
		t.Errorf("%q, %v", line[:n], err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	// Close waits until the worker has cleaned up.
	if _, err := os.Stat(note); err != nil {
		t.Error(err)
	}
}

// tailOfSeq returns what is kept of 500 numbers before the reason.
var tailOfSeq = func() string {
	var all strings.Builder
	for i := 1; i <= 500; i++ {
		fmt.Fprintf(&all, "%d ", i)
	}
	return all.String()[all.Len()-longest+len("Host key verification failed."):]
}()

func TestWhatGoesWrongIsASentence(t *testing.T) {
	for _, c := range []struct {
		script, want, hint string
		class              model.ErrorClass
	}{
		{"echo 'db1: Permission denied (publickey).' >&2; exit 255", "ssh to db1 failed: db1: Permission denied (publickey).", "ssh -o BatchMode=yes db1 true", model.Broken},
		{"echo 'db1: No route to host' >&2; exit 255", "ssh to db1 failed: db1: No route to host", "without a question: ssh -o BatchMode=yes db1 true", model.Broken},
		{"seq 500 >&2; echo 'Host key verification failed.' >&2; exit 255", "ssh to db1 failed: … " + tailOfSeq + "Host key verification failed.", "accept it: ssh db1 true", model.Broken},
		{"echo '@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @ Offending ED25519 key in /home/u/.ssh/known_hosts:3 Host key verification failed.' >&2; exit 255",
			"ssh to db1 failed: its key is not the one that is known for it in /home/u/.ssh/known_hosts: somebody may be in between, or the host was installed anew", "ssh-keygen -R", model.Broken},
		{"echo 'Timeout, server db1 not responding.' >&2; exit 255", "the connection to db1 was lost: Timeout, server db1 not responding.", "measure again", model.Broken},
		{"echo 'kex_exchange_identification: Connection closed by remote host' >&2; exit 255", "ssh to db1 failed: kex_exchange_identification: Connection closed by remote host", "BatchMode", model.Broken},
		{"echo 'sh: loadline: not found' >&2; exit 127", "the host db1 does not run loadline: sh: loadline: not found", "PATH", model.Refused},
		{"echo 'loadline: boom' >&2; exit 1", "the worker on db1 ended with exit code 1: loadline: boom", "", model.Broken},
	} {
		w, err := start(t.Context(), client(t, c.script), "db1", "r")
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(w)
		var sentence *model.WorkerError
		if !errors.As(err, &sentence) || sentence.Message != c.want || !strings.Contains(sentence.Hint, c.hint) || sentence.Class != c.class {
			t.Errorf("%v, want %q", err, c.want)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestHostsAreNoOptions(t *testing.T) {
	for _, host := range []string{"", "-oProxyCommand=x"} {
		if _, err := start(t.Context(), env.OS(), host, "r"); err == nil {
			t.Errorf("%q was taken", host)
		}
	}
}
