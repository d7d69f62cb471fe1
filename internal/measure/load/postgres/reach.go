package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
)

const (
	// pings and connects are how many queries, or connections, a mean is taken of, and means is the
	// number of means of which the lowest is used: other activity on the machine makes a mean
	// higher and never lower.
	pings, connects, means = 300, 10, 3
	// reaching is the time limit for all of it: a distant server is slow.
	reaching = time.Minute
)

// pingScript is the file with a query that reads nothing.
const pingScript = "ping.sql"

// saidLatency matches pgbench's mean latency.
var saidLatency = regexp.MustCompile(`(?m)^latency average = ([0-9.]+) ms`)

// reached measures the round-trip and connection times to the server from where pgbench loads it.
func (s *server) reached(ctx context.Context, state *model.AppState) (err error) {
	if s.far == nil {
		state.RoundTrip, state.Connection, _, err = s.reach(ctx)
		return err
	}
	ask := s.access()
	ask.Reach = true
	res, err := s.far.client.Load(ctx, ask, nil)
	if err != nil {
		return err
	}
	if res.RoundTrip == 0 {
		return model.BrokenError(fmt.Sprintf("pgbench in the client's pod cannot reach the server at %s: %s", net.JoinHostPort(ask.Host, ask.Port), daemon.Quote(res.Said, errors.New("it did not answer in time"))),
			"look whether a NetworkPolicy of the namespace forbids it: kubectl get networkpolicies")
	}
	state.RoundTrip, state.Connection = res.RoundTrip, res.Connection
	return nil
}

// reach measures them from this machine, in seconds; what could not be measured is 0, and said is
// then pgbench's output. The only error is that of ctx, or of the working directory.
func (s *server) reach(ctx context.Context) (trip, connection float64, said string, err error) {
	defer func() { _ = s.root.Remove(pingScript) }()
	if err := s.root.WriteFile(pingScript, []byte("SELECT;\n"), 0o600); err != nil {
		return 0, 0, "", err
	}
	if err := s.account.Give(s.root, pingScript); err != nil {
		return 0, 0, "", err
	}
	bounded, cancel := context.WithTimeout(ctx, reaching)
	defer cancel()
	for range means {
		for _, x := range []struct {
			of      *float64
			words   *regexp.Regexp
			options []string
		}{
			{&trip, saidLatency, []string{"--transactions=" + strconv.Itoa(pings)}},
			{&connection, saidConnect, []string{"--transactions=" + strconv.Itoa(connects), "--connect"}},
		} {
			took, words := s.ping(bounded, x.words, x.options...)
			if took == 0 {
				return trip, connection, words, ctx.Err()
			}
			*x.of = lower(*x.of, took)
		}
	}
	return trip, connection, "", ctx.Err()
}

// ping runs pgbench with a query that reads nothing, and returns the time that it reports; 0 if it
// reports none, with its output.
func (s *server) ping(ctx context.Context, words *regexp.Regexp, options ...string) (took float64, said string) {
	args := append([]string{"--no-vacuum", "--client=1", "--file=../" + pingScript}, options...)
	if s.exists == nil && !s.remote {
		args = append(args, "--host="+s.host(), "--port="+port, "--username="+s.user(), database)
	}
	dir, done, err := s.place(s.socket)
	if err != nil {
		return 0, err.Error()
	}
	defer done()
	cmd := s.account.Command(s.env, dir, s.programs.path("pgbench"), args...)
	var out daemon.Tail
	cmd.Stdout, cmd.Stderr = &out, &out
	p, err := daemon.Launch(s.env.Clock, cmd)
	if err != nil {
		return 0, err.Error()
	}
	p.Finish(ctx, syscall.SIGINT, 2*time.Second)
	m := words.FindStringSubmatch(out.String())
	if m == nil || !p.Succeeded() {
		return 0, out.String()
	}
	ms, _ := strconv.ParseFloat(m[1], 64)
	return ms / 1e3, ""
}

// lower returns the lower of two times; a is ignored if it is 0.
func lower(a, b float64) float64 {
	if a == 0 || b < a {
		return b
	}
	return a
}
