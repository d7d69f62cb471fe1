package lab

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// longhornVolume is a real replicated volume whose replicas can fail.
type longhornVolume struct {
	Device

	program, name string
	controller    string // host:port
	// uncounted means that the replicas keep no revision counter.
	uncounted bool
	replicas  []*longhornReplica
}

// longhornReplica is one copy of a volume.
type longhornReplica struct {
	log, data string // directories
	address   string // host:port
	process   *daemon
}

// syncPorts is how many ports a replica has for rebuilds; it also listens on
// three consecutive ports.
const syncPorts = 10

// Longhorn starts a Longhorn engine (v1.8.0) on loopback, exported over NBD: replica processes, each
// with a copy of the volume, and a controller in front of them.
// Every write goes to all replicas, each read to one of them in turn. It has no
// flush, so nothing about durability can be claimed through it.
//
// The copies are on the machine's own disk, or each on one of dirs, which
// may be on disks of known speed. Without such disks it is not calibrated: assert no
// rates. A write costs each disk two: the data, and a revision counter.
//
// It needs root, about 50 MB of memory per replica, and, the first time, a build of
// one to two minutes.
func Longhorn(t T, replicas int, size int64, dirs ...string) *longhornVolume {
	t.Helper()
	return longhorn(t, false, replicas, size, dirs)
}

// LonghornUncounted is Longhorn without revision counters: a write costs each disk one write.
func LonghornUncounted(t T, replicas int, size int64, dirs ...string) *longhornVolume {
	t.Helper()
	return longhorn(t, true, replicas, size, dirs)
}

func longhorn(t T, uncounted bool, replicas int, size int64, dirs []string) *longhornVolume {
	t.Helper()
	if len(dirs) != 0 && len(dirs) != replicas {
		t.Fatalf("%d directories for %d replicas: one for each is needed, or none", len(dirs), replicas)
	}
	if os.Geteuid() != 0 {
		Unavailable(t, "a Longhorn engine has its socket in /var/run, which needs root")
	}
	engine, bridge := longhornPrograms(t)
	Lock(t)
	v := &longhornVolume{uncounted: uncounted, program: engine, name: "loadline-" + uuid(), controller: fmt.Sprintf("127.0.0.1:%d", freePorts(t, 1))}
	dir := directory(t, "")
	v.Device = Device{Name: fmt.Sprintf("Longhorn, %d replicas", replicas), Size: size, URI: nbdURI("", filepath.Join(dir, "nbd.sock"))}
	args := []string{"controller", v.name, "--listen", v.controller, "--frontend", "socket"}
	for i := range replicas {
		r := &longhornReplica{log: filepath.Join(dir, fmt.Sprintf("replica-%d", i))}
		if err := os.Mkdir(r.log, 0o700); err != nil {
			t.Fatalf("cannot prepare a replica: %v", err)
		}
		parent := r.log
		if dirs != nil {
			parent = dirs[i]
		}
		r.data = directory(t, parent)
		v.replicas = append(v.replicas, r)
		v.startReplica(t, r)
		args = append(args, "--replica", "tcp://"+r.address)
	}
	// The engine chooses the path of its socket.
	socket := "/var/run/longhorn-" + v.name + ".sock"
	undo(t, "rm -f "+socket, nil)
	start(t, dir, answers(socket), engine, append(append(args, v.counter()...), v.sizes()...)...)
	exported := filepath.Join(dir, "nbd.sock")
	start(t, dir, answers(exported), bridge, "-engine", socket, "-listen", exported, "-size", fmt.Sprint(size))
	return v
}

// KillReplica ends replica i (from 0) with SIGKILL. It may be called while the
// volume is under load, from any goroutine.
func (v *longhornVolume) KillReplica(i int) { v.replicas[i].process.kill() }

// addReplica replaces the killed replica i with a new, empty one,
// and returns when it has been rebuilt from the others. It may be
// called while the volume is under load.
func (v *longhornVolume) addReplica(t T, i int) {
	t.Helper()
	r := v.replicas[i]
	select {
	case <-r.process.done:
	default:
		t.Fatalf("replica %d is still running: kill it first", i)
	}
	v.control(t, "rm-replica", "tcp://"+r.address)
	if err := shell("rm -rf " + quote(r.data) + "/*"); err != nil {
		t.Fatalf("cannot empty the replica: %v", err)
	}
	v.startReplica(t, r)
	v.control(t, append(append([]string{"add-replica"}, v.sizes()...), "tcp://"+r.address)...)
	if left := v.Healthy(t); left != len(v.replicas) {
		t.Fatalf("after the rebuild %d of %d replicas are healthy", left, len(v.replicas))
	}
}

// Healthy returns how many replicas the controller reads from and writes to. The controller
// notices that a replica has died when an I/O fails on it, or after some seconds.
func (v *longhornVolume) Healthy(t T) int {
	t.Helper()
	return len(regexp.MustCompile(`(?m)^tcp://\S+\s+RW\b`).FindAllString(v.control(t, "ls-replica"), -1))
}

// startReplica starts a replica's process on its own ports.
func (v *longhornVolume) startReplica(t T, r *longhornReplica) {
	t.Helper()
	port := freePorts(t, 3+syncPorts)
	r.address = fmt.Sprintf("127.0.0.1:%d", port)
	ready := func() bool { return listening(port) && listening(port+1) && listening(port+2) }
	r.process = start(t, r.log, ready, v.program, append([]string{"replica", r.data, "--listen", r.address,
		"--sync-agent-port-count", fmt.Sprint(syncPorts), "--size", fmt.Sprint(v.Size)}, v.counter()...)...)
}

// counter returns the engine's option, of replicas and of the controller.
func (v *longhornVolume) counter() []string {
	if v.uncounted {
		return []string{"--disableRevCounter"}
	}
	return nil
}

// sizes returns the options that give the volume's size.
func (v *longhornVolume) sizes() []string {
	size := fmt.Sprint(v.Size)
	return []string{"--size", size, "--current-size", size}
}

// control gives the controller a command that must succeed, and returns its output.
func (v *longhornVolume) control(t T, args ...string) string {
	t.Helper()
	out, err := exec.Command(v.program, append([]string{"--url", v.controller}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("Longhorn's %s: %v: %s", args[0], err, strings.TrimSpace(string(out)))
	}
	return string(out)
}

// freePorts returns the first of count consecutive unused loopback ports,
// below the kernel's range for outgoing connections.
func freePorts(t T, count int) int {
	t.Helper()
	for range 200 {
		first := 20000 + rand.IntN(12000)
		if allFree(first, count) {
			return first
		}
	}
	t.Fatalf("no %d ports in a row are free", count)
	return 0
}

func allFree(first, count int) bool {
	for port := first; port < first+count; port++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return false
		}
		l.Close()
	}
	return true
}

// listening reports whether a server listens on the loopback port.
func listening(port int) bool {
	c, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), time.Second)
	if err != nil {
		return false
	}
	c.Close()
	return true
}
