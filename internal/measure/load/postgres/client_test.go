package postgres

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/remote"
)

// nearby is a client's worker that runs on this machine.
type nearby struct {
	t *testing.T
	d *Driver
	// asked is the most recent request.
	asked remote.Request
	// from is the address that it reports as its own.
	from string
	// before is called before a step; it may be nil.
	before func(remote.Request)
}

func (n *nearby) Load(ctx context.Context, req remote.Request, on func(model.Event)) (*remote.Result, error) {
	n.asked = req
	if req.Start != nil && n.before != nil {
		n.before(req)
	}
	if req.Start == nil && !req.Reach {
		// Connections to any address of this machine come from its first address.
		return &remote.Result{Address: n.from}, nil
	}
	dir := newWorkDir(n.t)
	return n.d.LoadFor(ctx, openDir(n.t, dir), req, on)
}

// loopback is an address of this machine on which no other server listens.
const loopback = "127.83.19.7"

// readyFar returns a driver with a small server, and a client that connects over the network.
func readyFar(t *testing.T, e *env.Env) (*Driver, *nearby, *model.AppState) {
	t.Helper()
	dir := newWorkDir(t)
	t.Setenv(addressVariable, loopback)
	n := &nearby{t: t, d: New(e), from: "127.0.0.1"}
	d := New(e)
	t.Cleanup(func() {
		if err := d.Leave(); err != nil {
			t.Error(err)
		}
	})
	d.LoadFrom(n)
	state, err := d.Ready(t.Context(), openDir(t, dir), model.PrepareRequest{App: &model.AppRequest{Name: "postgres", Scale: 1, Clients: 4, Client: remote.Other}}, func(model.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	return d, n, state
}

// TestAClientElsewhere: pgbench connects over the network, as the only user and with the only
// password that the server accepts, and counts as it does beside the server.
func TestAClientElsewhere(t *testing.T) {
	onEachVersion(t, func(t *testing.T, e *env.Env, _ int) {
		d, n, state := readyFar(t, e)
		if state.RoundTrip <= 0 || state.RoundTrip > 0.1 || state.Connection <= state.RoundTrip || state.Connection > 5 {
			t.Errorf("a round trip of %g s, a connection of %g s", state.RoundTrip, state.Connection)
		}
		if v, _ := state.Setting("listen_addresses"); v != loopback {
			t.Errorf("the server listens on %q", v)
		}
		var told bytes.Buffer
		samples := 0
		res, err := d.Run(t.Context(), ask(4, 2), load.BeginNow, func(ev model.Event) {
			if ev.Sample != nil {
				samples++
			}
			_ = json.NewEncoder(&told).Encode(ev)
		})
		if err != nil || res.Error != "" {
			t.Fatalf("%v %q", err, res.Error)
		}
		c := res.App
		if samples != 2 || c.Transactions == 0 || c.Flushes == nil || *c.Flushes == 0 || c.ToolTransactions != c.Transactions {
			t.Errorf("%d samples, %+v", samples, c)
		}
		if p := c.Processor; p != nil && (p.ServerCPU <= 0 || p.ClientCPU <= 0) {
			t.Errorf("%+v", p)
		}
		_ = json.NewEncoder(&told).Encode(state)
		_ = json.NewEncoder(&told).Encode(res)
		told.WriteString(d.server.log.String())
		if password := n.asked.Password; len(password) < 26 || strings.Contains(told.String(), password) {
			t.Errorf("the password %q is in what is recorded: %s", password, &told)
		}
	})
}

// TestNobodyElseComesIn: over the network the server accepts only its client.
func TestNobodyElseComesIn(t *testing.T) {
	_, n, _ := readyFar(t, env.OS())
	enter := func(set ...string) string {
		t.Helper()
		p, err := findClients(t.Context(), env.OS())
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(p.path("psql"), "-X", "-w", "-A", "-t", "-c", "SELECT current_user, rolsuper FROM pg_roles WHERE rolname = current_user")
		cmd.Env = append(os.Environ(), append([]string{"LC_ALL=C", "PGCONNECT_TIMEOUT=5", "PGHOST=" + loopback, "PGPORT=" + port, "PGUSER=" + clientUser, "PGDATABASE=" + database, "PGPASSWORD=" + n.asked.Password}, set...)...)
		out, _ := cmd.CombinedOutput()
		return strings.TrimSpace(string(out))
	}
	if said := enter(); said != "loadline|f" {
		t.Errorf("the client: %s", said)
	}
	for set, words := range map[string]string{
		"PGPASSWORD=wrong":    "password authentication failed",
		"PGUSER=" + superuser: "no pg_hba.conf entry",
		"PGDATABASE=postgres": "no pg_hba.conf entry",
	} {
		if said := enter(set); !strings.Contains(said, words) {
			t.Errorf("%s: %s", set, said)
		}
	}
}

// TestAClientFromAnotherAddress: even with the right password the server accepts no connection from
// an address other than the client's, and this is reported before anything is measured.
func TestAClientFromAnotherAddress(t *testing.T) {
	dir := newWorkDir(t)
	t.Setenv(addressVariable, loopback)
	d := New(env.OS())
	t.Cleanup(func() { _ = d.Leave() })
	d.LoadFrom(&nearby{t: t, d: New(env.OS()), from: "127.83.19.8"})
	_, err := d.Ready(t.Context(), openDir(t, dir), model.PrepareRequest{App: &model.AppRequest{Name: "postgres", Scale: 1, Client: remote.Other}}, func(model.Progress) {})
	if err == nil || !strings.Contains(err.Error(), "cannot reach the server at 127.83.19.7:5432") || !strings.Contains(err.Error(), "no pg_hba.conf entry") {
		t.Errorf("%v", err)
	}
}

// TestThePasswordIsInNoArgument: the password is not visible in the process list.
func TestThePasswordIsInNoArgument(t *testing.T) {
	d, n, _ := readyFar(t, env.OS())
	end, lines := make(chan struct{}), make(chan string, 1)
	go func() {
		var all strings.Builder
		for {
			files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, file := range files {
				line, _ := os.ReadFile(file)
				if strings.Contains(string(line), "pgbench") {
					all.Write(line)
				}
			}
			select {
			case <-end:
				lines <- all.String()
				return
			default:
			}
		}
	}()
	res, err := d.Run(t.Context(), ask(2, 1), load.BeginNow, func(model.Event) {})
	close(end)
	if err != nil || res.Error != "" {
		t.Fatalf("%v %q", err, res.Error)
	}
	if seen := <-lines; !strings.Contains(seen, "--client=2") || strings.Contains(seen, n.asked.Password) {
		t.Errorf("%q", seen)
	}
}

// If the server ends during a step, the error names the server and not the client that noticed it.
func TestAServerThatEndsUnderAClientElsewhere(t *testing.T) {
	d, n, _ := readyFar(t, env.OS())
	n.before = func(remote.Request) {
		go func() {
			<-d.env.Clock.After(load.Seconds(1.5))
			_ = d.server.process.Process.Kill()
		}()
	}
	res, err := d.Run(t.Context(), ask(2, 4), load.BeginNow, func(model.Event) {})
	if err != nil || !strings.Contains(res.Error+res.Lost, "the PostgreSQL server ended in the middle") {
		t.Errorf("%v %+v", err, res)
	}
}

// A pod that does not know its address cannot be used as a client.
func TestAClientWithoutAnAddress(t *testing.T) {
	dir := newWorkDir(t)
	t.Setenv(addressVariable, "")
	d := New(env.OS())
	d.LoadFrom(&nearby{t: t, d: New(env.OS())})
	_, err := d.Ready(t.Context(), openDir(t, dir), model.PrepareRequest{App: &model.AppRequest{Name: "postgres", Scale: 1, Client: remote.Same}}, func(model.Progress) {})
	if err == nil || !strings.Contains(err.Error(), "a pod does not know its address") {
		t.Errorf("%v", err)
	}
}

// TestVerifier: the example of RFC 7677.
func TestVerifier(t *testing.T) {
	salt, err := base64.StdEncoding.DecodeString("W22ZaJ0SNY7soEsUEjb6gQ==")
	if err != nil {
		t.Fatal(err)
	}
	const want = "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
	if got := verifierOf("pencil", salt, 4096); got != want {
		t.Errorf("%s", got)
	}
}
