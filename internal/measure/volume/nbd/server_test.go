package nbd_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/measure/volume/nbd"
	"github.com/loadline/loadline/internal/measure/volume/nbd/nbdtest"
)

const imageSize = 8 << 20

// servers lists the real servers that the client must work with; each function returns the URI of an
// empty writable export of imageSize bytes.
var servers = map[string]func(t testing.TB) string{
	"nbdkit": func(t testing.TB) string {
		return nbdtest.URI(nbdtest.Nbdkit(t, "memory", "8M"), "")
	},
	"nbdkit with blocks of 4 KiB": func(t testing.TB) string {
		return nbdtest.URI(nbdtest.Nbdkit(t, "--filter=blocksize-policy", "memory", "8M",
			"blocksize-minimum=4096", "blocksize-preferred=65536", "blocksize-maximum=128k", "blocksize-error-policy=error"), "any name")
	},
	"qemu-storage-daemon": func(t testing.TB) string {
		return nbdtest.URI(nbdtest.Qemu(t, image(t), "writable=on"), "vol")
	},
}

func image(t testing.TB) string {
	path := filepath.Join(t.TempDir(), "img")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, imageSize); err != nil {
		t.Fatal(err)
	}
	return path
}

func dial(t testing.TB, uri string) *nbd.Conn {
	t.Helper()
	c, err := nbd.Dial(t.Context(), uri)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestConformance(t *testing.T) {
	for name, start := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			uri := start(t)
			c := dial(t, uri)
			if c.Size != imageSize || c.Flags.Has(nbd.ReadOnly) || !c.Flags.Has(nbd.CanFlush|nbd.CanFUA) {
				t.Fatalf("size %d, flags %q", c.Size, c.Flags)
			}
			// Under random requests, the export must stay equal to a model of it in memory.
			want := make([]byte, imageSize)
			rng := rand.New(rand.NewPCG(1, 2))
			block := c.MinBlock
			for i := range 60 {
				at := rng.Int64N(imageSize/block) * block
				n := min(rng.Int64N(3<<20/block+1)*block, imageSize-at)
				p := make([]byte, n)
				if i%2 == 0 {
					for j := range p {
						p[j] = byte(rng.Uint32())
					}
					if err := c.Write(t.Context(), p, at, i%4 == 0); err != nil {
						t.Fatal(err)
					}
					copy(want[at:], p)
					continue
				}
				if err := c.Read(t.Context(), p, at); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(p, want[at:at+n]) {
					t.Fatalf("the %d bytes at %d are not what was written", n, at)
				}
			}
			if err := c.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			if err := c.Read(t.Context(), make([]byte, block), 0); err == nil {
				t.Error("a closed connection still reads")
			}
			got := make([]byte, imageSize)
			if err := dial(t, uri).Read(t.Context(), got, 0); err != nil || !bytes.Equal(got, want) {
				t.Errorf("a second connection does not see what the first wrote (%v)", err)
			}
		})
	}
}

func TestBlockSizesAreTold(t *testing.T) {
	c := dial(t, servers["nbdkit with blocks of 4 KiB"](t))
	if diff := cmp.Diff([]int64{4096, 65536, 128 << 10}, []int64{c.MinBlock, c.PreferredBlock, c.MaxBlock}); diff != "" {
		t.Error(diff)
	}
	if err := c.Read(t.Context(), make([]byte, 512), 0); err == nil {
		t.Error("half a block was read")
	}
	if err := c.Read(t.Context(), make([]byte, 4096), imageSize); err == nil {
		t.Error("a block behind the end was read")
	}
}

func TestReadOnlyExport(t *testing.T) {
	for name, uri := range map[string]string{
		"nbdkit": nbdtest.URI(nbdtest.Nbdkit(t, "-r", "memory", "1M"), ""),
		"qemu":   nbdtest.URI(nbdtest.Qemu(t, image(t), "writable=off"), "vol"),
	} {
		c := dial(t, uri)
		if !c.Flags.Has(nbd.ReadOnly) {
			t.Errorf("%s: flags %q lack read-only", name, c.Flags)
		}
		if err := c.Write(t.Context(), make([]byte, 512), 0, false); !errors.Is(err, nbd.ErrReadOnly) {
			t.Errorf("%s: writing gave %v", name, err)
		}
	}
}

func TestUnknownExportIsListed(t *testing.T) {
	uri := nbdtest.URI(nbdtest.Qemu(t, image(t), "writable=on"), "other")
	_, err := nbd.Dial(t.Context(), uri)
	var no *nbd.RefusedError
	if !errors.As(err, &no) || !no.Unknown || no.Words == "" {
		t.Fatalf("got %v", err)
	}
	if diff := cmp.Diff([]string{"vol"}, no.Exports); diff != "" {
		t.Error(diff)
	}
}

func TestTLSIsRefusedInWords(t *testing.T) {
	socket := nbdtest.Nbdkit(t, "--tls=require", "--tls-psk="+psk(t), "memory", "1M")
	_, err := nbd.Dial(t.Context(), nbdtest.URI(socket, ""))
	var no *nbd.RefusedError
	if !errors.As(err, &no) || !no.TLS {
		t.Fatalf("got %v", err)
	}
}

func psk(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "keys.psk")
	if err := os.WriteFile(path, []byte("user:00112233445566778899aabbccddeeff\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestServerErrorsKeepTheConnection(t *testing.T) {
	trigger := filepath.Join(t.TempDir(), "fail")
	c := dial(t, nbdtest.URI(nbdtest.Nbdkit(t, "--filter=error", "memory", "1M", "error-rate=100%", "error=ENOSPC", "error-file="+trigger), ""))
	if err := os.WriteFile(trigger, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := c.Write(t.Context(), make([]byte, 4096), 4096, false)
	var io *nbd.IOError
	if !errors.Is(err, syscall.ENOSPC) || !errors.As(err, &io) || io.Offset != 4096 || io.Op != "write" {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(trigger); err != nil {
		t.Fatal(err)
	}
	if err := c.Write(t.Context(), make([]byte, 4096), 4096, false); err != nil {
		t.Errorf("the connection is lost after an error reply: %v", err)
	}
}

func TestContextEndsARequest(t *testing.T) {
	c := dial(t, nbdtest.URI(nbdtest.Nbdkit(t, "--filter=delay", "memory", "1M", "rdelay=30"), ""))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.Read(ctx, make([]byte, 4096), 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	if err := c.Write(t.Context(), make([]byte, 4096), 0, false); err == nil {
		t.Error("a connection that is out of step was used again")
	}
}
