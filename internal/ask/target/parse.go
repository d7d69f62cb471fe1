package target

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// known lists the forms that Parse accepts, for hints.
const known = "name a directory, a file, a block device, nbd+unix:///EXPORT?socket=PATH, nbd://HOST/EXPORT, rbd:POOL/IMAGE, sc:STORAGECLASS or pvc:NAMESPACE/NAME"

// schemeLike matches what looks like a scheme rather than a path. One letter
// before the colon is not enough.
var schemeLike = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9+.-]+):`)

// Options control which names a caller accepts.
type Options struct {
	// Create accepts a path that does not exist as a file to be created; Offer is the flag by which
	// users request that, "" if the caller never creates one.
	Create bool
	Offer  string
	// DescribeMount describes the filesystem of a directory: "a mount point (ext4 on vda)". May be nil.
	DescribeMount func(dir string) string
}

// Parse resolves the name of a target. Every error is a *model.WorkerError of class Refused. The
// target's Name is the name as typed; Path is absolute and free of symbolic links, so that
// /dev/disk/by-id/… is resolved to the kernel's device. A fake's URI is its parameters without the
// question mark ("iops=1000&cv=0.05").
func Parse(name string, o Options) (model.Target, error) {
	if strings.TrimSpace(name) == "" {
		return model.Target{}, model.RefusedError("no target was named", known)
	}
	if strings.ContainsRune(name, 0) {
		return model.Target{}, model.RefusedError(fmt.Sprintf("%q contains a zero byte, which no path or URI can", name), known)
	}
	m := schemeLike.FindStringSubmatch(name)
	if m == nil {
		return parsePath(name, o)
	}
	switch scheme := strings.ToLower(m[1]); {
	case scheme == "nbd", scheme == "nbd+unix":
		return parseNBD(name)
	case strings.HasPrefix(scheme, "nbd"):
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s uses the scheme %q, which Loadline does not speak: it knows nbd:// (TCP) and nbd+unix:// (a unix socket), both without TLS", name, m[1]),
			"serve the export on a unix socket and name it: nbd+unix:///EXPORT?socket=/path/to/socket")
	case scheme == "rbd":
		return parseRBD(name)
	case scheme == "fake":
		return parseFake(name)
	case scheme == "sc":
		return parseClass(name)
	case scheme == "pvc":
		return parseClaim(name)
	case IsServer(name):
		// The name may contain a password, so the message does not quote it.
		return model.Target{}, model.RefusedError("a PostgreSQL server that exists is measured as an application, and not as storage", "loadline app postgres postgres://USER@HOST/DATABASE")
	}
	if t, err := parsePath(name, o); err == nil && env.Exists(t.Path) {
		return t, nil // a file with a colon in its name
	}
	return model.Target{}, model.RefusedError(
		fmt.Sprintf("%s is neither a path that exists nor a target whose scheme %q is known", name, m[1]),
		known)
}

// parseNBD checks the form of an NBD URI according to the NBD project's "uri.md".
func parseNBD(name string) (model.Target, error) {
	refuse := func(why string) (model.Target, error) {
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s is not a usable NBD URI: %s", name, why),
			"write nbd+unix:///EXPORT?socket=/path/to/socket or nbd://HOST:PORT/EXPORT, quoted for the shell")
	}
	u, err := url.Parse(name)
	if err != nil {
		return refuse(strings.TrimPrefix(err.Error(), fmt.Sprintf("parse %q: ", name)))
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return refuse("its query does not parse: " + err.Error())
	}
	for key := range query {
		if key != "socket" {
			return refuse(fmt.Sprintf("the parameter %q is unknown", key))
		}
	}
	if u.Opaque != "" || !strings.Contains(name, "://") {
		return refuse("two slashes must follow the colon")
	}
	socket := query.Get("socket")
	if u.Scheme == "nbd" {
		switch {
		case u.Hostname() == "":
			return refuse("the host is missing")
		case query.Has("socket"):
			return refuse("nbd:// is for TCP, so socket= has no meaning; use nbd+unix://")
		case u.Port() != "" && !validPort(u.Port()):
			return refuse(fmt.Sprintf("%q is not a port", u.Port()))
		}
		return model.Target{Name: name, Kind: model.NBD, URI: name}, nil
	}
	switch {
	case u.Host != "":
		return refuse(fmt.Sprintf("a unix socket has no host, but %q stands in its place; a third slash is missing", u.Host))
	case socket == "":
		return refuse("the path of the socket is missing: it ends with ?socket=/path")
	case !strings.HasPrefix(socket, "/"):
		return refuse(fmt.Sprintf("the socket %q is a relative path; it must begin with a slash", socket))
	case len(socket) > maxSocketPath:
		return refuse(fmt.Sprintf("the socket's path is %d bytes long, and unix sockets allow %d", len(socket), maxSocketPath))
	}
	return model.Target{Name: name, Kind: model.NBD, URI: name}, nil
}

// maxSocketPath is the size of sun_path (108 bytes on Linux, 104 on macOS) minus the terminating zero,
// the smaller of the two.
const maxSocketPath = 103

func validPort(s string) bool {
	var n int
	_, err := fmt.Sscanf(s, "%d", &n)
	return err == nil && n > 0 && n < 1<<16
}

// parseRBD parses rbd:pool/image and rbd:pool/namespace/image, each optionally followed by ":id=USER"
// as in QEMU. The user is not part of the URI: the image is the same for every user.
func parseRBD(name string) (model.Target, error) {
	image, options, more := strings.Cut(name[len("rbd:"):], ":")
	parts := strings.Split(image, "/")
	ok := len(parts) == 2 || len(parts) == 3
	for _, p := range parts {
		ok = ok && p != "" && !strings.HasPrefix(p, "-")
	}
	if !ok {
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s is not a usable Ceph image: a pool and an image are expected, with a slash between them", name),
			"write rbd:POOL/IMAGE; rbd ls POOL lists the images of a pool")
	}
	if strings.ContainsRune(image, '@') {
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s names a snapshot, which fio's rbd engine cannot open", name),
			"clone the snapshot into an image and measure that: rbd clone POOL/IMAGE@SNAP POOL/CLONE")
	}
	for _, p := range parts {
		if !cephName.MatchString(p) {
			return model.Target{}, model.RefusedError(
				fmt.Sprintf("%s: fio's job file cannot hold the name %q, and fio would open another image: only letters, digits and . _ + = - are supported", name, p),
				"rename the image: rbd rename OLD NEW; or map it (rbd map) and measure the device")
		}
	}
	t := model.Target{Name: name, Kind: model.RBD, URI: image}
	if !more {
		return t, nil
	}
	user, found := strings.CutPrefix(options, "id=")
	switch {
	case !found:
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s: the option %q is unknown; the only one is id, the Ceph user", name, optionName(options)),
			"write rbd:"+image+":id=USER; $CEPH_CONF names another ceph.conf")
	case strings.HasPrefix(user, "client."):
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s: a user is named without \"client.\", as rbd --id takes it", name),
			"write rbd:"+image+":id="+strings.TrimPrefix(user, "client."))
	case !cephUser.MatchString(user):
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s: %q cannot be the name of a Ceph user", name, user),
			"write rbd:"+image+":id=USER; ceph auth ls lists the users")
	}
	t.User = user
	return t, nil
}

// cephName matches names of pools, namespaces and images that can be used unquoted in fio's job file,
// where ";" and "#" begin comments anywhere in a line.
var cephName = regexp.MustCompile(`^[A-Za-z0-9_.+=][A-Za-z0-9_.+=-]*$`)

// cephUser matches names that can be used unquoted in fio's job file and on a command line.
var cephUser = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._@+-]*$`)

// parseFake keeps the parameters; the fake driver interprets them.
func parseFake(name string) (model.Target, error) {
	params := strings.TrimPrefix(name[len("fake:"):], "?")
	if _, err := url.ParseQuery(params); err != nil {
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s: the fake's parameters do not parse: %v", name, err), "write fake:?iops=1000&cv=0.05, quoted for the shell")
	}
	return model.Target{Name: name, Kind: model.Fake, URI: params}, nil
}

// optionName returns the name of an option, without its value, which may be a secret.
func optionName(option string) string {
	name, _, _ := strings.Cut(option, "=")
	return name
}
