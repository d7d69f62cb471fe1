package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Driver loads a PostgreSQL server that it starts itself, with pgbench. It belongs to one worker
// and has one server at a time.
type Driver struct {
	env *env.Env

	mu     sync.Mutex
	server *server
	state  *model.AppState
	// timed is true if the server measures the times of flushes and reads.
	timed bool
	// client runs pgbench on another machine; nil if it runs on the server's machine.
	client load.Client
}

// New returns a driver without a server.
func New(e *env.Env) *Driver { return &Driver{env: e} }

// Tool returns the driver as an entry in a worker's list of tools.
func Tool(e *env.Env) load.Tool {
	d := New(e)
	return load.Tool{Name: "postgres", Driver: d, Application: d, Remote: d,
		Serves: func(kind model.TargetKind, _ model.Workload) bool { return kind == model.Postgres }}
}

// Version returns the version of PostgreSQL.
func (d *Driver) Version(ctx context.Context) (string, error) {
	p, err := findPrograms(ctx, d.env)
	return p.version, err
}

// Ceiling is unknown: there is no server without storage.
func (d *Driver) Ceiling(context.Context, model.Workload, model.Volume, time.Duration) (float64, bool, error) {
	return 0, false, nil
}

// Examine looks for PostgreSQL, for a user to run it as, and checks whether the directory may hold
// a server; nothing is created.
func (d *Driver) Examine(ctx context.Context, req model.ProbeRequest, found *model.ProbeResult) error {
	if req.Target.Path == "" && req.Target.URI != "" {
		return d.examineExisting(ctx, req, found)
	}
	p, err := findPrograms(ctx, d.env)
	if err != nil {
		return inImage(req.Target, err)
	}
	a, err := chooseAccount()
	if err != nil {
		return err
	}
	if err := refuseCluster(req.Target); err != nil {
		return err
	}
	if err := refuseName(req.Target.Path); err != nil {
		return err
	}
	if req.Log != nil {
		if err := refuseCluster(*req.Log); err != nil {
			return err
		}
	}
	found.Tools["postgres"], found.Engines = p.version, []string{"pgbench"}
	ask := model.AppRequest{}
	if req.App != nil {
		ask = *req.App
	}
	if err := begins(ctx, d.env, p, a, ask); err != nil {
		return err
	}
	found.App, err = d.foresee(ctx, p, ask)
	return err
}

// refuseCluster refuses a directory that is, or is part of, a cluster: nothing must be added to
// another server's files.
func refuseCluster(t model.Target) error {
	dir, next := t.Path, "name another directory on the same filesystem; Loadline makes a server of its own in it, and removes it"
	if t.Cluster != nil {
		next = "measure a volume of the same class, which is made and removed: loadline app postgres sc:CLASS"
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, "PG_VERSION")); err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			where := "holds a PostgreSQL cluster"
			if at != dir {
				where = "lies in the PostgreSQL cluster " + at
			}
			return model.RefusedError(fmt.Sprintf("%s %s, which Loadline does not touch", dir, where), next)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// refuseName refuses a path that the server and its clients would parse as several: both accept
// comma-separated lists of socket directories, and a part of the path would name another directory.
func refuseName(dir string) error {
	if !strings.Contains(dir, ",") {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("the path %s has a comma in it, at which PostgreSQL takes it for two directories of sockets", dir),
		"name a directory without one on the same filesystem")
}

// own returns the settings of a server that we start, as NAME=VALUE: enough connections for the
// clients, and measurement of the times that are reported with the results. The user's settings
// follow and so take precedence, but for the last: a server that restarted after a crash would be
// measured during its recovery.
func own(ask model.AppRequest) []string {
	set := []string{"track_io_timing=on", "track_wal_io_timing=on"}
	if need := ask.Clients + spareConnections; need > defaultConnections {
		set = append(set, fmt.Sprintf("max_connections=%d", need))
	}
	return slices.Concat(set, ask.Set, []string{noRestart})
}

// noRestart is the setting that has a crash end the server.
const noRestart = "restart_after_crash=off"

const (
	defaultConnections = 100
	// spareConnections are those reserved for superusers (3), ours, and one for inspection.
	spareConnections = 8
)

// enoughConnections refuses a number of connections, set by the user, that the clients do not fit into.
func enoughConnections(ask model.AppRequest) error {
	most := math.MaxInt
	for _, one := range ask.Set {
		name, value, err := parseSetting(one)
		if n, number := strconv.Atoi(strings.Trim(value, "' ")); err == nil && number == nil && strings.EqualFold(name, "max_connections") {
			most = n
		}
	}
	if need := ask.Clients + spareConnections; most < need {
		return model.RefusedError(fmt.Sprintf("--set max_connections=%d is too few for %d clients: %d more are reserved for superusers and for Loadline", most, ask.Clients, spareConnections),
			fmt.Sprintf("--set max_connections=%d, or fewer --clients", need))
	}
	return nil
}

// foresee returns the settings that a server would have, from its program's own description.
func (d *Driver) foresee(ctx context.Context, p programs, ask model.AppRequest) (*model.AppState, error) {
	if err := enoughConnections(ask); err != nil {
		return nil, err
	}
	list, err := d.described(ctx, p)
	if err != nil {
		return nil, err
	}
	state := &model.AppState{Name: "postgres", Version: p.version, Settings: list}
	if err := give(state, ask); err != nil {
		return nil, err
	}
	return state, d.accepted(ctx, p, ask.Set)
}

// parseSetting splits a setting, and refuses one that the user may not set.
func parseSetting(one string) (name, value string, err error) {
	name, value, ok := strings.Cut(one, "=")
	switch {
	case !ok || name == "":
		return "", "", model.RefusedError(fmt.Sprintf("--set %q is not a setting", one), "write NAME=VALUE, such as --set shared_buffers=1GB")
	case strings.EqualFold(name, "synchronous_standby_names") && strings.Trim(value, "' ") != "":
		return "", "", model.RefusedError(fmt.Sprintf("--set %s: a new server has no standby, so every commit would wait forever", one), "leave it out; a server that exists, with its standbys, is measured with postgres://…")
	case strings.EqualFold(name, "default_transaction_read_only") && slices.Contains([]string{"on", "true", "yes", "1"}, strings.ToLower(strings.Trim(value, "' "))):
		return "", "", model.RefusedError(fmt.Sprintf("--set %s: nothing could be created on the new server", one), "leave it out; --load select only reads")
	case taken[strings.ToLower(name)] && one != noRestart:
		return "", "", model.RefusedError(fmt.Sprintf("--set %s cannot be given: where the server of a run has its files and sockets, and what it logs, is for Loadline to say", one), "")
	}
	return name, value, nil
}

// taken are the settings that only Loadline may set.
var taken = map[string]bool{
	"listen_addresses": true, "port": true, "unix_socket_directories": true, "unix_socket_permissions": true, "data_directory": true,
	"config_file": true, "hba_file": true, "ident_file": true, "external_pid_file": true, "logging_collector": true, "log_destination": true, "restart_after_crash": true,
}

// Ready creates a cluster in a working directory, starts its server and fills it.
func (d *Driver) Ready(ctx context.Context, workDir *os.Root, req model.PrepareRequest, progress func(model.Progress)) (*model.AppState, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.server != nil {
		return nil, model.BrokenError("the worker was told to make a server ready, and has one already", "")
	}
	if req.App == nil || req.App.Scale < 1 {
		return nil, model.BrokenError("the worker was told to make a server ready, and not how large", "")
	}
	if t := req.Volume.Target; t.Path == "" && t.URI != "" {
		return d.readyExisting(ctx, workDir, req, progress)
	}
	p, err := findPrograms(ctx, d.env)
	if err != nil {
		return nil, err
	}
	a, err := chooseAccount()
	if err != nil {
		return nil, err
	}
	begin := d.env.Now()
	progress(model.Progress{Phase: model.PhasePrefill, Total: float64(req.Volume.Size)})
	log, err := logIn(req.Volume.Log)
	if err != nil {
		return nil, err
	}
	s, err := initialise(ctx, d.env, p, a, workDir, log)
	if err != nil {
		return nil, err
	}
	if err := d.open(ctx, s, req.App); err != nil {
		return nil, err
	}
	if err := s.start(ctx, own(*req.App)); err != nil {
		return nil, err
	}
	d.server = s
	if _, err := s.ask(ctx, "postgres", s.far.creating()...); err != nil {
		hint := ""
		if len(req.App.Set) > 0 {
			hint = "if one of your settings prevents this, leave it out: --set " + strings.Join(req.App.Set, " --set ")
		}
		return nil, model.BrokenError(fmt.Sprintf("no database could be created on the new server: %v", err), hint)
	}
	if err := s.fill(ctx, req.App.Scale, req.Volume.Size, progress); err != nil {
		return nil, err
	}
	d.state, err = s.state(ctx)
	if err != nil {
		return nil, model.BrokenError(err.Error(), "")
	}
	d.state.Scale, d.state.Seconds = req.App.Scale, d.env.Now().Sub(begin).Seconds()
	if err := s.reached(ctx, d.state); err != nil {
		return nil, err
	}
	io, _ := d.state.Setting("track_io_timing")
	wal, _ := d.state.Setting("track_wal_io_timing")
	d.timed = io == "on" && wal == "on"
	return d.state, nil
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

// Run makes a checkpoint, so that each repeat begins at the same point of the checkpoint cycle,
// which changes a transaction's I/O twentyfold (full-page writes after a checkpoint), calls begin,
// and then loads the server. Its samples count transactions.
func (d *Driver) Run(ctx context.Context, req model.StartRequest, begin func(), emit func(model.Event)) (model.StepResult, error) {
	d.mu.Lock()
	s, timed, state := d.server, d.timed, d.state
	d.mu.Unlock()
	res := model.StepResult{Step: req.Step}
	if s == nil {
		return res, model.BrokenError("the worker was told to load a server that it has not made", "")
	}
	if gone := s.gone(); gone != "" {
		return res, model.BrokenError(gone, "")
	}
	if err := s.attend(ctx); err != nil {
		return load.Unanswered(ctx, res, s.gone, "before the repeat", err)
	}
	if err := s.checkpoint(ctx); err != nil {
		return load.Unanswered(ctx, res, s.gone, "a checkpoint before the repeat failed", err)
	}
	before, err := s.counts(ctx)
	if err != nil {
		return load.Unanswered(ctx, res, s.gone, "before the repeat", err)
	}
	begin()
	sampled := s.sampleWaits(ctx, req, emit)
	o, err := s.load(ctx, req, emit)
	seen, asked := sampled()
	if err != nil {
		return res, err
	}
	raw := fmt.Sprintf("%04d-%s", req.Step.Number, load.FileName(req.Workload.Name))
	emit(model.Event{Raw: &model.Raw{Name: raw + ".pgbench", Data: []byte(strings.Join(arguments(req.Workload, req.Step.Ramp, req.Step.Seconds, scriptName(req.Workload)), "\n") + "\n")}})
	res.Raw = raw + ".log"
	emit(model.Event{Raw: &model.Raw{Name: res.Raw, Data: []byte("pgbench: " + o.said + "\nserver: " + s.log.String())}})
	res.UserCPU, res.SystemCPU, res.Due, res.IOErrors = o.user, o.sys, 0, o.counts.Failed
	res.Stalls = o.stalls
	if req.Workload.OpenLoop {
		res.Due = o.due
	}
	counts := o.counts
	counts.Waits = seen
	if s.alive() {
		if after, err := s.counts(context.WithoutCancel(ctx)); err == nil {
			difference(&counts, before, after, timed)
			s.doubt(state, req.Workload, &counts, asked, before, after)
			if after["started"] != before["started"] && o.failed == "" {
				o.failed = "the PostgreSQL server started again in the middle of the repeat; the end of its log: " + s.said()
			}
		} else if o.failed == "" && !o.interrupted {
			o.failed = err.Error()
		}
	}
	res.App = &counts
	switch {
	case o.interrupted:
		res.Error = model.StoppedStep
	case o.failed != "" && o.told > 0 && s.gone() != "":
		// The whole seconds before that were measured.
		res.Lost = o.failed
	case o.failed != "":
		res.Error = o.failed
	case counts.Transactions == 0:
		res.Error = fmt.Sprintf("not one transaction was done in %s (%d were skipped, %d failed): %s", units.FormatSpan(req.Step.Seconds), counts.Skipped, counts.Failed, daemon.Quote(o.said, nil))
	}
	return res, nil
}

// scriptName is the name recorded for the user's script.
func scriptName(w model.Workload) string {
	if w.App.Script == "" {
		return ""
	}
	return "script.sql"
}
