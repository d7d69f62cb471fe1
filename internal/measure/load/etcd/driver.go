package etcd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Driver loads an etcd server that it starts itself. It belongs to one worker and has one server at a time.
type Driver struct {
	env *env.Env

	mu     sync.Mutex
	server *server
}

// newDriver returns a driver without a server.
func newDriver(e *env.Env) *Driver { return &Driver{env: e} }

// Tool returns the driver as an entry in a worker's list of tools.
func Tool(e *env.Env) load.Tool {
	d := newDriver(e)
	return load.Tool{Name: "etcd", Driver: d, Application: d,
		Serves: func(kind model.TargetKind, _ model.Workload) bool { return kind == model.Etcd }}
}

// account returns the user that etcd runs as. etcd takes each of its flags from the environment,
// and variables set there concern other servers.
func account() (daemon.Account, error) {
	a, err := daemon.Choose("etcd", "etcd", "nobody")
	a.Hidden = []string{"ETCD"}
	return a, err
}

// Version returns the version of the etcd on PATH.
func (d *Driver) Version(ctx context.Context) (string, error) {
	a, err := account()
	if err != nil {
		return "", err
	}
	p, err := findProgram(ctx, d.env, "", a)
	return p.version, err
}

// Ceiling is unknown: there is no server without storage.
func (d *Driver) Ceiling(context.Context, model.Workload, model.Volume, time.Duration) (float64, bool, error) {
	return 0, false, nil
}

// Examine looks for etcd, for a user to run it as, and checks whether the directory may hold a
// member; nothing is created.
func (d *Driver) Examine(ctx context.Context, req model.ProbeRequest, found *model.ProbeResult) error {
	ask := model.AppRequest{}
	if req.App != nil {
		ask = *req.App
	}
	set, err := settings(ask)
	if err != nil {
		return err
	}
	a, err := account()
	if err != nil {
		return err
	}
	p, err := findProgram(ctx, d.env, ask.Program, a)
	if err != nil {
		return err
	}
	if err := refuseMember(req.Target.Path); err != nil {
		return err
	}
	found.Tools["etcd"], found.Engines = p.version, []string{engine}
	found.App = &model.AppState{Name: "etcd", Version: p.version, Settings: set}
	return nil
}

const (
	// engine is the name of the load generator.
	engine = "puts over gRPC"
	// dying is how long a server may take to end after its connections have broken. It is waited out before any
	// failure of a client is reported, because only then is it known whether the server failed.
	dying = 10 * time.Second
)

// refuseMember refuses a directory that is, or is part of, an etcd server's data.
func refuseMember(dir string) error {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, "member", "wal")); err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.ENOTDIR) {
			where := "holds an etcd's data"
			if at != dir {
				where = "lies in the data of the etcd in " + at
			}
			return model.RefusedError(fmt.Sprintf("%s %s, which Loadline does not touch", dir, where),
				"name another directory on the same filesystem; Loadline makes a member of its own in it, and removes it")
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// Ready creates a member in a working directory and starts it.
func (d *Driver) Ready(ctx context.Context, workDir *os.Root, req model.PrepareRequest, progress func(model.Progress)) (*model.AppState, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.server != nil:
		return nil, model.BrokenError("the worker was told to make a server ready, and has one already", "")
	case req.App == nil:
		return nil, model.BrokenError("the worker was told to make a server ready, and not which", "")
	}
	set, err := settings(*req.App)
	if err != nil {
		return nil, err
	}
	a, err := account()
	if err != nil {
		return nil, err
	}
	p, err := findProgram(ctx, d.env, req.App.Program, a)
	if err != nil {
		return nil, err
	}
	begin := d.env.Now()
	progress(model.Progress{Phase: model.PhasePrefill})
	s, err := makeServer(d.env, p, a, workDir)
	if err != nil {
		return nil, err
	}
	if err := s.start(ctx, set); err != nil {
		return nil, err
	}
	d.server = s
	c, err := s.counts(ctx)
	if err != nil {
		return nil, model.BrokenError(err.Error(), "")
	}
	return &model.AppState{Name: "etcd", Version: p.version, Data: int64(c[databaseBytes]), Settings: set, Seconds: d.env.Now().Sub(begin).Seconds()}, nil
}

// Leave ends the server.
func (d *Driver) Leave() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.server == nil {
		return nil
	}
	err := d.server.stop()
	d.server = nil
	return err
}

// Run connects the clients, calls begin, and loads the server. Its samples count puts.
func (d *Driver) Run(ctx context.Context, req model.StartRequest, begin func(), emit func(model.Event)) (model.StepResult, error) {
	res := model.StepResult{Step: req.Step}
	w := req.Workload
	s, value, err := d.loadable(w)
	if err != nil {
		return res, err
	}
	b := &bench{clock: d.env.Clock, w: w, value: value, meter: newMeter(req.Step, func(x model.Sample) { emit(model.Event{Sample: &x}) })}
	for range max(1, w.Depth) {
		c := newClient(s.clientPath())
		defer c.close()
		b.clients = append(b.clients, c)
	}
	if err := connect(ctx, b.clients); err != nil {
		return load.Unanswered(ctx, res, s.gone, "the clients could not connect", err)
	}
	before, err := s.counts(ctx)
	if err != nil {
		return load.Unanswered(ctx, res, s.gone, "before the repeat", err)
	}
	begin()
	user, system := processCPU()
	b.now = d.env.Clock.Watch()
	alive, cancel := s.untilEnd(ctx)
	pulse := daemon.TakePulse(d.env.Clock, b.now)
	crowded := s.watchSpace(alive, cancel)
	b.run(ctx, alive)
	wall := b.now()
	res.Stalls = pulse.Causes(b.meter.stalls)
	cancel()
	if u, y := processCPU(); wall > 0 {
		res.UserCPU, res.SystemCPU = (u-user)/wall, (y-system)/wall
	}
	c := b.meter.counts()
	if crowded() {
		// Its puts were ended by us.
		c.Failed = 0
	}
	if c.Failed > 0 {
		// When a server dies, its connections break first.
		select {
		case <-s.process.End:
			// This is reported as the end of the server, not as failed puts.
			c.Failed = 0
		case <-d.env.Clock.After(dying):
		}
	}
	if after, err := s.counts(context.WithoutCancel(ctx)); err == nil {
		difference(&c, before, after)
		d.raw(&res, w, s, before, after, emit)
		if after[leaderChanges] > before[leaderChanges] {
			res.Error = "etcd elected a leader anew in the middle of the repeat: its own disk or processor held it up; the end of its log: " + s.said()
		}
	}
	if w.OpenLoop {
		res.Due = b.meter.due
	}
	res.App, res.IOErrors = &c, c.Failed
	whole := math.Inf(1)
	switch gone := s.gone(); {
	case ctx.Err() != nil:
		res.Error, whole = model.StoppedStep, wall
	case crowded():
		res.Error, whole = fmt.Sprintf("the load was stopped because the filesystem of %s, which others may use too, was about to be more than 95 %% full: free some space, or measure for less time", filepath.Dir(s.dir)), wall
	case gone != "":
		whole = wall
		// The whole seconds before that were measured.
		if b.meter.ramp+1 <= wall {
			res.Lost = gone
		} else {
			res.Error = gone
		}
	case c.Failed > 0:
		res.Error = fmt.Sprintf("%d puts failed: %s", c.Failed, b.meter.fault)
	case c.Transactions == 0:
		res.Error = fmt.Sprintf("not one put was done in %s (%d were skipped)", units.FormatSpan(req.Step.Seconds), c.Skipped)
	}
	b.meter.tell(whole)
	return res, nil
}

// loadable returns the server that a workload loads, and the size of its values.
func (d *Driver) loadable(w model.Workload) (s *server, value int, err error) {
	d.mu.Lock()
	s = d.server
	d.mu.Unlock()
	value, err = valueSize(w.App.OptionList())
	switch {
	case err != nil:
	case s == nil:
		err = model.BrokenError("the worker was told to load a server that it has not made", "")
	case s.gone() != "":
		err = model.BrokenError(s.gone(), "")
	case w.OpenLoop && w.RateIOPS <= 0:
		err = model.BrokenError(fmt.Sprintf("%s is not an open loop: it needs a rate", w.Name), "")
	}
	return s, value, err
}

// connect makes each client do a put, so that no connection is made during the measurement.
func connect(ctx context.Context, clients []*client) error {
	limited, cancel := context.WithTimeout(ctx, starting)
	defer cancel()
	failed := make([]error, len(clients))
	var group sync.WaitGroup
	for i, c := range clients {
		group.Go(func() { failed[i] = c.put(limited, putMessage([]byte("loadline/connected"), []byte("1"))) })
	}
	group.Wait()
	return errors.Join(failed...)
}

// untilEnd returns a context that is done when the server has ended, or when it is cancelled.
func (s *server) untilEnd(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(parent))
	go func() {
		defer cancel()
		select {
		case <-s.process.End:
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// raw keeps the requested load, the server's metrics before and after, and the end of its log.
func (d *Driver) raw(res *model.StepResult, w model.Workload, s *server, before, after counts, emit func(model.Event)) {
	var text strings.Builder
	fmt.Fprintf(&text, "load: %s\n", w.Words)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if strings.HasPrefix(name, "etcd_disk_") || strings.HasPrefix(name, "etcd_server_") || strings.HasPrefix(name, "etcd_mvcc_db_") || strings.HasPrefix(name, "etcd_snap_") {
			fmt.Fprintf(&text, "%s %g → %g\n", name, before[name], after[name])
		}
	}
	res.Raw = fmt.Sprintf("%04d-%s.log", res.Step.Number, load.FileName(w.Name))
	emit(model.Event{Raw: &model.Raw{Name: res.Raw, Data: []byte(text.String() + "server: " + s.log.String())}})
}

// processCPU returns the CPU time of this process in seconds, which includes the clients.
func processCPU() (user, system float64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0
	}
	return time.Duration(u.Utime.Nano()).Seconds(), time.Duration(u.Stime.Nano()).Seconds()
}
