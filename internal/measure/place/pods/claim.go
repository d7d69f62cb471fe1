package pods

import (
	"context"
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// useClaim checks an existing claim, and places the pod on the node where it is in use.
func (p *placement) useClaim(ctx context.Context, v *model.ClusterVolume) error {
	namespace := v.Namespace
	if namespace == "" {
		namespace = p.Client.Namespace
	}
	// A pod can use only claims in its own namespace.
	own := *p.Client
	own.Namespace = namespace
	p.Client = &own
	p.claim = v.Name
	if err := p.Client.ClaimAndClass(ctx, namespace, v.Name, &p.facts); err != nil {
		return err
	}
	users, err := Check(ctx, p.Client, p.Target, &p.facts, p.Made.Run, p.Destroys)
	if err != nil {
		return err
	}
	if len(users) > 0 {
		p.Say(fmt.Sprintf("the claim is in use by %s: both get a part of the storage's speed", podNames(users)))
		used := slices.IndexFunc(users, func(u kube.User) bool { return u.Node != "" })
		if p.Where.Node == "" && used >= 0 && !p.facts.ManyNodes() {
			p.Where.Node, p.Spread, p.facts.Pinned = users[used].Node, "", true
		}
	}
	if p.Spread == place.Even && p.Client.Bound(ctx, p.facts.Volume) {
		p.yield()
	}
	var words string
	if p.as, words = p.As.foreign(users); words != "" && p.facts.Mode != block {
		p.Say(words)
	}
	return nil
}

// yield gives up an even spread because the volume was bound to nodes before its pod was placed.
func (p *placement) yield() { p.Spread, p.facts.Pinned = place.Loose, true }

// Check refuses an existing claim that must not or cannot be measured; facts are what is known about it. It
// returns the pods that use it, other than those of the run ("" for none). With destroys, a raw device
// would be overwritten.
func Check(ctx context.Context, client *kube.Client, t model.Target, facts *model.Cluster, run string, destroys bool) ([]kube.User, error) {
	v := t.Cluster
	namespace := v.Namespace
	if namespace == "" {
		namespace = client.Namespace
	}
	users, err := client.UsedBy(ctx, namespace, v.Name, run)
	if err != nil {
		return nil, err
	}
	switch {
	case len(users) > 0 && facts.OnePod():
		return nil, model.RefusedError(fmt.Sprintf("%s is ReadWriteOncePod, and %s uses it: no second pod may", t.Name, podNames(users)),
			"stop that first, or measure a volume of the same class: loadline run sc:"+orName(facts.Class))
	case len(users) > 0 && facts.Mode == block && destroys:
		return nil, model.RefusedError(fmt.Sprintf("%s is a raw device that %s uses: to overwrite it would destroy what that has there, unseen", t.Name, podNames(users)),
			"stop that first; or leave out --destroy-data-on, and it is only read")
	case facts.Mode != block && slices.Equal(facts.Access, []string{"ReadOnlyMany"}):
		return nil, model.RefusedError(t.Name+" is ReadOnlyMany, and a file of Loadline's own would have to be made there",
			"measure a volume of the same class: loadline run sc:"+orName(facts.Class))
	}
	return users, nil
}

func orName(class string) string {
	if class == "" {
		return "NAME"
	}
	return class
}

// podNames returns "the pod a", or "the pods a and b (of another run of Loadline's)".
func podNames(users []kube.User) string {
	var names []string
	for _, u := range users {
		name := u.Name
		if u.Run != "" {
			name += " (of another run of Loadline's)"
		}
		names = append(names, name)
	}
	if len(names) == 1 {
		return "the pod " + names[0]
	}
	return "the pods " + units.FormatList(names)
}
