package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/place/pods"
)

// identity says as whom the worker in a pod runs.
type identity struct {
	user, fsGroup, level string
	root                 bool
}

// as reads the words.
func (f *identity) as() (as pods.As, err error) {
	as.Level = f.level
	if f.fsGroup != "" {
		if as.FSGroup, err = identityNumber("--fs-group", f.fsGroup); err != nil {
			return as, err
		}
	}
	if f.user != "" {
		user, group, both := strings.Cut(f.user, ":")
		if as.User, err = identityNumber("--run-as-user", user); err != nil {
			return as, err
		}
		if both {
			if as.Group, err = identityNumber("--run-as-user", group); err != nil {
				return as, err
			}
		}
	}
	switch {
	case f.root && f.user != "" && *as.User != 0:
		return as, model.RefusedError("--as-root and --run-as-user "+f.user+" are two different users", "leave one of them out")
	case f.root && f.user == "":
		as.User = new(int64)
	}
	return as, nil
}

// identityNumber reads the number of a user or group.
func identityNumber(flag, s string) (*int64, error) {
	const most = 1<<31 - 1
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > most {
		return nil, model.RefusedError(fmt.Sprintf("%s %q is no number of a user or group", flag, s),
			"write the number: of who owns the volume's files, kubectl exec POD -- stat -c %u:%g DIR prints it")
	}
	return &n, nil
}
