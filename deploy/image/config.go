package main

// config is the configuration of an image, in addition to its files.
type config struct {
	name       string
	user       string
	workdir    string
	entrypoint []string
}

// The two images: the same files with two configurations. The plain one is
// loadline and runs as an unprivileged user. Kbench's manifests specify neither a
// command for the benchmark nor a user, and expect to write to a volume that
// belongs to root and to open raw devices, as Kbench's own image does.
var (
	plain  = config{name: "loadline", user: "65532:65532", workdir: "/fio", entrypoint: []string{"/usr/bin/loadline"}}
	kbench = config{name: "loadline-kbench", user: "0:0", workdir: "/fio", entrypoint: []string{"bash", "/fio/run.sh"}}
)

// searchPath is PATH in both images.
const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// own are our programs: all of Loadline, and the small one that the pods of a
// measurement run, which costs 4 MB here and saves each of them 19 MB of memory.
var own = []string{"loadline", "loadline-agent"}

// programs are taken from Debian, with the libraries that they need. blkid looks for
// signatures before anything is overwritten.
var programs = []string{"usr/bin/fio", "bin/bash", "usr/sbin/blkid"}

// busybox is one static program; applets are the names that it is called by:
// those that entry points, probes and users of kubectl exec need.
const busybox = "bin/busybox"

var applets = []string{"sh", "ls", "cat", "cp", "mv", "rm", "mkdir", "rmdir", "ln", "ps", "df", "du", "id", "env", "head", "tail",
	"grep", "sed", "awk", "kill", "date", "stat", "sleep", "sync", "test", "[", "true", "false", "find", "sort", "wc", "tar", "mount",
	"umount", "uname", "hostname", "top", "dd", "blockdev", "basename", "dirname", "readlink", "touch", "chmod", "printf", "echo", "xargs"}

// scripts are Kbench's entry points, one line each. What they do is
// documented with "loadline kbench".
var scripts = map[string]string{
	"fio/run.sh":                     "#!/bin/bash\nexec loadline kbench run --overwrite \"$@\"\n",
	"fio/cmp_run.sh":                 "#!/bin/bash\nexec loadline kbench compare --overwrite \"$@\"\n",
	"usr/local/sbin/metric-exporter": "#!/bin/sh\nexec loadline kbench exporter --listen-all \"$@\"\n",
}

// accounts are the users that the two configurations and "kubectl exec" name.
var accounts = map[string]string{
	"etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnonroot:x:65532:65532:nonroot:/tmp:/bin/sh\n",
	"etc/group":  "root:x:0:\ndisk:x:6:\nnonroot:x:65532:\n",
}

// directories with their modes. /fio is where Kbench's results go if no OUTPUT
// is given, so everyone may write there, but only owners may replace files.
var directories = map[string]int64{"tmp": 0o1777, "fio": 0o1777, "root": 0o700, "proc": 0o755, "sys": 0o755, "dev": 0o755, "volume": 0o1777, "test-result": 0o1777}
