package main

import (
	"bytes"
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	containers "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/loadline/loadline/test/lab"
)

// inMemory starts a registry on loopback; its address is host:port.
func inMemory(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// small returns an image of an architecture with one file in it.
func small(t *testing.T, arch string) made {
	t.Helper()
	files := tree{"etc": {dir: true, mode: 0o755}, "etc/arch": {text: arch, mode: 0o644}, "usr/share/doc/loadline/licenses": {text: "Apache-2.0\n", mode: 0o644}}
	layer, err := layerOf(files)
	if err != nil {
		t.Fatal(err)
	}
	image, err := imageOf(files, plain, arch, layer)
	if err != nil {
		t.Fatal(err)
	}
	return made{arch: arch, licences: files.licences(), image: image}
}

// pulled returns the architectures that a registry has under a name, and the program that each runs.
func pulled(t *testing.T, reference string) map[string]string {
	t.Helper()
	ref, err := name.ParseReference(reference)
	if err != nil {
		t.Fatal(err)
	}
	index, err := remote.Index(ref)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, d := range manifest.Manifests {
		// This is what a node of that architecture would get.
		image, err := remote.Image(ref, remote.WithPlatform(containers.Platform{OS: "linux", Architecture: d.Platform.Architecture}))
		if err != nil {
			t.Fatal(err)
		}
		config, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if layers, err := image.Layers(); err != nil || len(layers) != 1 || config.Architecture != d.Platform.Architecture {
			t.Errorf("%s has %d layers (%v), and is for %s", d.Platform, len(layers), err, config.Architecture)
		}
		found[d.Platform.Architecture] = strings.Join(config.Config.Entrypoint, " ")
	}
	return found
}

func TestPushedImagesArePulledByArchitecture(t *testing.T) {
	to, err := destination(inMemory(t)+"/storage/loadline", "v1.2.3-4-gabcdef+dirty")
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	reference, err := push(context.Background(), to, []made{small(t, "amd64"), small(t, "arm64")}, &said)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(reference, "/storage/loadline:v1.2.3-4-gabcdef-dirty@sha256:") {
		t.Errorf("it was pushed as %s", reference)
	}
	want := map[string]string{"amd64": "/usr/bin/loadline", "arm64": "/usr/bin/loadline"}
	tag, _, _ := strings.Cut(reference, "@")
	for _, ref := range []string{tag, to.Repository.Name() + reference[strings.Index(reference, "@"):]} {
		if diff := cmp.Diff(want, pulled(t, ref)); diff != "" {
			t.Errorf("%s: %s", ref, diff)
		}
	}
}

func TestARefusedPushSaysWhatToDo(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer server.Close()
	to, err := destination(strings.TrimPrefix(server.URL, "http://")+"/loadline:mine", "x")
	if err != nil || to.TagStr() != "mine" {
		t.Fatal(err, to)
	}
	if _, err = push(context.Background(), to, []made{small(t, "amd64")}, io.Discard); err == nil || !strings.Contains(err.Error(), "docker login") {
		t.Errorf("a registry that refuses: %v", err)
	}
	for _, bad := range []string{"loadline", "UPPER.example/Loadline", "registry.example/a b", ""} {
		if to, err := destination(bad, "v1"); err == nil {
			t.Errorf("%q is taken for %s", bad, to)
		}
	}
}

// All architectures are built from source into archives with names of their own, so what says otherwise is refused.
func TestEveryNamesItsOwnFiles(t *testing.T) {
	for _, other := range []string{"-bin", "-rootfs", "-o"} {
		dir := t.TempDir()
		err := run([]string{"-every", filepath.Join(dir, "all"), other, filepath.Join(dir, "x")}, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "leave out -bin, -rootfs and -o") {
			t.Errorf("%s: %v", other, err)
		}
		if made, err := os.ReadDir(dir); err != nil || len(made) > 0 {
			t.Errorf("%s: %v, %v", other, made, err)
		}
	}
}

// "make image PUSH=…" from end to end: Debian's packages of the other architecture are
// unpacked, both images are built, written and pushed.
func TestEveryArchitectureIsBuiltAndPushed(t *testing.T) {
	if os.Getenv("LOADLINE_LONG") == "" {
		t.Skip("skipped: it unpacks a Debian of the other architecture, which takes a minute; LOADLINE_LONG=1 does it, as does make perf")
	}
	lab.Need(t, "fio", "bash", "busybox", "apt-get", "dpkg-deb")
	dir, host := t.TempDir(), inMemory(t)
	var said bytes.Buffer
	if err := run([]string{"-every", dir, "-version", "tested", "-push", host + "/loadline"}, &said); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	want := map[string]string{"amd64": "/usr/bin/loadline", "arm64": "/usr/bin/loadline"}
	if diff := cmp.Diff(want, pulled(t, host+"/loadline:tested")); diff != "" {
		t.Error(diff)
	}
	for _, arch := range architectures {
		if info, err := os.Stat(filepath.Join(dir, "loadline-"+arch+".tar")); err != nil || info.Size() < 20<<20 {
			t.Errorf("the archive for %s: %v, %v", arch, info, err)
		}
	}
	if !strings.Contains(said.String(), "LOADLINE_IMAGE="+host+"/loadline:tested@sha256:") {
		t.Errorf("it does not say how to use it:\n%s", said.String())
	}
}
