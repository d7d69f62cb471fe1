package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Inside is the first process of a node: it makes the node's view of the machine,
// starts its programs and never returns. Only the command "cluster inside" calls it.
func (c *Cluster) Inside(n int, images []string) error {
	name, dir := nodeName(n), c.node(n)
	if err := syscall.Sethostname([]byte(name)); err != nil {
		return err
	}
	if err := c.mountInside(n); err != nil {
		return err
	}
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644); err != nil {
		return err
	}
	files := map[string]string{"/etc/cni/net.d/10-test.conflist": fmt.Sprintf(cni, podsOf(n)), filepath.Join(dir, "containerd.toml"): containerdConfig,
		filepath.Join(dir, "kubelet.yaml"): fmt.Sprintf(kubeletConfig, address(n), namespaceOf(name))}
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := daemon(dir, "containerd", "containerd", "--config", filepath.Join(dir, "containerd.toml")); err != nil {
		return err
	}
	if !wait(2*time.Minute, func() bool { return exec.Command("ctr", "version").Run() == nil }) {
		return errors.New("containerd does not answer")
	}
	for _, image := range images {
		if err := run("ctr", "--namespace", "k8s.io", "images", "import", image); err != nil {
			return err
		}
	}
	if err := daemon(dir, "kubelet", c.Program("kubelet"), "--config="+filepath.Join(dir, "kubelet.yaml"), "--kubeconfig="+c.Kubeconfig(), "--hostname-override="+name,
		"--node-ip="+address(n), "--root-dir=/var/lib/kubelet", "--cert-dir=/var/lib/kubelet/pki", "--node-labels=topology.kubernetes.io/zone="+fmt.Sprintf("zone%d", n)); err != nil {
		return err
	}
	if err := c.startDrivers(n); err != nil {
		return err
	}
	return reap()
}

// mountInside hides the machine's own directories behind the node's.
func (c *Cluster) mountInside(n int) error {
	dir := c.node(n)
	if err := syscall.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return err
	}
	binds := map[string]string{"kubelet": "/var/lib/kubelet", "containerd": "/var/lib/containerd", "containerd-state": "/run/containerd",
		"cni": "/etc/cni/net.d", "cni-state": "/var/lib/cni", "pod-logs": "/var/log/pods", "container-logs": "/var/log/containers", "netns": "/run/netns", "data": "/mnt"}
	if c.Longhorn {
		binds[string(ForReplicas)] = replicaDir
	}
	for from, to := range binds {
		from = filepath.Join(dir, from)
		if err := errors.Join(os.MkdirAll(from, 0o755), os.MkdirAll(to, 0o755)); err != nil {
			return err
		}
		if err := syscall.Mount(from, to, "", syscall.MS_BIND, ""); err != nil {
			return fmt.Errorf("%s: %w", to, err)
		}
	}
	// Volumes that kubelet mounts must be visible to the containers.
	return syscall.Mount("", "/", "", syscall.MS_SHARED|syscall.MS_REC, "")
}

// startDrivers starts the CSI drivers, each with its provisioner.
func (c *Cluster) startDrivers(n int) error {
	loops := filepath.Join(c.node(n), "loops")
	if err := os.MkdirAll(loops, 0o755); err != nil {
		return err
	}
	if err := c.startDriver(n, "csi", "csi.loadline.test", "-loops", loops, "-logs", c.node(n)); err != nil || !c.Longhorn {
		return err
	}
	return c.startDriver(n, "longhorn", longhornDriver, "-loops", loops, "-address", address(n), "-data", replicaDir, "-state", pluginDir+longhornDriver,
		"-logs", c.node(n), "-engine", c.Program("longhorn-engine"), "-bridge", c.Program("bridge"), "-kubeconfig", c.Kubeconfig())
}

const (
	// pluginDir is where drivers listen, in the node's view.
	pluginDir = "/var/lib/kubelet/plugins/"
	// replicaDir is where the disk for replicas is mounted, in the node's view: Longhorn's own default.
	replicaDir = "/var/lib/longhorn"
)

func (c *Cluster) startDriver(n int, program, driver string, args ...string) error {
	name, dir, socket := nodeName(n), c.node(n), pluginDir+driver+"/csi.sock"
	if err := daemon(dir, program, append([]string{c.Program(program), "-node", name, "-socket", socket}, args...)...); err != nil {
		return err
	}
	if !wait(2*time.Minute, func() bool { _, err := os.Stat(socket); return err == nil }) {
		return fmt.Errorf("the CSI driver %s does not listen", driver)
	}
	for key, value := range map[string]string{"NODE_NAME": name, "NAMESPACE": "kube-system", "POD_NAME": program + "-" + name} {
		if err := os.Setenv(key, value); err != nil {
			return err
		}
	}
	return daemon(dir, program+"-provisioner", c.Program("csi-provisioner"), "--csi-address="+socket, "--kubeconfig="+c.Kubeconfig(), "--node-deployment",
		"--node-deployment-immediate-binding=false", "--feature-gates=Topology=true", "--strict-topology", "--extra-create-metadata")
}

// reap reaps children for ever: a node's first process inherits its orphans.
func reap() error {
	for {
		if _, err := syscall.Wait4(-1, nil, 0, nil); err != nil && !errors.Is(err, syscall.EINTR) {
			// Without children there is nothing to wait for, and the node is dead.
			if errors.Is(err, syscall.ECHILD) {
				return errors.New("every process of the node has ended")
			}
			return err
		}
	}
}

// cni is the configuration of the pods' network.
const cni = `{"cniVersion":"0.4.0","name":"test","plugins":[
 {"type":"bridge","bridge":"cni0","isGateway":true,"ipMasq":false,"hairpinMode":true,
  "ipam":{"type":"host-local","ranges":[[{"subnet":"%s"}]],"routes":[{"dst":"0.0.0.0/0"}],"dataDir":"/var/lib/cni/networks"}}]}
`

// containerdConfig sets restrict_oom_score_adj: without it every pod fails if this
// machine itself may not lower that score.
var containerdConfig = strings.ReplaceAll(`version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "PAUSE"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
[plugins."io.containerd.internal.v1.opt"]
  path = "/var/lib/containerd/opt"
`, "PAUSE", pauseImage)

const kubeletConfig = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: %s
cgroupDriver: cgroupfs
cgroupRoot: /%s
failCgroupV1: false
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
failSwapOn: false
makeIPTablesUtilChains: false
evictionHard: {memory.available: 100Mi, nodefs.available: 1%%, imagefs.available: 1%%, nodefs.inodesFree: 1%%}
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
clusterDomain: cluster.local
clusterDNS: [10.96.0.10]
syncFrequency: 10s
nodeStatusUpdateFrequency: 5s
serializeImagePulls: false
maxPods: 110
oomScoreAdj: 0
`
