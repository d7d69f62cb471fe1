package target

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
)

// tree creates dir, dir/file, links to both, a dangling link, a pipe and a socket.
func tree(t *testing.T) string {
	t.Helper()
	// A socket's path must be short, and macOS's temporary directory is a symbolic link.
	root, err := os.MkdirTemp("", "t")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Mkdir(filepath.Join(root, "dir"), 0o700),
		os.WriteFile(filepath.Join(root, "dir/file"), []byte("x"), 0o600),
		os.WriteFile(filepath.Join(root, "a:b"), nil, 0o600),
		os.Symlink("dir", filepath.Join(root, "dirlink")),
		os.Symlink("dir/file", filepath.Join(root, "filelink")),
		os.Symlink("nowhere", filepath.Join(root, "dangling")),
		syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("unix", filepath.Join(root, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return root
}

func TestParsePaths(t *testing.T) {
	root := tree(t)
	t.Chdir(root)
	for name, want := range map[string]model.Target{
		"dir":                 {Kind: model.Directory, Path: root + "/dir"},
		"dir/":                {Kind: model.Directory, Path: root + "/dir"},
		"./dir/../dir":        {Kind: model.Directory, Path: root + "/dir"},
		root + "/dirlink":     {Kind: model.Directory, Path: root + "/dir", TypedPath: root + "/dirlink"},
		"dir/file":            {Kind: model.File, Path: root + "/dir/file"},
		"filelink":            {Kind: model.File, Path: root + "/dir/file", TypedPath: root + "/filelink"},
		"dirlink/new":         {Kind: model.File, Path: root + "/dir/new", TypedPath: root + "/dirlink/new"},
		"new.img":             {Kind: model.File, Path: root + "/new.img"},
		"a:b":                 {Kind: model.File, Path: root + "/a:b"},
		root + "/a:b":         {Kind: model.File, Path: root + "/a:b"},
		"./nbd:new":           {Kind: model.File, Path: root + "/nbd:new"},
		"./file with blanks ": {Kind: model.File, Path: root + "/file with blanks "},
		"word":                {Kind: model.File, Path: root + "/word"},
		root + "/word":        {Kind: model.File, Path: root + "/word"},
		"./word":              {Kind: model.File, Path: root + "/word"},
	} {
		want.Name = name
		got, err := Parse(name, Options{Create: true})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", name, err, diff)
		}
	}
}

func TestParseURIs(t *testing.T) {
	for name, want := range map[string]model.Target{
		"nbd+unix:///vol?socket=/run/s": {Kind: model.NBD, URI: "nbd+unix:///vol?socket=/run/s"},
		"nbd+unix:///?socket=/run/s":    {Kind: model.NBD, URI: "nbd+unix:///?socket=/run/s"},
		"nbd://localhost/vol":           {Kind: model.NBD, URI: "nbd://localhost/vol"},
		"nbd://[::1]:10810":             {Kind: model.NBD, URI: "nbd://[::1]:10810"},
		"rbd:pool/image":                {Kind: model.RBD, URI: "pool/image"},
		"rbd:pool/ns/image":             {Kind: model.RBD, URI: "pool/ns/image"},
		"rbd:pool/image:id=bench":       {Kind: model.RBD, URI: "pool/image", User: "bench"},
		"rbd:pool/ns/image:id=a.b-c":    {Kind: model.RBD, URI: "pool/ns/image", User: "a.b-c"},
		"sc:fast":                       {Kind: model.StorageClass, URI: "fast", Cluster: &model.ClusterVolume{Class: "fast"}},
		"SC:gold.v2?size=20Gi&mode=block&access=ReadWriteMany": {Kind: model.StorageClass, URI: "gold.v2?size=20Gi&mode=block&access=ReadWriteMany",
			Cluster: &model.ClusterVolume{Class: "gold.v2", Size: 20 << 30, Block: true, Access: "RWX"}},
		"pvc:prod/data-db-0":      {Kind: model.VolumeClaim, URI: "prod/data-db-0", Cluster: &model.ClusterVolume{Namespace: "prod", Name: "data-db-0"}},
		"pvc:data":                {Kind: model.VolumeClaim, URI: "data", Cluster: &model.ClusterVolume{Name: "data"}},
		"fake:?iops=1000&cv=0.05": {Kind: model.Fake, URI: "iops=1000&cv=0.05"},
		"fake:":                   {Kind: model.Fake},
	} {
		want.Name = name
		got, err := Parse(name, Options{Create: true})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", name, err, diff)
		}
	}
}

func TestRefusals(t *testing.T) {
	root := tree(t)
	for name, words := range map[string][]string{
		"":                         {"no target was named", "nbd+unix"},
		"  ":                       {"no target was named"},
		"a\x00b":                   {"zero byte"},
		root + "/no/such/dir":      {"does not exist", "nearest that does is " + root, "ls " + root},
		root + "/dir/no/file":      {"nearest that does is " + root + "/dir"},
		root + "/newdir/":          {"directory " + root + "/newdir/ does not exist", "mkdir " + root + "/newdir"},
		root + "/dir/file/x":       {root + "/dir/file is not a directory"},
		root + "/dir/file/":        {"is a file, not a directory"},
		root + "/dangling":         {"is a link to nowhere, which does not exist"},
		root + "/pipe":             {"is a named pipe"},
		root + "/socket":           {"is a socket", "nbd+unix:///EXPORT?socket=" + root + "/socket"},
		"/dev/null":                {"character device", "lsblk"},
		"/dev/nosuchdisk":          {"there is no device /dev/nosuchdisk", "lsblk"},
		"/dev/mapper-x/vg":         {"does not exist", "/dev"},
		"sc:":                      {"the name of the StorageClass is missing", "kubectl get storageclass"},
		"sc:Fast_1":                {`"Fast_1" cannot be the name`},
		"sc:fast?size=big":         {"size=big is not a size"},
		"sc:fast?size=0":           {"size=0 is not a size"},
		"sc:fast?mode=raw":         {"mode=raw is neither Filesystem nor Block"},
		"sc:fast?access=RO":        {"access=RO is none of RWO, RWX and RWOP"},
		"sc:fast?replicas=3":       {`parameter "replicas" is unknown`},
		"sc:fast?%zz":              {"do not parse"},
		"pvc:":                     {"a namespace and a name are expected", "kubectl get pvc -A"},
		"pvc:a/b/c":                {"a namespace and a name are expected"},
		"pvc:/data":                {"a namespace and a name are expected"},
		"pvc:prod/Data":            {"a namespace and a name are expected"},
		"iscsi://host/iqn":         {`scheme "iscsi"`, "rbd:POOL/IMAGE"},
		"http://host/x":            {`scheme "http"`},
		"nbds://host/x":            {`scheme "nbds"`, "without TLS"},
		"nbd+vsock:///x":           {`scheme "nbd+vsock"`},
		"nbd:localhost:10809":      {"two slashes"},
		"nbd:///vol":               {"the host is missing"},
		"nbd://h:0/vol":            {`"0" is not a port`},
		"nbd://h:99999/vol":        {`"99999" is not a port`},
		"nbd://h:x/vol":            {"not a usable NBD URI", "port"},
		"nbd://h/vol?socket=/s":    {"socket= has no meaning"},
		"nbd+unix:///vol":          {"path of the socket is missing"},
		"nbd+unix:///vol?socket=":  {"path of the socket is missing"},
		"nbd+unix:///vol?socket=s": {`"s" is a relative path`},
		"nbd+unix://vol?socket=/s": {"a third slash is missing"},
		"nbd+unix:///v?sock=/s":    {`parameter "sock" is unknown`},
		"nbd+unix:///%zz?socket=/": {"not a usable NBD URI"},
		"nbd+unix:///v?socket=/" + strings.Repeat("x", 120): {"121 bytes long"},
		"rbd:image":                        {"a pool and an image are expected", "rbd ls POOL"},
		"rbd:/image":                       {"a pool and an image are expected"},
		"rbd:a/b/c/d":                      {"a pool and an image are expected"},
		"rbd:--id/x":                       {"a pool and an image are expected"},
		"rbd:pool/image@snap":              {"snapshot", "rbd clone"},
		"rbd:pool/vm#old":                  {`"vm#old"`, "would open another image", "rbd rename"},
		"rbd:pool/vm;old":                  {"would open another image"},
		"rbd:po ol/vm":                     {"would open another image"},
		"rbd:pool/vm\nexec_prerun=x":       {"would open another image"},
		"rbd:pool/image:":                  {`option "" is unknown`, "rbd:pool/image:id=USER"},
		"rbd:pool/image:conf=/x":           {`option "conf" is unknown`, "CEPH_CONF"},
		"rbd:pool/image:id=":               {`"" cannot be the name of a Ceph user`, "ceph auth ls"},
		"rbd:pool/image:id=-c":             {`"-c" cannot be the name`},
		"rbd:pool/image:id=a;b":            {`"a;b" cannot be the name`},
		"rbd:pool/image:id=a\nexec_prerun": {"cannot be the name"},
		"rbd:pool/image:id=client.a":       {`without "client."`, "rbd:pool/image:id=a"},
		"fake:?iops=%zz":                   {"do not parse"},
	} {
		got, err := Parse(name, Options{Create: true})
		we, ok := err.(*model.WorkerError)
		if !ok || we.Class != model.Refused || we.Hint == "" {
			t.Errorf("%q: got %+v, %v; want a refusal with a hint", name, got, err)
			continue
		}
		for _, w := range words {
			if !strings.Contains(we.Message+" → "+we.Hint, w) {
				t.Errorf("%q: %q → %q lacks %q", name, we.Message, we.Hint, w)
			}
		}
	}
}

// A path that does not exist is a new file only if requested.
func TestAMissingPathIsRefused(t *testing.T) {
	root := tree(t)
	t.Chdir(root)
	describe := func(dir string) string { return "not a mount point: it is on / (ext4 on vda) " + dir }
	noMount := ", which is not a mount point: it is on / (ext4 on vda) "
	for name, want := range map[string][2]string{
		"postgres":             {"postgres does not exist; the nearest directory that does is " + root + noMount + root, "mount it first, or check the spelling: ls " + root},
		"./dirr":               {"./dirr does not exist; the nearest directory that does is " + root + noMount + root, "did you mean ./dir?"},
		root + "/dirlink/fill": {root + "/dirlink/fill does not exist; the nearest directory that does is " + root + "/dirlink" + noMount + root + "/dir", "did you mean " + root + "/dirlink/file?"},
		root + "/two words":    {root + "/two words does not exist; the nearest directory that does is " + root + noMount + root, "mount it first, or check the spelling: ls " + root},
	} {
		for _, offer := range []string{"", "--create"} {
			got, err := Parse(name, Options{DescribeMount: describe, Offer: offer})
			we, ok := err.(*model.WorkerError)
			hint := want[1]
			if offer != "" {
				hint += "; for a new file of that name add --create"
			}
			if !ok || we.Class != model.Refused || we.Message != want[0] || we.Hint != hint {
				t.Errorf("%s: %+v, %v\n%v", name, got, err, we)
			}
		}
	}
	_, err := Parse(root+"/no/such", Options{DescribeMount: describe})
	if err == nil || !strings.Contains(err.Error(), "nearest that does is "+root+noMount+root) {
		t.Error(err)
	}
	if _, err := Parse("dir/file", Options{}); err != nil {
		t.Error(err)
	}
}

// TestParseHolds: for any input the outcome is a refusal with a message, or a target that keeps the
// name and has the field that its kind requires.
func TestParseHolds(t *testing.T) {
	t.Chdir(t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		prefix := rapid.SampledFrom([]string{"", "/", "nbd://", "nbd+unix:///", "rbd:", "fake:?", "sc:", "./"}).Draw(t, "prefix")
		name := prefix + rapid.String().Draw(t, "rest")
		got, err := Parse(name, Options{Create: true})
		if err != nil {
			we, ok := err.(*model.WorkerError)
			if !ok || we.Class != model.Refused || we.Message == "" || we.Hint == "" {
				t.Fatalf("%q: %v", name, err)
			}
			return
		}
		onDisk := got.Kind == model.Directory || got.Kind == model.File || got.Kind == model.BlockDevice
		if got.Name != name || onDisk != filepath.IsAbs(got.Path) || onDisk && filepath.Clean(got.Path) != got.Path {
			t.Fatalf("%q: %+v", name, got)
		}
		if (got.Kind == model.NBD || got.Kind == model.RBD) && got.URI == "" {
			t.Fatalf("%q: %+v", name, got)
		}
	})
}
