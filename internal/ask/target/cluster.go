package target

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// object matches what the API server accepts as the name of an object.
var object = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// AccessMode returns the access mode ("RWO", "RWX" or "RWOP") for a word that the user typed.
func AccessMode(word string) (mode string, known bool) {
	mode, known = accessModes[strings.ToLower(word)]
	return mode, known
}

// accessModes maps the accepted words, in lower case, to access modes.
var accessModes = map[string]string{
	"rwo": "RWO", "readwriteonce": "RWO", "rwx": "RWX", "readwritemany": "RWX", "rwop": "RWOP", "readwriteoncepod": "RWOP",
}

// parseClass parses sc:NAME and sc:NAME?size=20Gi&mode=Block&access=RWX.
func parseClass(name string) (model.Target, error) {
	const form = "write sc:NAME or 'sc:NAME?size=20Gi&mode=Block&access=RWX', quoted for the shell; kubectl get storageclass lists the names"
	refuse := func(format string, a ...any) (model.Target, error) {
		return model.Target{}, model.RefusedError(fmt.Sprintf("%s is not a usable StorageClass target: ", name)+fmt.Sprintf(format, a...), form)
	}
	class, params, _ := strings.Cut(name[len("sc:"):], "?")
	if class == "" {
		return refuse("the name of the StorageClass is missing")
	}
	if !object.MatchString(class) {
		return refuse("%q cannot be the name of a StorageClass", class)
	}
	query, err := url.ParseQuery(params)
	if err != nil {
		return refuse("its parameters do not parse: %v", err)
	}
	v := &model.ClusterVolume{Class: class}
	for key, values := range query {
		value := values[len(values)-1]
		switch key {
		case "size":
			if v.Size, err = units.ParseSize(value); err != nil || v.Size <= 0 {
				return refuse("size=%s is not a size", value)
			}
		case "mode":
			switch strings.ToLower(value) {
			case "block":
				v.Block = true
			case "filesystem":
			default:
				return refuse("mode=%s is neither Filesystem nor Block", value)
			}
		case "access":
			known := false
			if v.Access, known = AccessMode(value); !known {
				return refuse("access=%s is none of RWO, RWX and RWOP", value)
			}
		default:
			return refuse("the parameter %q is unknown", key)
		}
	}
	return model.Target{Name: name, Kind: model.StorageClass, URI: name[len("sc:"):], Cluster: v}, nil
}

// parseClaim parses pvc:NAMESPACE/NAME and pvc:NAME.
func parseClaim(name string) (model.Target, error) {
	namespace, claim, both := strings.Cut(name[len("pvc:"):], "/")
	if !both {
		namespace, claim = "", namespace
	}
	if !object.MatchString(claim) || both && !object.MatchString(namespace) {
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s is not a usable claim: a namespace and a name are expected, with a slash between them", name),
			"write pvc:NAMESPACE/NAME, or pvc:NAME for the namespace of your context; kubectl get pvc -A lists them")
	}
	return model.Target{Name: name, Kind: model.VolumeClaim, URI: name[len("pvc:"):],
		Cluster: &model.ClusterVolume{Namespace: namespace, Name: claim}}, nil
}
