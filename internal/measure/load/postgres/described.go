package postgres

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/loadline/loadline/internal/measure/load/postgres/defaults"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// described returns the settings of a PostgreSQL program and their defaults. To ask it for each of them takes two
// seconds, so only those are asked for whose defaults are not the same in all programs of its version.
func (d *Driver) described(ctx context.Context, p programs) ([]model.Setting, error) {
	known := map[string]string{}
	for _, s := range defaults.Of(p.major) {
		if !defaults.OfBuild(s.Name) {
			known[s.Name] = s.Default
		}
	}
	return d.describe(ctx, p, known)
}

// describe returns the settings of a PostgreSQL program and their defaults; known are those that need not be asked for.
// Its own description (--describe-config) is printed before numbers and switches have their defaults, so those are asked
// for one by one (-C).
func (d *Driver) describe(ctx context.Context, p programs, known map[string]string) ([]model.Setting, error) {
	said, err := d.env.Command(ctx, p.path("postgres"), "--describe-config").Output()
	if err != nil {
		return nil, model.RefusedError(fmt.Sprintf("%s does not tell its settings: %v", p.path("postgres"), err), "")
	}
	var list []model.Setting
	var asked []int
	for line := range strings.Lines(string(said)) {
		// name, context, group, type, default, …
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) < 5 || f[1] == "INTERNAL" {
			continue
		}
		s := model.Setting{Name: f[0], Value: f[4], Default: f[4], Source: "default"}
		switch f[3] {
		case "BOOLEAN", "INTEGER", "REAL":
			value, is := known[s.Name]
			if s.Value, s.Default = value, value; !is {
				asked = append(asked, len(list))
			}
		}
		list = append(list, s)
	}
	next := make(chan int)
	var workers sync.WaitGroup
	for range 2 * runtime.NumCPU() {
		workers.Go(func() {
			for i := range next {
				s := &list[i]
				// No file is read: there is no cluster yet.
				out, err := d.env.Command(ctx, p.path("postgres"), "-C", s.Name, "-D", "/", "-c", "config_file=/dev/null").Output()
				if err == nil {
					s.Value = withUnit(s.Name, strings.TrimSpace(string(out)))
					if s.Name == "shared_buffers" && s.Value == "8MB" {
						// What initdb gives a new cluster instead; since 15 the program says so itself.
						s.Value = "128MB"
					}
					s.Default = s.Value
				}
			}
		})
	}
	for _, i := range asked {
		next <- i
	}
	close(next)
	workers.Wait()
	return list, ctx.Err()
}

// accepted refuses settings whose values the program does not take, before anything is made with them.
func (d *Driver) accepted(ctx context.Context, p programs, set []string) error {
	if len(set) == 0 {
		return nil
	}
	args := []string{"-C", "fsync", "-D", "/", "-c", "config_file=/dev/null"}
	for _, one := range set {
		args = append(args, "-c", one)
	}
	_, err := d.env.Command(ctx, p.path("postgres"), args...).Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || ctx.Err() != nil {
		return ctx.Err()
	}
	said := strings.TrimSpace(string(exit.Stderr))
	if _, why, found := strings.Cut(said, "FATAL:"); found {
		said = strings.TrimSpace(why)
	}
	first, _, _ := strings.Cut(said, "\n")
	return model.RefusedError(fmt.Sprintf("PostgreSQL %s does not accept --set %s: %s", p.version, strings.Join(set, " --set "), safetext.Clean(first)),
		"correct the setting, or leave it out")
}

// baseUnits are the units in which a program tells the numbers of settings that people change, which it does not print.
var baseUnits = map[string]string{
	"shared_buffers": "8kB", "wal_buffers": "8kB", "temp_buffers": "8kB", "effective_cache_size": "8kB", "checkpoint_flush_after": "8kB",
	"bgwriter_flush_after": "8kB", "backend_flush_after": "8kB", "wal_writer_flush_after": "8kB",
	"work_mem": "kB", "maintenance_work_mem": "kB", "max_wal_size": "MB", "min_wal_size": "MB", "wal_keep_size": "MB",
	"checkpoint_timeout": "s", "autovacuum_naptime": "s", "wal_writer_delay": "ms", "bgwriter_delay": "ms", "deadlock_timeout": "ms",
	"statement_timeout": "ms", "lock_timeout": "ms",
}

// larger are the units of sizes (in kB) and times (in ms), the largest first, as PostgreSQL itself shows them.
var larger = map[string][]struct {
	name string
	size int64
}{
	"kB": {{"TB", 1 << 30}, {"GB", 1 << 20}, {"MB", 1 << 10}, {"kB", 1}},
	"ms": {{"d", 86_400_000}, {"h", 3_600_000}, {"min", 60_000}, {"s", 1000}, {"ms", 1}},
}

// withUnit returns a setting's number in the largest unit that divides it, as SHOW does.
func withUnit(name, value string) string {
	n, err := strconv.ParseInt(value, 10, 64)
	unit, known := baseUnits[name]
	if err != nil || !known || n <= 0 {
		return value
	}
	base := "kB"
	switch unit {
	case "8kB":
		n *= 8
	case "MB":
		n <<= 10
	case "s":
		n, base = n*1000, "ms"
	case "ms":
		base = "ms"
	}
	for _, u := range larger[base] {
		if n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return value
}
