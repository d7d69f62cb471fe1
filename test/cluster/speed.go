package cluster

import (
	"encoding/json"
	"fmt"
	stdnet "net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// SetIOPS changes the rate of every node's disk for volumes, while it is used.
func (c *Cluster) SetIOPS(iops int64) error {
	limits := map[string]any{"path": "/objects/tg", "property": "limits", "value": map[string]int64{"iops-total": iops, "bps-total": c.Bandwidth}}
	err := c.each(func(n int) error {
		if err := command(filepath.Join(c.disk(n, ForVolumes), "qmp.sock"), "qom-set", limits); err != nil {
			return fmt.Errorf("the disk of node %d keeps its speed: %w", n, err)
		}
		return nil
	})
	if err == nil {
		c.IOPS = iops
	}
	return err
}

// command sends a command to a QEMU over its monitor
// (https://www.qemu.org/docs/master/interop/qmp-spec.html).
func command(socket, name string, arguments any) error {
	conn, err := stdnet.DialTimeout("unix", socket, 30*time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return err
	}
	answers, requests := json.NewDecoder(conn), json.NewEncoder(conn)
	var answer struct {
		QMP, Return json.RawMessage
		Error       *struct{ Desc string }
	}
	if err := answers.Decode(&answer); err != nil {
		return err
	}
	for _, request := range []map[string]any{{"execute": "qmp_capabilities"}, {"execute": name, "arguments": arguments}} {
		if err := requests.Encode(request); err != nil {
			return err
		}
		if err := answers.Decode(&answer); err != nil {
			return err
		}
		if answer.Error != nil {
			return fmt.Errorf("%s: %s", name, answer.Error.Desc)
		}
	}
	return nil
}

// DiskCounters returns the I/Os that one of a node's disks has done so far: the kernel's counters
// (Documentation/admin-guide/iostats.rst) of the loop device that is the disk.
func (c *Cluster) DiskCounters(n int, of Purpose) (reads, writes uint64, err error) {
	loop, err := os.ReadFile(filepath.Join(c.disk(n, of), "loop"))
	if err != nil {
		return 0, 0, err
	}
	stat := filepath.Join("/sys/class/block", filepath.Base(strings.TrimSpace(string(loop))), "stat")
	text, err := os.ReadFile(stat)
	if err != nil {
		return 0, 0, err
	}
	var skip uint64
	if _, err := fmt.Sscan(string(text), &reads, &skip, &skip, &skip, &writes); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", stat, err)
	}
	return reads, writes, nil
}
