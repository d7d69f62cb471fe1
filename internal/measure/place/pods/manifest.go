package pods

import (
	"context"
	"strings"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/model"
)

// claimSpec returns the claim that is created for the assignment.
func (p *placement) claimSpec() kube.ClaimSpec {
	v := p.Target.Cluster
	return kube.ClaimSpec{Name: p.name, Made: p.Made, Class: v.Class, Size: p.Size, Block: v.Block, Access: v.Access}
}

// podSpec returns the pod, for a claim that is known by then.
func (p *placement) podSpec(raw bool) kube.PodSpec {
	command := []string{program, "--run-id", strings.TrimPrefix(p.name, "loadline-"), "--detached", kube.StatePath}
	// An application's server is what a StatefulSet is for; its client, and fio, are not.
	set := p.Where.Application != "" && p.claim != ""
	if set {
		command = append(command, "--clean", kube.MountPath+":"+kube.LogPath)
		if p.log == nil {
			command[len(command)-1] = kube.MountPath
		}
	}
	return kube.PodSpec{
		Name: p.name, Made: p.Made, Claim: p.claim, Block: raw, Identity: p.as, Where: p.Where, Near: p.Near, Spread: demand(p.Spread),
		Set: set, Log: p.logName(), Addressed: p.ClientNode != "",
		Command: command,
	}
}

// checkMode refuses a raw device for an application, which keeps its data in files.
func (p *placement) checkMode(raw bool) error {
	if !raw || p.Where.Application == "" {
		return nil
	}
	return model.RefusedError(p.Target.Name+" is a raw device, and an application keeps its data in a filesystem", "name a claim, or a class, of the mode Filesystem")
}

// Manifests returns what Put would create for an assignment, as YAML for people: the claim, if it is to be
// created, and the pod or its StatefulSet. It queries the cluster, and creates nothing.
func (at Place) Manifests(ctx context.Context, a place.Assignment) ([]byte, error) {
	p := &placement{Place: at, Assignment: a, name: at.Made.Run + a.Suffix}
	// The owner is known only when it is created.
	p.Made = kube.Made{Run: at.Made.Run}
	if p.Target.Cluster.Made() {
		p.claim, p.as = p.name, p.As.own()
		claims, raw := []kube.ClaimSpec{p.claimSpec()}, p.Target.Cluster.Block
		if err := p.checkMode(raw); err != nil {
			return nil, err
		}
		if p.Log != nil {
			p.log = &model.Cluster{Claim: p.name + logSuffix}
			claims = append(claims, p.logSpec())
		}
		return p.Client.Manifests(claims, p.podSpecs(raw)...)
	}
	if err := p.useClaim(ctx, p.Target.Cluster); err != nil {
		return nil, err
	}
	raw := p.facts.Mode == block
	if err := p.checkMode(raw); err != nil {
		return nil, err
	}
	if err := p.logVolume(ctx); err != nil {
		return nil, err
	}
	return p.Client.Manifests(nil, p.podSpecs(raw)...)
}
