package lab

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// cephOSDs is the number of disks in the cluster, and the number of copies it keeps.
const cephOSDs = 3

// cephConf is the cluster's configuration: loopback only, no authentication, all
// files in one directory (%[1]s), one host (so copies are spread over disks,
// chooseleaf_type 0), and a client without a write-back cache, which would
// acknowledge writes from memory. %[2]s is the monitor's address, %[3]s the fsid.
const cephConf = `[global]
fsid = %[3]s
mon_host = %[2]s
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
public_network = 127.0.0.0/8
cluster_network = 127.0.0.0/8
run_dir = %[1]s
admin_socket = %[1]s/$type.$id.asok
log_file = %[1]s/$type.$id.log
mon_data = %[1]s/mon
mgr_data = %[1]s/mgr
osd_data = %[1]s/osd.$id
crash_dir = %[1]s
mon_cluster_log_file = %[1]s/cluster.log
osd_crush_chooseleaf_type = 0
osd_pool_default_size = 3
osd_pool_default_min_size = 2
osd_pool_default_pg_num = 32
osd_pool_default_pg_autoscale_mode = off
osd_objectstore = bluestore
bluestore_block_size = 6442450944
osd_memory_target = 939524096
bluestore_cache_size = 134217728
mon_data_avail_warn = 1
mon_data_avail_crit = 1
mon_osd_full_ratio = 0.99
mgr_initial_modules =
rbd_cache = false
`

// ceph is a cluster during its setup.
type ceph struct {
	t         T
	dir, conf string
	// address is the monitor's, fsid the cluster's identity.
	address, fsid string
}

// Ceph starts a real replicated storage system on this machine (a monitor, a
// manager and three bluestore OSDs on sparse files of 6 GiB, three copies) and
// returns an unwritten image of the size, "rbd:lab/image". Until the test ends,
// CEPH_CONF in the environment names its configuration. It takes about a minute
// to start and about 1.2 GiB of memory. It is not a calibrated device, and it runs on the
// machine's own disk: assert no rates.
//
// It is skipped if its packages are not installed, even with LOADLINE_LAB=required:
// they are large, and only tests of Ceph images need them.
func Ceph(t T, size int64) Device {
	t.Helper()
	for _, program := range []string{"ceph-mon", "ceph-mgr", "ceph-osd", "monmaptool", "ceph", "rbd"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("skipped: %s is not installed (apt-get install ceph-mon ceph-mgr ceph-osd ceph-common)", program)
		}
	}
	Lock(t)
	c := ceph{t: t, dir: directory(t, "")}
	c.configure()
	c.startMonitor()
	c.start("ceph-mgr", "x")
	for id := range cephOSDs {
		c.startOSD(id)
	}
	c.until("all OSDs to be up", func() bool {
		var stat struct {
			Up int `json:"num_up_osds"`
		}
		return c.ask(&stat, "osd", "stat") && stat.Up == cephOSDs
	})
	c.run("ceph", "osd", "pool", "create", "lab", "32")
	c.run("ceph", "osd", "pool", "application", "enable", "lab", "rbd")
	c.until("all placement groups to be active and clean", func() bool {
		var stat struct {
			Summary struct {
				Total  int `json:"num_pgs"`
				States []struct {
					Name  string `json:"name"`
					Count int    `json:"num"`
				} `json:"num_pg_by_state"`
			} `json:"pg_summary"`
		}
		if !c.ask(&stat, "pg", "stat") || stat.Summary.Total < 32 {
			return false
		}
		for _, s := range stat.Summary.States {
			if s.Name != "active+clean" {
				return false
			}
		}
		return true
	})
	c.run("rbd", "create", "--size", fmt.Sprintf("%dB", size), "lab/image")
	return Device{Name: "Ceph, 3 copies", URI: "rbd:lab/image", Size: size}
}

// configure writes the configuration and names it in the environment.
func (c *ceph) configure() {
	c.t.Helper()
	c.conf = filepath.Join(c.dir, "ceph.conf")
	c.address, c.fsid = "[v2:"+freeAddress(c.t)+"]", uuid()
	text := fmt.Sprintf(cephConf, c.dir, c.address, c.fsid)
	if err := os.WriteFile(c.conf, []byte(text), 0o600); err != nil {
		c.t.Fatalf("cannot write Ceph's configuration: %v", err)
	}
	before, had := os.LookupEnv("CEPH_CONF")
	os.Setenv("CEPH_CONF", c.conf)
	c.t.Cleanup(func() {
		if had {
			os.Setenv("CEPH_CONF", before)
		} else {
			os.Unsetenv("CEPH_CONF")
		}
	})
}

func (c *ceph) startMonitor() {
	c.t.Helper()
	c.mkdir("mon")
	c.mkdir("mgr")
	c.run("monmaptool", "--create", "--addv", "a", c.address, "--fsid", c.fsid, "monmap")
	c.run("ceph-mon", "--mkfs", "-i", "a", "-c", c.conf, "--monmap", "monmap")
	c.start("ceph-mon", "a")
	c.until("the monitor to answer", func() bool {
		var status struct{}
		return c.ask(&status, "mon", "stat")
	})
}

func (c *ceph) startOSD(id int) {
	c.t.Helper()
	number := fmt.Sprint(id)
	c.mkdir("osd." + number)
	disk := uuid()
	c.run("ceph", "osd", "new", disk, number)
	c.run("ceph-osd", "-i", number, "--mkfs", "--osd-uuid", disk, "-c", c.conf)
	c.start("ceph-osd", number)
}

// start starts a daemon of the cluster; use until to wait until it works.
func (c *ceph) start(program, id string) {
	c.t.Helper()
	start(c.t, c.dir, func() bool { return true }, program, "-f", "-i", id, "-c", c.conf)
}

// run runs a program that must succeed.
func (c *ceph) run(program string, args ...string) {
	c.t.Helper()
	out, err := c.command(program, args...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %s: %v: %s", program, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
}

// ask queries the cluster; false means that it has no answer yet.
func (c *ceph) ask(answer any, question ...string) bool {
	out, err := c.command("ceph", append(question, "--format=json", "--connect-timeout=5")...).Output()
	return err == nil && json.Unmarshal(out, answer) == nil
}

func (c *ceph) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = c.dir
	return cmd
}

// until polls for up to five minutes.
func (c *ceph) until(what string, ready func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !ready(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			status, _ := c.command("ceph", "-s", "--connect-timeout=5").CombinedOutput()
			c.t.Fatalf("Ceph: waited five minutes for %s: %s", what, status)
		}
	}
}

func (c *ceph) mkdir(name string) {
	c.t.Helper()
	if err := os.Mkdir(filepath.Join(c.dir, name), 0o700); err != nil {
		c.t.Fatalf("cannot prepare Ceph's directories: %v", err)
	}
}

// freeAddress returns a loopback address that was unused a moment ago.
func freeAddress(t T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("no free port: %v", err)
	}
	defer l.Close()
	return l.Addr().String()
}

// uuid returns a random UUID (version 4).
func uuid() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
