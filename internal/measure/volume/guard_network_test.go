//go:build linux

package volume

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/env/envtest"
	"github.com/loadline/loadline/internal/measure/volume/nbd/nbdtest"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
	"github.com/loadline/loadline/internal/model/safetext"
)

func TestProbeNBD(t *testing.T) {
	uri := nbdtest.URI(nbdtest.Nbdkit(t, "memory", "64M"), "")
	s := probe(t, uri)
	if s.DeviceSize != 64<<20 || s.ReadOnly || s.NoFlush || s.Memory || s.Direct != nil || !strings.Contains(s.Server, "flush fua") || !strings.Contains(s.Server, "multi-conn") {
		t.Errorf("%+v", s)
	}
	if c := Capacity(s, parse(t, uri), true); c != 64<<20 {
		t.Errorf("capacity %d", c)
	}
	if s := probe(t, nbdtest.URI(nbdtest.Nbdkit(t, "-r", "memory", "1M"), "")); !s.ReadOnly {
		t.Errorf("%+v", s)
	}
	if s := probe(t, nbdtest.URI(nbdtest.Nbdkit(t, "eval", "get_size=echo 1048576", "pread=exit 1"), "")); !s.NoFlush {
		t.Errorf("an export without flush: %+v", s)
	}
}

func TestNBDRefusals(t *testing.T) {
	socket := nbdtest.Qemu(t, image(t, t.TempDir(), 1<<20), "writable=on")
	dead := filepath.Join(t.TempDir(), "dead")
	if err := os.WriteFile(dead, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		uri   string
		words []string
	}{
		{nbdtest.URI(socket, "nope"), []string{`does not know the export "nope"`, `has these exports: "vol"`}},
		{nbdtest.URI(dead+"er", ""), []string{"nothing listens", "no such socket"}},
		{nbdtest.URI(dead, ""), []string{"nothing listens", "refused"}},
		{"nbd://127.0.0.1:1/x", []string{"nothing listens", "refused"}},
		{nbdtest.URI(nbdtest.Nbdkit(t, "memory", "0"), ""), []string{"is empty"}},
	} {
		_, err := Probe(t.Context(), env.OS(), parse(t, c.uri))
		modeltest.Refused(t, err, c.words...)
	}
}

func TestGuardNBD(t *testing.T) {
	for name, sig := range signatures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := image(t, t.TempDir(), 32<<20)
			sig.make(t, file)
			uri := nbdtest.URI(nbdtest.Qemu(t, file, "writable=on"), "vol")
			modeltest.Refused(t, Guard(t.Context(), env.OS(), parse(t, uri), uri), sig.want, "refused even with")
		})
	}
	t.Run("empty", func(t *testing.T) {
		// An odd size, and blocks that do not divide the offsets to be read.
		uri := nbdtest.URI(nbdtest.Nbdkit(t, "--filter=blocksize-policy", "memory", "33619968",
			"blocksize-minimum=65536", "blocksize-preferred=65536", "blocksize-maximum=65536"), "")
		tg := parse(t, uri)
		if err := Guard(t.Context(), env.OS(), tg, uri); err != nil {
			t.Error(err)
		}
		modeltest.Refused(t, Guard(t.Context(), env.OS(), tg, ""), "--destroy-data-on "+safetext.ShellWord(uri))
	})
	t.Run("unreadable", func(t *testing.T) {
		uri := nbdtest.URI(nbdtest.Nbdkit(t, "--filter=error", "memory", "1M", "error-pread-rate=100%", "error-pread=EIO"), "")
		modeltest.Refused(t, Guard(t.Context(), env.OS(), parse(t, uri), uri), "could not be checked", "input/output error")
	})
	t.Run("read-only", func(t *testing.T) {
		uri := nbdtest.URI(nbdtest.Nbdkit(t, "-r", "memory", "1M"), "")
		modeltest.Refused(t, Guard(t.Context(), env.OS(), parse(t, uri), uri), "is read-only")
	})
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), Prefix+"ends-*")); len(left) > 0 {
		t.Logf("still there, perhaps another test's: %v", left)
	}
}

// fakeCeph returns an environment whose rbd is a shell script.
func fakeCeph(t *testing.T, script string) *env.Env {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rbd")
	envtest.Program(t, path, "#!/bin/sh\n"+script)
	e := env.OS()
	e.LookPath = func(name string) (string, error) {
		if name == "rbd" {
			return path, nil
		}
		return exec.LookPath(name)
	}
	e.Command = func(ctx context.Context, name string, args ...string) *exec.Cmd {
		if name == "rbd" {
			name = path
		}
		return exec.CommandContext(ctx, name, args...)
	}
	return e
}

func TestRBD(t *testing.T) {
	file := image(t, t.TempDir(), 32<<20)
	tg := parse(t, "rbd:pool/vol")
	info := fmt.Sprintf(`case "$1" in
info) [ "$2 $3 $4" = "--format json pool/vol" ] && echo '{"name":"vol","size":%d,"object_size":4194304,"features":["layering","exclusive-lock"]}' ;;
export) cat %s ;;
`, 32<<20, file)
	free := fakeCeph(t, info+`status) echo '{"watchers":[]}' ;; esac`)
	s, err := Probe(t.Context(), free, tg)
	if err != nil || s.DeviceSize != 32<<20 || !strings.Contains(s.Server, "4 MiB") || !strings.Contains(s.Server, "exclusive-lock") {
		t.Errorf("%+v, %v", s, err)
	}
	modeltest.Refused(t, Guard(t.Context(), free, tg, ""), "--destroy-data-on rbd:pool/vol")
	if err := Guard(t.Context(), free, tg, "rbd:pool/vol"); err != nil {
		t.Error(err)
	}
	// With another user in the target, every rbd command runs as that user.
	asked := fakeCeph(t, `for last; do :; done; [ "$last" = bench ] || { echo "rbd: asked as $*" >&2; exit 1; }
`+info+`status) echo '{"watchers":[]}' ;; esac`)
	if other := parse(t, "rbd:pool/vol:id=bench"); Guard(t.Context(), asked, other, other.Name) != nil {
		t.Error(Guard(t.Context(), asked, other, other.Name))
	}
	modeltest.Refused(t, Guard(t.Context(), asked, tg, tg.Name), "asked as info")
	watched := fakeCeph(t, info+`status) echo '{"watchers":[{"address":"10.0.0.7:0/1","client":4,"cookie":1}]}' ;; esac`)
	modeltest.Refused(t, Guard(t.Context(), watched, tg, tg.Name), "is in use by 10.0.0.7:0/1")

	run(t, "mkfs.ext4", "-q", "-F", file)
	modeltest.Refused(t, Guard(t.Context(), free, tg, tg.Name), "carries an ext4 filesystem")

	_, err = Probe(t.Context(), fakeCeph(t, "echo 'rbd: no cluster!' >&2; echo '2026-11-21 7f28 -1 monclient: noise' >&2; exit 2"), tg)
	modeltest.Refused(t, err, "says: no cluster!", "ceph -s")
	_, err = Probe(t.Context(), fakeCeph(t, "echo 2026 noise >&2; echo 'rbd: error opening image vol: (2) No such file or directory' >&2; exit 2"), tg)
	modeltest.Refused(t, err, "error opening image vol: (2) No such file or directory")

	e := env.OS()
	e.LookPath = func(string) (string, error) { return "", exec.ErrNotFound }
	_, err = Probe(t.Context(), e, tg)
	modeltest.Refused(t, err, "rbd is not installed", "apt-get install ceph-common")
	if _, ok := err.(*model.WorkerError); !ok {
		t.Errorf("got %T", err)
	}
}
