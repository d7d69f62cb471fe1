package target

import (
	"fmt"
	"path"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// InCluster reports whether a name is that of a volume in a Kubernetes cluster, without looking at anything.
func InCluster(name string) bool {
	return strings.HasPrefix(name, "sc:") || strings.HasPrefix(name, "pvc:")
}

// ParseOnHost parses the name of a target on another host, which cannot be inspected from here: a path
// in /dev is taken for a device, any other for a directory. The worker on that host refuses it if it is
// neither.
func ParseOnHost(name string) (model.Target, error) {
	switch {
	case InCluster(name):
		return model.Target{}, model.RefusedError(name+" is in a Kubernetes cluster, and --hosts names hosts outside of it", "leave --hosts out")
	case schemeLike.MatchString(name):
		return Parse(name, Options{})
	case !path.IsAbs(name):
		return model.Target{}, model.RefusedError(fmt.Sprintf("%s is a relative path, which means nothing on another host", name), "write a path that begins with a slash")
	}
	t := model.Target{Name: name, Path: path.Clean(name), Kind: model.Directory}
	if strings.HasPrefix(t.Path, "/dev/") {
		t.Kind = model.BlockDevice
	}
	return t, nil
}
