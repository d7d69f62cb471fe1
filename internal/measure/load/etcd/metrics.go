package etcd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// The metrics used (etcd's documentation, "Metrics").
const (
	walFsync      = "etcd_disk_wal_fsync_duration_seconds"
	backendCommit = "etcd_disk_backend_commit_duration_seconds"
	walBytes      = "etcd_disk_wal_write_bytes_total"
	leaderChanges = "etcd_server_leader_changes_seen_total"
	databaseBytes = "etcd_mvcc_db_total_size_in_bytes"
)

// counts are a server's metrics by name, including labels, as written in the text.
type counts map[string]float64

// readCounts parses metrics in Prometheus's text format, of which etcd's use names, labels without
// blanks, and numbers.
func readCounts(from io.Reader) (counts, error) {
	found := counts{}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, " ")
		if !ok || !strings.HasPrefix(name, "etcd_") {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil {
			// Labels with blanks: not one of the metrics used.
			continue
		}
		found[name] = v
	}
	return found, lines.Err()
}

// counts reads the server's metrics.
func (s *server) counts(ctx context.Context) (counts, error) {
	body, err := s.get(ctx, "/metrics")
	if err != nil {
		return nil, fmt.Errorf("the server's metrics cannot be read: %w", err)
	}
	defer body.Close()
	found, err := readCounts(body)
	if err != nil {
		return nil, fmt.Errorf("the server's metrics cannot be read: %w", err)
	}
	if _, known := found[walFsync+"_count"]; !known {
		return nil, fmt.Errorf("the server's metrics lack %s", walFsync)
	}
	return found, nil
}

// get fetches a page from the server over HTTP/1, which shares the socket with gRPC.
func (s *server) get(ctx context.Context, path string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://etcd"+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := s.pages.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("%s answers %s", path, resp.Status)
	}
	return resp.Body, nil
}

// flushBounds returns the upper bounds of the flush histograms in seconds, starting at 1 ms and
// doubling (etcd's server/storage/wal/metrics.go).
func flushBounds() []float64 {
	var bounds []float64
	for b := 0.001; b < 9; b *= 2 {
		bounds = append(bounds, b)
	}
	return bounds
}

// difference fills in what was counted between two readings; a count that is missing from either is
// unknown.
func difference(c *model.AppCounts, before, after counts) {
	between := func(name string) *float64 {
		a, hasA := before[name]
		b, hasB := after[name]
		if !hasA || !hasB || b < a {
			return nil
		}
		d := b - a
		return &d
	}
	c.Flushes, c.FlushSeconds = between(walFsync+"_count"), between(walFsync+"_sum")
	c.Commits, c.CommitSeconds = between(backendCommit+"_count"), between(backendCommit+"_sum")
	c.LogBytes = between(walBytes)
	for _, bound := range flushBounds() {
		n := between(fmt.Sprintf(`%s_bucket{le="%s"}`, walFsync, strconv.FormatFloat(bound, 'g', -1, 64)))
		if n == nil {
			c.FlushTimes = nil
			return
		}
		c.FlushTimes = append(c.FlushTimes, [2]float64{bound, *n})
	}
}
