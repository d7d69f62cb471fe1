package postgres

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// scripts are scripts that do or do not start programs, as pgbench parses them: each touches a file.
var scripts = map[string]bool{
	"\\shell touch ran\n": true, "  \t\\shell touch ran\n": true, "\\ShElL touch ran\n": true, "\\setshell v touch ran\n": true,
	// Blanks of all kinds after the backslash.
	"\\ shell touch ran\n": true, " \\ \t shell touch ran\n": true, "\\\rshell touch ran\n": true, "\\\fshell touch ran\n": true, "\\ setshell v touch ran\n": true,
	// Continued lines.
	"\\\\\nshell touch ran\n": true, "\\\\\r\nshell touch ran\n": true, "\\ \\\n\t shell touch ran\n": true, "\\\\\n\\\nSETSHELL \\\nv touch ran\n": true, "\\shell\\\n touch ran\n": true,
	// After something else on the line.
	"SELECT 1; \\shell touch ran\n": true, "SELECT 1\\; \\ shell touch ran\n": true, "SELECT 1 AS a \\gset\n\\ shell touch ran\n": true,
	"\\set shell 1\nSELECT :shell;\n": false, "\\\nSELECT 1 AS shell;\n": false, "\\set a 1\nSELECT 1;\n": false, "SELECT '\\\nshell';\n": false,
}

func TestScriptsThatStartProgramsAreRefusedForRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("skipped: needs root, whom alone this is about")
	}
	for script, starts := range scripts {
		var refused *model.WorkerError
		if err := refuseShell(script); starts != (errors.As(err, &refused) && refused.Class == model.Refused) {
			t.Errorf("%q: %v", script, err)
		}
	}
}

// The list above matches what pgbench does.
func TestPgbenchStartsProgramsAsListed(t *testing.T) {
	x := startTheirs(t)
	p, err := findClients(t.Context(), env.OS())
	if err != nil {
		t.Fatal(err)
	}
	a, err := chooseAccount()
	if err != nil {
		t.Fatal(err)
	}
	for script, starts := range scripts {
		dir, err := os.MkdirTemp("", "script")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		file := filepath.Join(dir, "s.sql")
		if err := errors.Join(os.Chmod(dir, 0o777), os.WriteFile(file, []byte(script), 0o644)); err != nil {
			t.Fatal(err)
		}
		// Some of them fail afterwards.
		cmd := exec.CommandContext(t.Context(), p.path("pgbench"), "-n", "-t1", "-f", file, x.url("postgres", database))
		cmd.Dir = dir
		if a.Other {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(a.UID), Gid: uint32(a.GID)}}
		}
		said, _ := cmd.CombinedOutput()
		if _, err := os.Stat(filepath.Join(dir, "ran")); (err == nil) != starts {
			t.Errorf("%q: a program ran: %v, want %v: %s", script, err == nil, starts, said)
		}
	}
}
