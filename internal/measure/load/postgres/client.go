package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/remote"
)

// far describes how pgbench in a pod of its own connects to a server that we started: over the
// network, as a user that may log in only from the client's address, with a password that is known
// only to the client's worker.
type far struct {
	client load.Client
	// own is the address that the server listens on, from the address of the client.
	own, from netip.Addr
	password  string
}

// clientUser is pgbench's user on a server that it reaches over the network.
const clientUser = "loadline"

// addressVariable holds the pod's address, which the cluster sets in its environment.
const addressVariable = "LOADLINE_ADDRESS"

// LoadFrom makes pgbench run on another machine.
func (d *Driver) LoadFrom(c load.Client) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.client = c
}

// open prepares a new server for a remote client, before the server is started.
func (d *Driver) open(ctx context.Context, s *server, ask *model.AppRequest) error {
	if !remote.HasOwnPod(ask) {
		return nil
	}
	if d.client == nil {
		return model.BrokenError("the server was to be loaded from another pod, and there is none", "")
	}
	res, err := d.client.Load(ctx, remote.Request{}, nil)
	if err != nil {
		return err
	}
	f := &far{client: d.client, password: rand.Text()}
	if f.own, err = netip.ParseAddr(d.env.Getenv(addressVariable)); err == nil {
		f.from, err = netip.ParseAddr(res.Address)
	}
	if err != nil {
		return model.BrokenError(fmt.Sprintf("a pod does not know its address (%s): %v", addressVariable, err), "use --worker-image of this version")
	}
	// The server's socket is in a directory that no other user can access.
	rules := fmt.Sprintf("local all all trust\nhost %s %s %s scram-sha-256\n", database, clientUser, netip.PrefixFrom(f.from, f.from.BitLen()))
	if err := s.root.WriteFile("data/pg_hba.conf", []byte(rules), 0o600); err != nil {
		return model.BrokenError(fmt.Sprintf("the server's pg_hba.conf cannot be written: %s", env.Reason(err)), "")
	}
	s.far = f
	return nil
}

// listens returns the setting listen_addresses.
func (f *far) listens() string {
	if f == nil {
		return ""
	}
	return f.own.String()
}

// creating returns the statements that create the database. The user of a remote client owns it and
// its contents, and has no other rights.
func (f *far) creating() []string {
	if f == nil {
		return []string{"CREATE DATABASE " + database}
	}
	return []string{fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s'", clientUser, verifier(f.password)), fmt.Sprintf("CREATE DATABASE %s OWNER %s", database, clientUser)}
}

// user returns pgbench's user.
func (s *server) user() string {
	if s.far != nil {
		return clientUser
	}
	return superuser
}

// access returns what the client needs to connect.
func (s *server) access() remote.Request {
	return remote.Request{Host: s.far.own.String(), Port: port, User: clientUser, Password: s.far.password, Database: database}
}

// load runs pgbench, locally or remotely.
func (s *server) load(ctx context.Context, req model.StartRequest, emit func(model.Event)) (*outcome, error) {
	if s.far == nil {
		return (&bench{server: s, req: req, emit: emit}).run(ctx)
	}
	ask := s.access()
	ask.Start = &req
	processors := watchProcessors(s.env.Clock, s.processes(), watched{}, max(1, req.Workload.Depth), load.Seconds(req.Step.Ramp))
	// A server that has ended closes its clients' connections, but not always at once.
	bounded, cancel := context.WithTimeout(s.ends(ctx), load.Seconds(req.Step.Ramp+req.Step.Seconds+beyond+2*late))
	defer cancel()
	res, err := s.far.client.Load(bounded, ask, emit)
	here := processors()
	if err != nil {
		return nil, err
	}
	o := &outcome{counts: res.Counts, due: res.Due, told: res.Told, said: res.Said, interrupted: ctx.Err() != nil, failed: res.Failed, user: res.UserCPU, sys: res.SystemCPU, stalls: res.Stalls}
	o.counts.Processor = together(here, res.Counts.Processor)
	if (res.Failed != "" || res.Interrupted) && !o.interrupted {
		s.endsOrAnswers(ctx)
		if gone := s.gone(); gone != "" {
			o.failed = gone
		} else if o.failed == "" {
			o.failed = "pgbench was stopped in the client's pod"
		}
	}
	return o, nil
}

// together merges what two machines counted over the same period, scaled to the length of the first.
func together(server, client *model.AppProcessor) *model.AppProcessor {
	if server == nil || client == nil || client.Seconds <= 0 {
		return nil
	}
	f, share := *server, server.Seconds/client.Seconds
	f.ClientCPU, f.ClientWait = client.ClientCPU*share, client.ClientWait*share
	return &f
}

// LoadFor is run by the worker in the client's pod, for a server elsewhere.
func (d *Driver) LoadFor(ctx context.Context, workDir *os.Root, req remote.Request, emit func(model.Event)) (*remote.Result, error) {
	if req.Start == nil && !req.Reach {
		return &remote.Result{Address: d.env.Getenv(addressVariable)}, nil
	}
	p, err := findClients(ctx, d.env)
	if err != nil {
		return nil, inImage(model.Target{Cluster: &model.ClusterVolume{}}, err)
	}
	a, err := chooseAccount()
	if err != nil {
		return nil, err
	}
	// Arguments would be visible in the process list. There is nothing to encrypt, and negotiating
	// encryption would cost one more round trip for each connection.
	a.Set = append(a.Set, "PGHOST="+req.Host, "PGPORT="+req.Port, "PGUSER="+req.User, "PGPASSWORD="+req.Password, "PGDATABASE="+req.Database, "PGSSLMODE=disable", "PGGSSENCMODE=disable")
	dir := workDir.Name()
	s := &server{env: d.env, programs: p, account: a, root: workDir, dir: dir, socket: filepath.Join(dir, "s"), remote: true}
	if err := a.MakeDirectory(workDir, filepath.Base(s.socket)); err != nil {
		return nil, model.BrokenError(fmt.Sprintf("%s cannot be made: %s", s.socket, env.Reason(err)), "")
	}
	if req.Start == nil {
		res := &remote.Result{}
		res.RoundTrip, res.Connection, res.Said, err = s.reach(ctx)
		return res, err
	}
	o, err := (&bench{server: s, req: *req.Start, emit: emit}).run(ctx)
	if err != nil {
		return nil, err
	}
	return &remote.Result{Counts: o.counts, Due: o.due, Told: o.told, Said: o.said, Interrupted: o.interrupted, Failed: o.failed, UserCPU: o.user, SystemCPU: o.sys, Stalls: o.stalls}, nil
}
