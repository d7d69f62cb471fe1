package kube

import (
	"cmp"
	"context"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/suggest"
	"github.com/loadline/loadline/internal/model/units"
)

// Label is on every object that Loadline makes in a cluster; its value is the run.
const Label = "loadline/run"

// ClaimSpec is the specification of a claim.
type ClaimSpec struct {
	Name string
	Made
	Class string
	// Size is in bytes.
	Size  int64
	Block bool
	// Access is "RWO", "RWX" or "RWOP".
	Access string
}

// accessModes are the API's names of the access modes.
var accessModes = map[string]corev1.PersistentVolumeAccessMode{
	"": corev1.ReadWriteOnce, "RWO": corev1.ReadWriteOnce, "RWX": corev1.ReadWriteMany, "RWOP": corev1.ReadWriteOncePod,
}

// AccessMode returns the API's name for "RWO", "RWX", "RWOP" or "" (RWO).
func AccessMode(short string) string { return string(accessModes[short]) }

// MakeClaim makes the claim and returns its UID. It returns a refusal if a claim of that name
// exists that is not this run's.
func (c *Client) MakeClaim(ctx context.Context, s ClaimSpec) (uid string, err error) {
	return c.create(ctx, "claim", c.claim(s))
}

func (c *Client) claim(s ClaimSpec) *corev1.PersistentVolumeClaim {
	mode := corev1.PersistentVolumeFilesystem
	if s.Block {
		mode = corev1.PersistentVolumeBlock
	}
	return &corev1.PersistentVolumeClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
		ObjectMeta: metav1.ObjectMeta{Name: s.Name, Namespace: c.Namespace, Labels: s.labels(), Annotations: s.notes()},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &s.Class, VolumeMode: &mode,
			AccessModes: []corev1.PersistentVolumeAccessMode{accessModes[s.Access]},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceStorage: *resource.NewQuantity(s.Size, resource.BinarySI)}},
		},
	}
}

// Made says for which run an object was made, and by which process.
type Made struct {
	// Run is the value of the label.
	Run string
	// Driver is the host and the process that makes the object: "host/123/…", where the rest
	// identifies the process uniquely for all time.
	Driver string
	// Token is a random string of the run, by which it recognises its own objects.
	Token string
}

func (m Made) labels() map[string]string {
	return map[string]string{Label: m.Run, "app.kubernetes.io/name": "loadline"}
}

func (m Made) notes() map[string]string {
	if m.Driver+m.Token == "" {
		// It is one of the user's own objects.
		return nil
	}
	return map[string]string{driverNote: m.Driver, tokenNote: m.Token}
}

// Class fills in what is known about a StorageClass. If the class does not exist, the error is a
// refusal that lists the existing ones; a missing right to read it is not an error.
func (c *Client) Class(ctx context.Context, name string, into *model.Cluster) error {
	class, err := know(c.known, "class "+name, func() (class storagev1.StorageClass, err error) {
		err = c.get(ctx, c.storage, "", "storageclasses", name, &class)
		return class, err
	})
	switch {
	case missing(err):
		return c.noClass(ctx, name)
	case forbidden(err):
		return nil
	case err != nil:
		return err
	}
	into.Class, into.Provisioner, into.Parameters, into.MountOptions = class.Name, class.Provisioner, class.Parameters, class.MountOptions
	if class.ReclaimPolicy != nil {
		into.Reclaim = string(*class.ReclaimPolicy)
	}
	if class.VolumeBindingMode != nil {
		into.Binding = string(*class.VolumeBindingMode)
	}
	return nil
}

func (c *Client) noClass(ctx context.Context, name string) error {
	hint := "kubectl get storageclass lists them"
	var all storagev1.StorageClassList
	if err := c.list(ctx, c.storage, "", "storageclasses", "", "", &all); err == nil {
		var names []string
		for _, s := range all.Items {
			names = append(names, s.Name)
		}
		hint = "the cluster has none at all: install a provisioner"
		if len(names) > 0 {
			hint = "name one of those that exist: " + units.FormatList(names)
		}
		if near := suggest.Nearest(name, names); near != "" {
			hint = "loadline run sc:" + near + " (" + hint + ")"
		}
	}
	return model.RefusedError("the cluster has no StorageClass "+name, hint)
}

// ClaimFacts fills in what is known about a claim and the volume behind it.
func (c *Client) ClaimFacts(ctx context.Context, namespace, name string, into *model.Cluster) error {
	var claim corev1.PersistentVolumeClaim
	if err := c.get(ctx, c.core, namespace, "persistentvolumeclaims", name, &claim); err != nil {
		if missing(err) {
			return model.RefusedError("there is no claim "+name+" in the namespace "+namespace, "kubectl get pvc -n "+namespace+" lists them")
		}
		return err
	}
	into.Claim, into.Volume = claim.Name, claim.Spec.VolumeName
	into.Access = nil
	for _, a := range claim.Spec.AccessModes {
		into.Access = append(into.Access, string(a))
	}
	into.Mode = string(corev1.PersistentVolumeFilesystem)
	if claim.Spec.VolumeMode != nil {
		into.Mode = string(*claim.Spec.VolumeMode)
	}
	size := claim.Status.Capacity[corev1.ResourceStorage]
	if size.IsZero() {
		size = claim.Spec.Resources.Requests[corev1.ResourceStorage]
	}
	into.Capacity = size.Value()
	if claim.Spec.StorageClassName != nil && into.Class == "" {
		into.Class = *claim.Spec.StorageClassName
	}
	if into.Volume == "" {
		return nil
	}
	return c.volumeFacts(ctx, into)
}

// ClaimAndClass is ClaimFacts plus what is known about the claim's class. The volume's facts take
// precedence over those of its class, and a class that no longer exists is not an error.
func (c *Client) ClaimAndClass(ctx context.Context, namespace, name string, into *model.Cluster) error {
	if err := c.ClaimFacts(ctx, namespace, name, into); err != nil || into.Class == "" {
		return err
	}
	var class model.Cluster
	if c.Class(ctx, into.Class, &class) != nil {
		return nil
	}
	into.Provisioner, into.Parameters, into.Binding = class.Provisioner, class.Parameters, class.Binding
	into.Reclaim = cmp.Or(into.Reclaim, class.Reclaim)
	if len(into.MountOptions) == 0 {
		into.MountOptions = class.MountOptions
	}
	return nil
}

// volumeFacts reads the volume; without the right to do so, nothing is known about it.
func (c *Client) volumeFacts(ctx context.Context, into *model.Cluster) error {
	var pv corev1.PersistentVolume
	err := c.get(ctx, c.core, "", "persistentvolumes", into.Volume, &pv)
	if forbidden(err) || missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	into.Reclaim = string(pv.Spec.PersistentVolumeReclaimPolicy)
	if len(pv.Spec.MountOptions) > 0 {
		into.MountOptions = pv.Spec.MountOptions
	}
	switch {
	case pv.Spec.CSI != nil:
		into.Driver, into.Handle, into.Attributes = pv.Spec.CSI.Driver, pv.Spec.CSI.VolumeHandle, pv.Spec.CSI.VolumeAttributes
	case pv.Spec.Local != nil:
		into.Driver, into.Handle = "local", pv.Spec.Local.Path
	case pv.Spec.HostPath != nil:
		into.Driver, into.Handle = "hostPath", pv.Spec.HostPath.Path
	case pv.Spec.NFS != nil:
		into.Driver, into.Handle = "nfs", pv.Spec.NFS.Server+":"+pv.Spec.NFS.Path
	}
	return nil
}

// NodeFacts fills in what the pod's node reports about itself, if it may be read.
func (c *Client) NodeFacts(ctx context.Context, into *model.Cluster) error {
	node, err := know(c.known, "node "+into.Node, func() (node corev1.Node, err error) {
		err = c.get(ctx, c.core, "", "nodes", into.Node, &node)
		return node, err
	})
	if forbidden(err) || missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	info := node.Status.NodeInfo
	into.Kubelet, into.Runtime, into.OSImage = info.KubeletVersion, info.ContainerRuntimeVersion, info.OSImage
	into.InstanceType, into.Zone = node.Labels[corev1.LabelInstanceTypeStable], node.Labels[corev1.LabelTopologyZone]
	return nil
}
