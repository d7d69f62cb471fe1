package cluster

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	_ "embed"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	stdnet "net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// control is the name of the control plane's namespace.
const control = "control"

// startControl starts etcd, the API server, and the controllers, in a separate network
// namespace.
func (c *Cluster) startControl() error {
	if err := makeBridge(); err != nil {
		return err
	}
	if err := join(control, net+"2"); err != nil {
		return err
	}
	// Service addresses are not translated here: the server itself has that address.
	if err := run("ip", "-n", namespaceOf(control), "addr", "add", service+"/32", "dev", "lo"); err != nil {
		return err
	}
	if err := c.makeSecrets(); err != nil {
		return err
	}
	if err := c.startPart("etcd", "--data-dir", filepath.Join(c.control(), "data"), "--listen-client-urls", "http://127.0.0.1:2379",
		"--advertise-client-urls", "http://127.0.0.1:2379", "--listen-peer-urls", "http://127.0.0.1:2380", "--initial-advertise-peer-urls", "http://127.0.0.1:2380",
		"--initial-cluster", "default=http://127.0.0.1:2380", "--unsafe-no-fsync", "--log-level", "warn"); err != nil {
		return err
	}
	if err := c.StartServer(); err != nil {
		return err
	}
	config := c.Kubeconfig()
	as := []string{"--kubeconfig=" + config, "--authentication-kubeconfig=" + config, "--authorization-kubeconfig=" + config, "--bind-address=127.0.0.1", "--leader-elect=false"}
	if err := c.startPart("kube-controller-manager", append(as, "--service-account-private-key-file="+c.secret("sa.key"), "--root-ca-file="+c.secret("ca.crt"),
		"--use-service-account-credentials=true", "--allocate-node-cidrs=false", "--kube-api-qps=200", "--kube-api-burst=400")...); err != nil {
		return err
	}
	return c.startPart("kube-scheduler", append(as, "--kube-api-qps=500", "--kube-api-burst=1000")...)
}

func (c *Cluster) startPart(name string, args ...string) error {
	return daemon(c.control(), name, inNetwork(control, append([]string{c.Program(name)}, args...)...)...)
}

// StartServer starts the API server and waits until it is ready.
func (c *Cluster) StartServer() error {
	if err := c.startPart("kube-apiserver", "--etcd-servers=http://127.0.0.1:2379", "--bind-address=0.0.0.0", "--advertise-address="+net+"2", "--secure-port=443",
		"--tls-cert-file="+c.secret("api.crt"), "--tls-private-key-file="+c.secret("api.key"), "--token-auth-file="+c.secret("tokens.csv"),
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file="+c.secret("sa.key"), "--service-account-signing-key-file="+c.secret("sa.key"),
		"--service-cluster-ip-range=10.96.0.0/16", "--authorization-mode=Node,RBAC", "--allow-privileged=true", "--profiling=false",
		"--kubelet-preferred-address-types=InternalIP"); err != nil {
		return err
	}
	if !wait(readyTime, func() bool { return c.kubectl("get", "--raw", "/readyz") == nil }) {
		return fmt.Errorf("the API server was not ready within %s", readyTime)
	}
	return nil
}

// StopServer kills the API server; StartServer starts it again.
func (c *Cluster) StopServer() error {
	file := filepath.Join(c.control(), "kube-apiserver.pid")
	p := pid(file)
	if p == 0 {
		return fmt.Errorf("the API server does not run")
	}
	if err := syscall.Kill(p, syscall.SIGKILL); err != nil {
		return err
	}
	wait(5*time.Second, func() bool { return !alive(p) })
	return os.Remove(file)
}

// endControl ends the control plane and its network.
func (c *Cluster) endControl() {
	for _, name := range []string{"kube-scheduler", "kube-controller-manager", "kube-apiserver", "etcd"} {
		end(filepath.Join(c.control(), name+".pid"))
	}
	leave(control)
	_ = run("ip", "link", "del", bridge)
}

func (c *Cluster) secret(name string) string { return filepath.Join(c.control(), name) }

// makeSecrets makes a certificate authority, the server's certificate, the key for service
// accounts, the administrator's token and the kubeconfig.
func (c *Cluster) makeSecrets() error {
	if err := os.MkdirAll(c.control(), 0o700); err != nil {
		return err
	}
	now := time.Now()
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "loadline-test"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(48 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	server := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "kube-apiserver"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(48 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []stdnet.IP{stdnet.ParseIP(net + "2"), stdnet.ParseIP("127.0.0.1"), stdnet.ParseIP(service)}, DNSNames: []string{"localhost", "kubernetes.default.svc"}}
	rootKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	serverKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	root, err := x509.CreateCertificate(rand.Reader, authority, authority, &rootKey.PublicKey, rootKey)
	if err != nil {
		return err
	}
	leaf, err := x509.CreateCertificate(rand.Reader, server, authority, &serverKey.PublicKey, rootKey)
	if err != nil {
		return err
	}
	rootPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root})
	key := func(k *rsa.PrivateKey) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(k)})
	}
	config := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: "%s", certificate-authority-data: %s}}]
users: [{name: admin, user: {token: %s}}]
contexts: [{name: test, context: {cluster: test, user: admin}}]
current-context: test
`, api, base64.StdEncoding.EncodeToString(rootPEM), adminKey)
	for name, data := range map[string][]byte{
		"ca.crt": rootPEM, "api.crt": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leaf}), "api.key": key(serverKey), "sa.key": key(rootKey),
		"tokens.csv": []byte(adminKey + ",admin,admin,system:masters\n"), "../kubeconfig": []byte(config),
	} {
		if err := os.WriteFile(c.secret(name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// kubectl runs kubectl as the administrator.
func (c *Cluster) kubectl(args ...string) error {
	return run(c.Program("kubectl"), append([]string{"--kubeconfig", c.Kubeconfig(), "--request-timeout=5s"}, args...)...)
}

//go:embed classes.yaml
var classes string

// startProvisioner makes the StorageClasses and starts the provisioner of local-path,
// which does not need a pod.
func (c *Cluster) startProvisioner() error {
	wanted := classes
	if c.Longhorn {
		wanted += "---\n" + longhornObjects
	}
	if err := c.apply(strings.NewReplacer("HELPER", c.Helper, "REPLICAS", replicaDir, "PATHS", c.paths()).Replace(wanted)); err != nil {
		return err
	}
	return daemon(filepath.Join(c.dir, "provisioner"), "local-path", c.Program("local-path-provisioner"), "start", "--kubeconfig", c.Kubeconfig(),
		"--namespace", "local-path-storage", "--provisioner-name", "rancher.io/local-path", "--configmap-name", "local-path-config",
		"--service-account-name", "local-path", "--helper-image", c.Helper, "--config", c.pathMap())
}

// apply creates objects.
func (c *Cluster) apply(objects string) error {
	cmd := exec.Command(c.Program("kubectl"), "--kubeconfig", c.Kubeconfig(), "apply", "-f", "-")
	cmd.Stdin = strings.NewReader(objects)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the StorageClasses cannot be made: %w: %s", err, out)
	}
	return nil
}

func (c *Cluster) endProvisioner() { end(filepath.Join(c.dir, "provisioner", "local-path.pid")) }

// paths returns the list of where local-path may put directories on each node; a class says which it takes.
func (c *Cluster) paths() string {
	if c.Longhorn {
		return `["/mnt/local-path","` + replicaDir + `/local-path"]`
	}
	return `["/mnt/local-path"]`
}

// pathMap returns the file of those paths.
func (c *Cluster) pathMap() string {
	file := filepath.Join(c.dir, "local-path.json")
	_ = os.WriteFile(file, []byte(`{"nodePathMap":[{"node":"DEFAULT_PATH_FOR_NON_LISTED_NODES","paths":`+c.paths()+`}]}`), 0o600)
	return file
}

// waitReady waits until every node is ready and every CSI driver registered.
func (c *Cluster) waitReady() error {
	var nodes, drivers []byte
	each := 1
	if c.Longhorn {
		each = 2
	}
	ready := wait(readyTime, func() bool {
		nodes, _ = exec.Command(c.Program("kubectl"), "--kubeconfig", c.Kubeconfig(), "get", "nodes", "--no-headers").Output()
		drivers, _ = exec.Command(c.Program("kubectl"), "--kubeconfig", c.Kubeconfig(), "get", "csinodes", "-o", "jsonpath={.items[*].spec.drivers[*].nodeID}").Output()
		return strings.Count(string(nodes), " Ready") == c.Nodes && len(strings.Fields(string(drivers))) == each*c.Nodes
	})
	if !ready {
		return fmt.Errorf("the cluster was not ready within %s: nodes\n%sCSI drivers on: %s", readyTime, nodes, drivers)
	}
	return nil
}
