package session

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/measure/place/pods"
	"github.com/loadline/loadline/internal/model"
)

// Identity says as whom the worker in a pod runs; what is empty is chosen for the claim.
type Identity struct {
	// User is "UID[:GID]", FSGroup a GID that the cluster gives the volume to, and
	// SELinuxLevel a level such as "s0:c1,c2".
	User, FSGroup, SELinuxLevel string
	// Root runs it as root, without capabilities.
	Root bool
}

// as reads the words.
func (f *Identity) as() (as pods.As, err error) {
	as.Level = f.SELinuxLevel
	if f.FSGroup != "" {
		if as.FSGroup, err = identityNumber("--fs-group", f.FSGroup); err != nil {
			return as, err
		}
	}
	if f.User != "" {
		user, group, both := strings.Cut(f.User, ":")
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
	case f.Root && f.User != "" && *as.User != 0:
		return as, model.RefusedError("--as-root and --run-as-user "+f.User+" are two different users", "leave one of them out")
	case f.Root && f.User == "":
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
