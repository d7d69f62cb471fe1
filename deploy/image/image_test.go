package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/test/lab"
)

// compiled returns our own programs, built once for all tests.
var compiled = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "loadline-image-test-")
	if err != nil {
		return "", err
	}
	return dir, compile(dir, runtime.GOARCH, "tested")
})

func TestMain(m *testing.M) {
	lab.Share()
	code := m.Run()
	if dir, _ := compiled(); dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// built returns the tree of the image for this machine.
func built(t *testing.T) tree {
	t.Helper()
	lab.Need(t, "fio", "bash")
	if out, err := exec.Command("busybox", "true").CombinedOutput(); err != nil {
		lab.Unavailable(t, "busybox does not run (%v %s): apt-get install busybox-static", err, out)
	}
	bin, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	all, err := gather("/", runtime.GOARCH, bin, "tested")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The loader itself reports which libraries fio needs; none may be missing.
func TestAllLibrariesAreFound(t *testing.T) {
	all := built(t)
	out, err := exec.Command("ldd", "/usr/bin/fio").Output()
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for name := range all {
		have[filepath.Base(name)] = true
	}
	libraries := regexp.MustCompile(`(?m)^\s*(?:\S+ => )?(/\S+)`).FindAllStringSubmatch(string(out), -1)
	if len(libraries) < 3 {
		t.Fatalf("ldd says too little: %s", out)
	}
	for _, l := range libraries {
		if !have[filepath.Base(l[1])] {
			t.Errorf("the image has no %s", l[1])
		}
	}
}

// The archive is unpacked as an engine would do it, and its programs run in it.
func TestArchiveRuns(t *testing.T) {
	all := built(t)
	var first, again bytes.Buffer
	if err := errors.Join(writeArchive(&first, all, plain, runtime.GOARCH, "loadline:e2e"), writeArchive(&again, all, plain, runtime.GOARCH, "loadline:e2e")); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), again.Bytes()) {
		t.Error("the same files give two different images")
	}
	root := t.TempDir()
	unpack(t, first.Bytes(), root)
	if os.Geteuid() != 0 {
		lab.Unavailable(t, "only root can enter the image's files")
	}
	for command, want := range map[string]string{
		"/usr/bin/loadline --version":                "loadline tested",
		"/usr/bin/loadline-agent --version":          "loadline-agent tested",
		"/usr/bin/fio --version":                     "fio-3",
		"/bin/bash -c set":                           "BASH_VERSION",
		"/bin/bash /fio/run.sh":                      "FILE_NAME",
		"/bin/bash /fio/cmp_run.sh":                  "FIRST_VOL_NAME",
		"/bin/sh -c metric-exporter -d start --help": "DATA_DIR",
		"/bin/sh -c [ \"$(ls -A /fio)\" ] && id":     "uid=65532",
	} {
		args := strings.SplitN(command, " ", 3)
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = "/fio", []string{"PATH=" + searchPath}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		out, err := cmd.CombinedOutput()
		// An entry point without its variables ends with 1 and reports which one is missing.
		failed := err != nil && !strings.Contains(command, "run.sh")
		if failed || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %q does not hold %q", command, err, out, want)
		}
	}
}

// Kbench's entry point measures in the image's files, as an unprivileged user.
func TestEntryPointMeasures(t *testing.T) {
	lab.Need(t, "unshare")
	all := built(t)
	lab.Lock(t)
	root := filepath.Join(t.TempDir(), "root")
	if err := all.lay(root); err != nil {
		t.Fatal(err)
	}
	// The mounts are those of a container, and end with their namespace.
	if out, err := exec.Command("unshare", "--mount", "true").CombinedOutput(); err != nil {
		lab.Unavailable(t, "no mounts of one's own: %v %s", err, out)
	}
	cmd := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c", `mount --bind /dev "$1/dev" && mount --bind /proc "$1/proc" && mount --bind /sys "$1/sys" &&
cd / && exec chroot --userspec=65532:65532 "$1" /bin/env -i PATH="$2" HOME=/tmp MODE=random-read-iops RATE_IOPS=100 SIZE=32M FILE_NAME=/volume/test OUTPUT=/test-result/device \
/bin/bash /fio/run.sh "" "" "" --time 1s --ramp-time 200ms`, "sh", root, searchPath)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "FIO Benchmark Summary\nFor: /test-result/device\n") {
		t.Errorf("%v: %s", err, out)
	}
	for _, file := range []string{"device-iops.json", "device-report.json", "device.summary"} {
		if info, err := os.Stat(filepath.Join(root, "test-result", file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(root, "volume")); err != nil || len(left) > 0 {
		t.Errorf("left on the volume: %v %v", left, err)
	}
}

// descriptor is what the test reads of a descriptor of the OCI image layout.
type descriptor struct {
	Digest      string
	Annotations map[string]string
}

func blobPath(digest string) string { return "blobs/sha256/" + strings.TrimPrefix(digest, "sha256:") }

// unpack checks every digest of the archive and unpacks its layer into root.
func unpack(t *testing.T, data []byte, root string) {
	t.Helper()
	files := map[string][]byte{}
	each(t, bytes.NewReader(data), func(h *tar.Header, content []byte) { files[h.Name] = content })
	for name, content := range files {
		if sum := sha256.Sum256(content); strings.HasPrefix(name, "blobs/") && filepath.Base(name) != hex.EncodeToString(sum[:]) {
			t.Errorf("%s is not named by its content", name)
		}
	}
	var index struct{ Manifests []descriptor }
	decode(t, files["index.json"], &index)
	if index.Manifests[0].Annotations["io.containerd.image.name"] != "docker.io/library/loadline:e2e" {
		t.Errorf("annotations %v", index.Manifests[0].Annotations)
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	decode(t, files[blobPath(index.Manifests[0].Digest)], &manifest)
	var docker []struct {
		Config           string
		RepoTags, Layers []string
	}
	decode(t, files["manifest.json"], &docker)
	if diff := cmp.Diff([]string{blobPath(manifest.Config.Digest), "loadline:e2e", blobPath(manifest.Layers[0].Digest)},
		[]string{docker[0].Config, docker[0].RepoTags[0], docker[0].Layers[0]}); diff != "" {
		t.Errorf("the two forms of the archive differ: %s", diff)
	}
	var image struct {
		Architecture string
		Rootfs       struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	decode(t, files[docker[0].Config], &image)
	zip, err := gzip.NewReader(bytes.NewReader(files[docker[0].Layers[0]]))
	if err != nil {
		t.Fatal(err)
	}
	layer, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(layer); image.Rootfs.DiffIDs[0] != "sha256:"+hex.EncodeToString(sum[:]) || image.Architecture != runtime.GOARCH {
		t.Errorf("the configuration does not fit its layer: %+v", image)
	}
	each(t, bytes.NewReader(layer), func(h *tar.Header, content []byte) {
		to := filepath.Join(root, h.Name)
		var err error
		switch h.Typeflag {
		case tar.TypeDir:
			err = errors.Join(os.Mkdir(to, 0o755), os.Chmod(to, fileMode(h.Mode)))
		case tar.TypeSymlink:
			err = os.Symlink(h.Linkname, to)
		default:
			err = errors.Join(os.WriteFile(to, content, 0o644), os.Chmod(to, fileMode(h.Mode)))
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

// each calls visit for all entries of a tar.
func each(t *testing.T, r io.Reader, visit func(*tar.Header, []byte)) {
	t.Helper()
	for entries := tar.NewReader(r); ; {
		h, err := entries.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(entries)
		if err != nil {
			t.Fatal(err)
		}
		visit(h, content)
	}
}

func decode(t *testing.T, data []byte, to any) {
	t.Helper()
	if err := json.Unmarshal(data, to); err != nil {
		t.Fatalf("%v in %q", err, data)
	}
}

// The Dockerfile and the archive must give the same image.
func TestDockerfileSaysTheSame(t *testing.T) {
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	stages := strings.Split(string(text), "\nFROM scratch AS ")
	for _, c := range []config{plain, kbench} {
		i := slices.IndexFunc(stages, func(s string) bool { return strings.HasPrefix(s, c.stage()+"\n") })
		if i < 0 {
			t.Errorf("there is no stage %s", c.stage())
			continue
		}
		entry, err := json.Marshal(c.entrypoint)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"USER " + c.user, "WORKDIR " + c.workdir, "ENTRYPOINT " + strings.ReplaceAll(string(entry), ",", ", "), "ENV PATH=" + searchPath + " HOME=/tmp"} {
			if !slices.Contains(strings.Split(stages[i], "\n"), line) {
				t.Errorf("stage %s of the Dockerfile has no line %q", c.stage(), line)
			}
		}
	}
}

func TestNamesAreThoseOfKubernetes(t *testing.T) {
	for name, want := range map[string][2]string{
		"loadline":                      {"docker.io/library/loadline:latest", "latest"},
		"loadline:e2e":                  {"docker.io/library/loadline:e2e", "e2e"},
		"team/loadline:1":               {"docker.io/team/loadline:1", "1"},
		"localhost/loadline:1":          {"localhost/loadline:1", "1"},
		"registry.example:5000/l":       {"registry.example:5000/l:latest", "latest"},
		"registry.example/a/loadline:v": {"registry.example/a/loadline:v", "v"},
	} {
		tag, err := parseTag(name)
		if got := [2]string{canonical(tag), tag.TagStr()}; err != nil || got != want {
			t.Errorf("%s: %v (%v), want %v", name, got, err, want)
		}
	}
}

func TestWhatCannotBeBuiltIsRefused(t *testing.T) {
	bin, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	other := map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
	for _, c := range []struct{ name, root, arch, want string }{
		{"empty root", t.TempDir(), runtime.GOARCH, "install fio"},
		{"other architecture", "/", other, "-root"},
		{"unknown architecture", "/", "mips", "amd64 and arm64"},
	} {
		lab.Need(t, "fio")
		if _, err := gather(c.root, c.arch, bin, "tested"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v does not tell %q", c.name, err, c.want)
		}
	}
	alone := t.TempDir()
	if err := os.Link(filepath.Join(bin, "loadline"), filepath.Join(alone, "loadline")); err != nil {
		t.Fatal(err)
	}
	if _, err := gather("/", runtime.GOARCH, alone, "tested"); err == nil || !strings.Contains(err.Error(), "holds no loadline-agent") {
		t.Errorf("an image without the pods' program: %v", err)
	}
	for _, args := range [][]string{{}, {"-o", "a", "-rootfs", "b"}, {"-o", "a", "more"}, {"-o", "a", "-name", "Loadline:1:2"}} {
		if err := run(args, io.Discard); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}

// No image is called "latest": the meaning of a name must not change during a measurement.
func TestDefaultNameIsThatOfTheVersion(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "v1.2.3", "v1.2.3-4-gabcdef0-dirty": "v1.2.3-4-gabcdef0-dirty", "1.2.3+build 7": "1.2.3-build-7", "ü": "-"} {
		if got := tagFor(version); got != want {
			t.Errorf("the tag of %s is %s, want %s", version, got, want)
		}
	}
	for _, c := range []config{plain, kbench} {
		if strings.Contains(c.name, ":") {
			t.Errorf("%s has a tag of its own", c.name)
		}
	}
}

// stage returns the image's stage in the Dockerfile.
func (c config) stage() string {
	if c.user == kbench.user {
		return "kbench"
	}
	return "plain"
}
