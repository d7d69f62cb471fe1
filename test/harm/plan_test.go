package harm

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/loadline/loadline/test/lab"
)

// brief keeps a run short that should have been refused.
var brief = []string{"--profile", "quick", "--max-time", "5s"}

// filesystem makes a small filesystem on a loop device and mounts it.
func filesystem(t *testing.T, size int64, options string) (device, dir string) {
	t.Helper()
	device = fresh(t, size)
	mkfs := exec.Command("mkfs.ext4", "-q", "-F", device)
	if out, err := mkfs.CombinedOutput(); err != nil {
		t.Skipf("mkfs.ext4: %v: %s (apt install e2fsprogs)", err, out)
	}
	dir = t.TempDir()
	if out, err := exec.Command("mount", "-o", options, device, dir).CombinedOutput(); err != nil {
		t.Skipf("mount: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount %s: %v: %s", dir, err, out)
		}
	})
	return device, dir
}

// fresh returns a loop device of that many zeros.
func fresh(t *testing.T, size int64) string {
	t.Helper()
	return lab.Loop(t, zeros(t, filepath.Join(t.TempDir(), "image"), size))
}

// Plan refuses what run refuses, in the same words, and writes nothing to find out.
func TestPlanRefusesWhatRunRefuses(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "precious.img", "bad.yaml", "bad.fio")
	for name, words := range map[string]string{"bad.yaml": "workloads:\n  - name: x\n    bsize: 4k\n", "bad.fio": "[x]\nrw=randread\nexec_prerun=rm -rf /\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(words), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	image := filepath.Join(dir, "precious.img")
	if err := os.Truncate(image, 64<<20); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.Symlink("nowhere", filepath.Join(dir, "dangling")), os.Mkdir(filepath.Join(dir, "data"), 0o700), exec.Command("mkfifo", filepath.Join(dir, "pipe")).Run()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	device, mounted := filesystem(t, 64<<20, "rw")
	_, readOnly := filesystem(t, 32<<20, "ro")
	_, full := filesystem(t, 16<<20, "rw")
	filler, err := os.Create(filepath.Join(full, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	for block := make([]byte, 1<<20); err == nil; {
		_, err = filler.Write(block)
	}
	filler.Close()
	signed := fresh(t, 32<<20)
	if out, err := exec.Command("mkswap", signed).CombinedOutput(); err != nil {
		t.Skipf("mkswap: %v: %s (apt install util-linux)", err, out)
	}
	data := filepath.Join(dir, "data")
	cases := map[string][]string{
		"existing file":            {image},
		"file not named":           {image, "--destroy-data-on", filepath.Join(dir, "other")},
		"mounted device":           {device},
		"mounted device, named":    {device, "--destroy-data-on", device},
		"signature":                {signed, "--destroy-data-on", signed},
		"missing path":             {filepath.Join(dir, "none")},
		"missing directory":        {filepath.Join(dir, "no/such/dir")},
		"missing directory, slash": {filepath.Join(dir, "none") + "/"},
		"no device":                {"/dev/nosuchdisk"},
		"character device":         {"/dev/null"},
		"pipe":                     {filepath.Join(dir, "pipe")},
		"dangling link":            {filepath.Join(dir, "dangling")},
		"kernel's view":            {"/proc"},
		"kernel's view, deeper":    {"/sys/kernel"},
		"read-only":                {readOnly},
		"full":                     {full},
		// On a disk of its own, whose free space others do not change between the two.
		"too large":              {mounted, "--size", "900TiB"},
		"too small":              {data, "--size", "4k"},
		"larger than the volume": {mounted, "--size", "1GiB"},
		"no size":                {data, "--size", "lots"},
		"profile":                {data, "--profile", "quik"},
		"own profile":            {data, "--profile", filepath.Join(dir, "bad.yaml")},
		"own job":                {data, "--job", filepath.Join(dir, "bad.fio")},
		"workload":               {data, "--only", "rand-raed"},
		"goal":                   {data, "--goal", "rand-read-iops iops > lots"},
		"goal of no workload":    {data, "--goal", "rand-raed iops > 5"},
		"precision":              {data, "--precision", "200%"},
		"time":                   {data, "--time", "5s", "--until-steady"},
		"NBD":                    {"nbd+unix:///x?socket=" + filepath.Join(dir, "nobody")},
		"NBD URI":                {"nbd:localhost"},
		"no scheme":              {"iscsi://host/x"},
		"flag":                   {data, "--no-such-flag"},
	}
	trees := []string{dir, mounted, full}
	var before []map[string]string
	for _, tree := range trees {
		before = append(before, snapshot(t, tree))
	}
	check := func(t *testing.T) {
		t.Helper()
		for i, tree := range trees {
			unharmed(t, tree, before[i])
		}
	}
	for name, args := range cases {
		t.Run(name, func(t *testing.T) {
			planned := loadline(t, append(append([]string{"plan"}, brief...), args...)...)
			check(t)
			ran := loadline(t, append(append([]string{"run"}, brief...), args...)...)
			check(t)
			if ran.code != 2 || planned.code != ran.code {
				t.Errorf("run ends with code %d, plan with %d, want 2", ran.code, planned.code)
			}
			if a, b := sentence(ran), sentence(planned); a != b {
				t.Errorf("run says\n%s\nand plan\n%s", a, b)
			}
		})
	}
	t.Run("no fio", func(t *testing.T) {
		t.Setenv("PATH", filepath.Join(dir, "data"))
		planned, ran := loadline(t, "plan", data), loadline(t, append([]string{"run", data}, brief...)...)
		if ran.code == 0 || planned.code != ran.code || sentence(planned) != sentence(ran) {
			t.Errorf("run: %d %s\nplan: %d %s", ran.code, sentence(ran), planned.code, sentence(planned))
		}
		check(t)
	})
	t.Run("no permission", func(t *testing.T) {
		// Run as the user nobody, who may read the directory but not write there.
		free := "/var"
		planned, ran := asNobody(t, "plan", free), asNobody(t, append([]string{"run", free}, brief...)...)
		if ran.code != 2 || planned.code != 2 || sentence(planned) != sentence(ran) {
			t.Errorf("run: %d %s\nplan: %d %s", ran.code, sentence(ran), planned.code, sentence(planned))
		}
		// A plan has no results. Where they cannot be saved, nothing is written to the target either.
		own := filepath.Join(public(t), "own")
		ran = asNobody(t, append([]string{"run", own, "--create", "--results", "/var/results"}, brief...)...)
		if ran.code != 2 || !strings.Contains(sentence(ran), "the folder for results cannot be used: /var/results: permission denied") {
			t.Errorf("%d %s", ran.code, sentence(ran))
		}
		if _, err := os.Lstat(own); err == nil {
			t.Errorf("%s was made", own)
		}
	})
}

// public makes a directory that every user may write to.
func public(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "loadline-public-")
	if err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		err = os.Chmod(dir, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// sentence returns what a command printed on standard error, without its own name.
func sentence(o outcome) string {
	var kept []string
	for _, l := range strings.Split(o.stderr, "\n") {
		if strings.HasPrefix(l, "loadline: ") || strings.HasPrefix(l, "  next: ") {
			// The free space differs from moment to moment.
			l = regexp.MustCompile(`--size \d+`).ReplaceAllString(l, "--size N")
			kept = append(kept, regexp.MustCompile(`loadline (plan|run)`).ReplaceAllString(l, "loadline VERB"))
		}
	}
	return strings.Join(kept, "\n")
}

// asNobody runs a command as a user without rights.
func asNobody(t *testing.T, args ...string) outcome {
	t.Helper()
	copied := filepath.Join("/tmp", filepath.Base(filepath.Dir(program))+"-public")
	if err := exec.Command("install", "-m", "755", program, copied).Run(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(copied) })
	cmd := exec.Command("setpriv", append([]string{"--reuid=65534", "--regid=65534", "--clear-groups", copied}, args...)...)
	cmd.Dir = public(t)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Skipf("setpriv: %v (apt install util-linux)", err)
	}
	return outcome{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
}

// Both plan and run warn about memory before measuring.
func TestMemoryIsSaidBefore(t *testing.T) {
	const warning = "this is memory: the volume is in tmpfs"
	if _, err := os.Stat("/dev/shm"); err != nil {
		t.Skip("no tmpfs at /dev/shm: mount -t tmpfs tmpfs /dev/shm")
	}
	dir := otherDisk(t)
	if o := loadline(t, "plan", dir); o.code != 0 || !strings.Contains(o.stdout, "warning "+warning) {
		t.Errorf("plan ends with code %d and does not warn", o.code)
	}
	o := loadline(t, "run", dir, "--profile", "quick", "--only", "rand-read-iops", "--size", "16M", "--time", "1s")
	head, _, _ := strings.Cut(o.stderr, "1/1")
	if o.code != 5 || !strings.Contains(head, "warning "+warning) {
		t.Errorf("run ends with code %d and does not warn before it measures", o.code)
	}
	if o := loadline(t, "plan", t.TempDir()); strings.Contains(o.stdout, "this is memory") {
		t.Errorf("a directory on a disk is called memory")
	}
	if os.Geteuid() != 0 {
		return
	}
	t.Run("loop device on tmpfs", func(t *testing.T) {
		t.Setenv("TMPDIR", dir)
		if o := loadline(t, "plan", fresh(t, 32<<20), "--only", "rand-read-iops"); o.code != 0 || !strings.Contains(o.stdout, "warning this is memory") {
			t.Errorf("plan ends with code %d and does not warn", o.code)
		}
	})
}
