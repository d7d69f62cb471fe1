package session

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/measure/place/pods"
	"github.com/loadline/loadline/internal/model"
)

// Identity is the user that the worker in a pod runs as; empty fields are chosen to suit the claim.
type Identity struct {
	// User is "UID[:GID]", FSGroup the GID that the cluster makes the volume's group, and SELinuxLevel a
	// level such as "s0:c1,c2".
	User, FSGroup, SELinuxLevel string
	// Root runs the worker as root, without capabilities.
	Root bool
}

// as parses the strings.
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

// identityNumber parses a UID or GID.
func identityNumber(flag, s string) (*int64, error) {
	const most = 1<<31 - 1
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > most {
		return nil, model.RefusedError(fmt.Sprintf("%s %q is not a number of a user or group", flag, s),
			"write the number: of who owns the volume's files, kubectl exec POD -- stat -c %u:%g DIR prints it")
	}
	return &n, nil
}
