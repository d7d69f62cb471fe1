package kube

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// programsVariable names the environment variable with the folder of etcd, kube-apiserver and
// kubectl.
const programsVariable = "LOADLINE_KUBERNETES"

// adminToken is the cluster administrator's token.
const adminToken = "admin-of-the-test"

// apiServer is a real etcd and a real API server on loopback, without any node: what the server
// accepts or refuses is real, and nothing ever runs.
type apiServer struct {
	dir, programs string
	port          int
	etcd          string
	server        *exec.Cmd
	said          bytes.Buffer
	admin         *Client
}

// realServer starts both and waits until the server is ready; they end with the test.
func realServer(t *testing.T) *apiServer {
	t.Helper()
	s := &apiServer{dir: t.TempDir(), programs: os.Getenv(programsVariable)}
	if s.programs == "" {
		t.Skipf("skipped: %s does not name a folder with etcd, kube-apiserver and kubectl (make e2e builds one)", programsVariable)
	}
	ports := freePorts(t, 3)
	s.port, s.etcd = ports[0], fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	s.secrets(t)
	peer := fmt.Sprintf("http://127.0.0.1:%d", ports[2])
	etcd := s.start(t, "etcd", "--data-dir", filepath.Join(s.dir, "data"), "--listen-client-urls", s.etcd, "--advertise-client-urls", s.etcd,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer, "--unsafe-no-fsync", "--log-level", "error")
	t.Cleanup(func() {
		s.kill()
		_ = etcd.Process.Kill()
		_ = etcd.Wait()
		if t.Failed() {
			t.Logf("the servers said: %s", s.said.Bytes()[max(0, s.said.Len()-3000):])
		}
	})
	s.up(t)
	return s
}

// up starts the API server and waits until it is ready.
func (s *apiServer) up(t *testing.T) {
	t.Helper()
	key, cert := filepath.Join(s.dir, "sa.key"), filepath.Join(s.dir, "certs")
	s.server = s.start(t, "kube-apiserver", "--etcd-servers="+s.etcd, "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", s.port),
		"--cert-dir="+cert, "--token-auth-file="+filepath.Join(s.dir, "tokens.csv"), "--endpoint-reconciler-type=none",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file="+key, "--service-account-signing-key-file="+key,
		"--service-cluster-ip-range=10.96.0.0/16", "--authorization-mode=RBAC", "--profiling=false",
		// No controller is there to remove the finalizer of a claim.
		"--disable-admission-plugins=StorageObjectInUseProtection")
	if s.admin == nil {
		s.admin = s.as(t, "", "default")
	}
	ready := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := s.admin.core.Get().AbsPath("/readyz").DoRaw(ctx)
		return err
	}
	var err error
	for begin := time.Now(); time.Since(begin) < 2*time.Minute; time.Sleep(50 * time.Millisecond) {
		if err = ready(); err == nil {
			return
		}
	}
	t.Fatalf("the API server is not ready: %v\n%s", err, s.said.String())
}

// kill kills the API server at once, as a crash would.
func (s *apiServer) kill() {
	if s.server != nil {
		_ = s.server.Process.Kill()
		_ = s.server.Wait()
		s.server = nil
	}
}

func (s *apiServer) start(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(filepath.Join(s.programs, name), args...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = &s.said, &s.said, s.dir
	// They must not outlive a test that is killed.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// secrets writes the key of service accounts and the administrator's token.
func (s *apiServer) secrets(t *testing.T) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"sa.key":     pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}),
		"tokens.csv": []byte(adminToken + ",admin,admin,system:masters\n"),
		"kubeconfig": fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: "https://127.0.0.1:%d", insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: %s}}]
contexts: [{name: test, context: {cluster: test, user: admin}}]
current-context: test
`, s.port, adminToken),
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// as returns a client for a user in a namespace; the user "" is the administrator.
func (s *apiServer) as(t *testing.T, user, namespace string) *Client {
	t.Helper()
	c := &Client{Namespace: namespace, Context: "test"}
	config := &rest.Config{Host: fmt.Sprintf("https://127.0.0.1:%d", s.port), BearerToken: adminToken, TLSClientConfig: rest.TLSClientConfig{Insecure: true},
		Impersonate: rest.ImpersonationConfig{UserName: user}}
	quiet()
	if err := c.connect(config); err != nil {
		t.Fatal(err)
	}
	return c
}

// object is an arbitrary API object.
type object map[string]any

// make creates objects as the administrator, at a path such as
// /api/v1/namespaces/n/pods.
func (s *apiServer) make(t *testing.T, path string, objects ...object) {
	t.Helper()
	for _, o := range objects {
		if err := s.ask(t, "POST", path, "application/json", o); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
}

// ask sends an object as the administrator.
func (s *apiServer) ask(t *testing.T, verb, path, kind string, o object) error {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err = s.admin.core.Verb(verb).AbsPath(path).SetHeader("Content-Type", kind).Body(data).DoRaw(ctx)
	return err
}

// namespace makes a namespace with labels and, in it, the default service account, which a
// controller would make.
func (s *apiServer) namespace(t *testing.T, name string, labels map[string]string) {
	t.Helper()
	s.make(t, "/api/v1/namespaces", object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": name, "labels": labels}})
	s.make(t, "/api/v1/namespaces/"+name+"/serviceaccounts", object{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": object{"name": "default"}})
}

// kubectl runs kubectl as the administrator and returns its output.
func (s *apiServer) kubectl(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(filepath.Join(s.programs, "kubectl"), append([]string{"--kubeconfig", filepath.Join(s.dir, "kubeconfig"), "--cache-dir", filepath.Join(s.dir, "cache")}, args...)...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func freePorts(t *testing.T, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}
