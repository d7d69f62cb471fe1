package fio

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
)

// process is one execution of fio.
type process struct {
	text string
	args []string
	// link is the file that linkName points to, if the job text uses linkName.
	link string
	// open is passed to fio as descriptor 3; may be nil.
	open *os.File
	// hold returns when fio, waiting at its gate, is to begin; nil if there is no gate.
	hold func()
	// running is called when fio runs, with its directory and process id; what it returns is called
	// when fio has ended. May be nil.
	running func(dir string, id int) (over func())
	// silence is how long fio may print nothing, and storage names what it waits for meanwhile;
	// storage is empty if fio does no I/O.
	silence time.Duration
	storage string
	// silent is called when a silence ends, before the document that ended it.
	silent func(silence)
	// expected is the maximum run time; 0 if unknown.
	expected time.Duration
	// document is called with each JSON document as it arrives. It may return an error to abort the job.
	document func(data []byte) error
}

// outcome is the result of an execution.
type outcome struct {
	exit   int
	signal syscall.Signal
	// stopped is the reason why we ended fio; empty if it ended by itself. If it did not even end then, exit is 0.
	stopped string
	// hungAfterSignal is true if we ended fio because it hung after a signal had ended one of its jobs.
	hungAfterSignal bool
	// interrupted is true if the caller asked for the end.
	interrupted bool
	// abortCause is the error with which the caller aborted the job.
	abortCause error
	documents  int
	// truncated is true if the output ended inside a document.
	truncated bool
	text      excerpt
	stderr    excerpt
	raw       record
	took      time.Duration
	// memory says what the kernel's out-of-memory killer did meanwhile.
	memory memoryVerdict
}

// message returns fio's own message: its standard error, else the text between the documents, else its
// exit code.
func (o *outcome) message() string {
	if s := quote(o.stderr.String()); s != "" {
		return s
	}
	if s := quote(o.text.String()); s != "" {
		return s
	}
	return fmt.Sprintf("nothing, exit code %d", o.exit)
}

// execute runs fio on a job text in a private directory and waits for its end. It returns an error
// only if fio could not be started.
func (d *Driver) execute(ctx context.Context, p process) (*outcome, error) {
	path, err := d.find()
	if err != nil {
		return nil, err
	}
	d.one.Lock()
	defer d.one.Unlock()
	dir := privateName()
	// The guard knows the directory before it exists, and until it does not any more: nothing is left behind whenever this
	// process is killed.
	defer d.guard(dir)()
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, model.BrokenError(fmt.Sprintf("no temporary directory for fio's job file: %v.", err), "set TMPDIR to a directory with free space")
	}
	defer os.RemoveAll(dir)
	if err := p.writeInputs(dir); err != nil {
		return nil, err
	}
	// We end it ourselves: first with SIGINT, later with SIGKILL.
	cmd := d.env.Command(context.WithoutCancel(ctx), path, slices.Concat(p.args, d.clockArgs(p.text), []string{"job.fio"})...)
	cmd.Dir = dir
	if p.open != nil {
		cmd.ExtraFiles = []*os.File{p.open}
	}
	// By the mark, its jobs are told from a user's programs in the same directory.
	cmd.Env = append(cmd.Environ(), "LC_ALL=C", env.StartedByUs)
	// No load may outlive the process that measures it.
	cmd.SysProcAttr = daemon.DeathSignal(&syscall.SysProcAttr{Setpgid: true}, syscall.SIGKILL)
	cmd.WaitDelay = pipeDelay

	o := &outcome{}
	w := &watcher{process: p, outcome: o, abort: make(chan struct{}), limits: d.limits, clock: d.env.Clock, dir: dir, lastOutput: d.env.Now()}
	cmd.Stdout, cmd.Stderr = w, (*stderr)(w)
	killsBefore := d.memoryKills()
	start := d.env.Now()
	run, err := daemon.Launch(d.env.Clock, cmd)
	if err != nil {
		return nil, model.BrokenError(fmt.Sprintf("fio cannot be started: %v.", err), "try it yourself: "+path+" --version")
	}
	if p.hold != nil {
		p.hold()
		shut, err := openGate(dir)
		if err != nil {
			run.Kill(syscall.SIGKILL)
			killLeftovers(dir)
			return nil, err
		}
		defer shut()
	}
	over := func() {}
	if p.running != nil {
		over = p.running(dir, cmd.Process.Pid)
	}
	ended := w.watch(ctx, run)
	over()
	w.mu.Lock()
	w.recordOutput(d.env.Now())
	w.gates.rest(w.outcome.text.Write)
	w.mu.Unlock()
	o.took = d.env.Since(start)
	o.truncated = w.split.inside()
	// If fio ended normally, it has waited for its jobs.
	if !ended || !cmd.ProcessState.Success() {
		killLeftovers(dir)
	}
	if !ended {
		return o, nil
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		o.signal = ws.Signal()
	}
	o.exit = cmd.ProcessState.ExitCode()
	o.memory = judgeMemory(killsBefore, d.memoryKills())
	return o, nil
}

// writeInputs puts what fio reads into its private directory: the job file, the link to the storage, the gate.
func (p *process) writeInputs(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, "job.fio"), []byte(p.text), 0o600); err != nil {
		return model.BrokenError(fmt.Sprintf("fio's job file cannot be written: %v.", err), "set TMPDIR to a directory with free space")
	}
	if p.link != "" {
		if err := os.Symlink(p.link, filepath.Join(dir, linkName)); err != nil {
			return model.BrokenError(fmt.Sprintf("no symbolic link to %q can be made for fio: %v.", p.link, err), "")
		}
	}
	if p.hold != nil {
		return makeGate(dir)
	}
	return nil
}

// privateName returns a name for a private directory, without symbolic links, that nobody has used or can guess.
func privateName() string {
	parent := env.TempDir()
	if real, err := filepath.EvalSymlinks(parent); err == nil {
		parent = real
	}
	return filepath.Join(parent, "loadline-fio-"+rand.Text())
}

// checkTemporary refuses a directory for temporary files in which none can be made, before anything is measured.
func checkTemporary() error {
	parent := filepath.Dir(privateName())
	if err := unix.Access(parent, unix.W_OK|unix.X_OK); err != nil {
		return model.RefusedError(fmt.Sprintf("fio's job file needs a temporary directory, and none can be made in %s: %v", parent, err), "set TMPDIR to a directory with free space")
	}
	return nil
}

// pipeDelay is how long the pipes may stay open after fio has ended.
const pipeDelay = time.Second
