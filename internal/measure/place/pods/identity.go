package pods

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/cluster/kube"
)

// As is what the user says, as whom the worker runs; nil and empty say nothing.
type As struct {
	User, Group, FSGroup *int64
	Level                string
}

// given reports whether the user has chosen whom the worker is.
func (a As) given() bool { return a.User != nil }

// own is the identity on a volume that was made for the run.
func (a As) own() kube.Identity { return a.over(kube.Own()) }

// foreign is the identity on a volume of somebody's. Where the user does not say, it is
// that of the pods that use it, as far as they state it and all state the same; of a group
// that they give the volume to, the worker is a member and gives nothing. words tell that.
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
	// Nobody becomes root without having said so.
	if said.User != nil && *said.User != 0 {
		id.User, id.Group = said.User, said.Group
	}
	id.Groups = said.Groups
	if id.User != nil || len(id.Groups) > 0 {
		words = fmt.Sprintf("the worker runs as %s, like %s", identityWords(id), podNames(users))
	}
	return a.over(id), words
}

// over puts what the user says over what would be.
func (a As) over(id kube.Identity) kube.Identity {
	if a.User != nil {
		id.User, id.Group = a.User, a.User
	}
	if a.Group != nil {
		id.Group = a.Group
	}
	if a.FSGroup != nil {
		id.FSGroup = *a.FSGroup
	}
	if a.Level != "" {
		id.Level = a.Level
	}
	return id
}

// identityWords is "user 999, group 999, with the groups 5 and 6".
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
