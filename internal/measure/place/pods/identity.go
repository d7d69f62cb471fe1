package pods

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/model"
)

// As is the user that the worker runs as, if specified; nil and empty fields are not.
type As struct {
	User, Group, FSGroup *int64
	Level                string
}

// given reports whether the worker's user was specified.
func (a As) given() bool { return a.User != nil }

// own returns the identity on a volume that was created for the run.
func (a As) own() kube.Identity { return a.over(kube.Own()) }

// foreign returns the identity on someone else's volume. If the user does not specify it, it is that of the
// pods that use the volume, if they state one and all state the same; the worker joins the group that they
// give the volume to (fsGroup), but does not give the volume to a group itself. words describes the
// identity.
func (a As) foreign(users []kube.User) (id kube.Identity, words string) {
	users = slices.DeleteFunc(slices.Clone(users), func(u kube.User) bool { return u.Run != "" })
	if len(users) == 0 {
		return a.over(id), ""
	}
	said := users[0].As
	for _, u := range users[1:] {
		if !reflect.DeepEqual(u.As, said) {
			return a.over(id), ""
		}
	}
	id.Level = said.Level
	if a.User != nil {
		return a.over(id), ""
	}
	// The worker does not run as root unless the user asks for that.
	if said.User != nil && *said.User != 0 {
		id.User, id.Group = said.User, said.Group
	}
	id.Groups = said.Groups
	if id.User != nil || len(id.Groups) > 0 {
		words = fmt.Sprintf("the worker runs as %s, like %s", identityWords(id), podNames(users))
	}
	return a.over(id), words
}

// over replaces parts of an identity by what was specified.
func (a As) over(id kube.Identity) kube.Identity {
	if a.User != nil {
		id.User, id.Group = a.User, a.User
	}
	if a.Group != nil {
		id.Group = a.Group
	}
	if a.FSGroup != nil {
		id.FSGroup = a.FSGroup
	}
	if a.Level != "" {
		id.Level = a.Level
	}
	return id
}

// recorded is what the run's record says of an identity.
func recorded(id kube.Identity) *model.PodIdentity {
	user, group := id.IDs()
	return &model.PodIdentity{User: user, Group: group, Groups: id.Groups, FSGroup: id.FSGroup, Level: id.Level}
}

// identityWords returns "user 999, group 999, with the group 5 and 6".
func identityWords(id kube.Identity) string {
	user, group := id.IDs()
	words := fmt.Sprintf("user %d, group %d", user, group)
	if len(id.Groups) == 0 {
		return words
	}
	var groups []string
	for _, g := range id.Groups {
		groups = append(groups, fmt.Sprint(g))
	}
	return words + ", with the group " + strings.Join(groups, " and ")
}
