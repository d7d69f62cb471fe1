package postgres

import (
	"context"
	"fmt"
	"strconv"

	"github.com/loadline/loadline/internal/measure/load/daemon"
)

// fieldMark separates the fields of an answer: no value that is read contains it.
const fieldMark = "\x1f"

// ask runs a statement with psql, which interprets connection settings exactly as pgbench does, and
// returns the rows. Several statements, each an element, are sent one after the other.
func (s *server) ask(ctx context.Context, db string, statements ...string) ([][]string, error) {
	if s.exists != nil {
		return s.exists.ask(ctx, statements...)
	}
	args := []string{"-X", "-A", "-t", "-q", "-F", fieldMark, "-v", "ON_ERROR_STOP=1", "-h", s.host(), "-p", port, "-U", superuser, "-d", db}
	for _, statement := range statements {
		args = append(args, "-c", statement)
	}
	said, err := s.run(ctx, s.programs.path("psql"), args...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s", daemon.Quote(said, err))
	}
	return rowsOf(said), nil
}

// numbers reads pairs of a name and a number.
func (s *server) numbers(ctx context.Context, db, statement string) (map[string]float64, error) {
	rows, err := s.ask(ctx, db, statement)
	if err != nil {
		return nil, err
	}
	found := map[string]float64{}
	for _, row := range rows {
		if len(row) != 2 {
			return nil, fmt.Errorf("psql answered %q where a name and a number were asked for", row)
		}
		if row[1] == "" {
			continue
		}
		v, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			return nil, fmt.Errorf("psql answered %q for %s: %w", row[1], row[0], err)
		}
		found[row[0]] = v
	}
	return found, nil
}
