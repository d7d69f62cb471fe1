package postgres

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

const (
	// nowhere is a directory of sockets that cannot exist, so pgbench cannot connect to anything.
	nowhere = "/dev/null"
	// failing is how long pgbench may take until it fails to connect.
	failing = 10 * time.Second
)

// begins refuses a load that pgbench would not begin, before anything is made for it: pgbench reads its options and
// its script before it connects. Options of another version, values that it does not take and commands that
// it cannot parse are found; it is run with the load's own options, and where nothing can be connected to.
// What it says of anything else, or if it does not run at all, is left to the load itself.
func begins(ctx context.Context, e *env.Env, p programs, a daemon.Account, ask model.AppRequest) error {
	// Nothing that says where to connect, or how messages look, is passed on.
	a.Hidden, a.Set = []string{"PG"}, nil
	args := append(arguments(firstLoad(ask), 0, 1, ""), "--host="+nowhere, "--port="+port, "--username="+superuser, database)
	if ask.Ask.Script != "" {
		args = append([]string{"--file=-"}, args...)
	}
	cmd := a.Command(e, "/", p.path("pgbench"), args...)
	var errs daemon.Tail
	cmd.Stdin, cmd.Stderr = strings.NewReader(ask.Ask.Script), &errs
	limited, cancel := context.WithTimeout(ctx, failing)
	defer cancel()
	process, err := daemon.Launch(e.Clock, cmd)
	if err != nil {
		return ctx.Err()
	}
	process.Finish(limited, syscall.SIGTERM, time.Second)
	if limited.Err() != nil || process.Succeeded() || strings.Contains(errs.String(), `"`+nowhere+"/") {
		return ctx.Err()
	}
	return notBegun(p, ask.Ask, errs.String())
}

// firstLoad is a workload with everything that the user asked of a load; its clients are the most of any.
func firstLoad(ask model.AppRequest) model.Workload {
	a := ask.Ask
	return model.Workload{Depth: ask.Clients, OpenLoop: a.Rate > 0, RateIOPS: a.Rate,
		App: model.AppLoad{Threads: a.Threads, Reconnect: a.Connect, Limit: a.Limit, Options: strings.Join(a.Options, "\n")}}
}

var (
	// saidWrong matches a line in which pgbench, or the C library for it, says what is wrong with its arguments. Until
	// version 14 such errors are fatal.
	saidWrong = regexp.MustCompile(`^(?:pgbench: (?:error|fatal): (.+)|.*pgbench: ((?:unrecognized|unknown|illegal|invalid|ambiguous|option) .+))$`)
	// saidDetail matches what it adds to that.
	saidDetail = regexp.MustCompile(`^pgbench: detail: (.+)$`)
	// ofScript matches an error in a script that is read from standard input: at a line of it, or as a whole.
	ofScript = regexp.MustCompile(`^(?:-:(\d+): (.+)|(.+) in script "-" command (\d+): (.+))$`)
	// fewFiles matches the error for more clients than it may open files.
	fewFiles = regexp.MustCompile(`^need at least (\d+) open files`)
)

// notBegun returns the refusal for what pgbench said instead of beginning; nil if that is nothing known.
func notBegun(p programs, a model.AppAsk, said string) error {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	why, at := "", 0
	for i, line := range lines {
		if m := saidWrong.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			why, at = safetext.Clean(m[1]+m[2]), i
			break
		}
	}
	if why == "" {
		return nil
	}
	next := ""
	if at+1 < len(lines) {
		next = strings.TrimSpace(lines[at+1])
	}
	if m := saidDetail.FindStringSubmatch(next); m != nil {
		why += " (" + safetext.Clean(strings.TrimSuffix(m[1], ".")) + ")"
	}
	if m := ofScript.FindStringSubmatch(why); m != nil {
		return notParsed(p, m, next)
	}
	if m := fewFiles.FindStringSubmatch(why); m != nil {
		return model.RefusedError(fmt.Sprintf("pgbench cannot open that many connections: %s", why), "measure with fewer --clients, or allow more open files: ulimit -n "+m[1])
	}
	if len(a.Options) == 0 {
		return model.RefusedError(fmt.Sprintf("pgbench %s does not begin this load: %s", p.version, why), "loadline app postgres --help")
	}
	return model.RefusedError(fmt.Sprintf("pgbench %s does not accept --pgbench %s: %s", p.version, strings.Join(a.Options, " --pgbench "), why),
		"correct the option, or leave it out; pgbench --help lists those of this version")
}

// notParsed is the refusal of a script. m is a match of ofScript, and next the line that pgbench prints after it, which
// is the command itself.
func notParsed(p programs, m []string, next string) error {
	if m[1] == "" {
		message := fmt.Sprintf("pgbench %s cannot read the script: %s: %s", p.version, m[3], m[5])
		if !strings.HasSuffix(m[5], `without matching \endif`) { // which is missed at the end
			message += ", at command " + m[4]
		}
		return model.RefusedError(message, "correct the file that --script names")
	}
	message := fmt.Sprintf("pgbench %s cannot read the script: line %s: %s", p.version, m[1], m[2])
	if strings.HasPrefix(next, `\`) {
		message += " (" + safetext.Clean(next) + ")"
	}
	return model.RefusedError(message, "correct line "+m[1]+" of the file that --script names")
}
