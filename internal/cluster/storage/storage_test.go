package storage

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/amplification"
)

// fake returns canned answers; a resource without one may not be read.
type fake struct {
	drivers map[string]kube.Driver
	// lists are JSON documents by resource and selector.
	lists map[string]string
	fail  error
}

func (f fake) refuse() error {
	if f.fail != nil {
		return f.fail
	}
	return kube.ErrForbidden
}

func (f fake) Driver(_ context.Context, name string) (kube.Driver, error) {
	if d, ok := f.drivers[name]; ok {
		return d, nil
	}
	return kube.Driver{}, f.refuse()
}

func (f fake) Find(_ context.Context, which kube.Custom, into any) error {
	text, ok := f.lists[which.Resource+"."+which.Group+"/"+which.Version+" "+which.Name+which.Label]
	if !ok {
		return f.refuse()
	}
	return json.Unmarshal([]byte(text), into)
}

// The responses of Longhorn v1.8.0 for one volume, of which one replica is being rebuilt, reduced
// to the relevant fields.
var (
	longhornDrivers = map[string]kube.Driver{"driver.longhorn.io": {Annotations: map[string]string{"driver.longhorn.io/version": "v1.8.0"}, Attach: true, FSGroup: "ReadWriteOnceWithFSType"}}
	longhornLists   = map[string]string{
		"volumes.longhorn.io/v1beta2 pvc-1": `{"items":[{"spec":{"numberOfReplicas":3,"dataLocality":"best-effort","dataEngine":"v1","revisionCounterDisabled":false,"size":"1073741824","image":"longhornio/longhorn-engine:v1.8.0"},
			"status":{"state":"attached","robustness":"degraded","currentImage":"longhornio/longhorn-engine:v1.7.2"}}]}`,
		"engines.longhorn.io/v1beta2 longhornvolume=pvc-1":  `{"items":[{"status":{"currentImage":"longhornio/longhorn-engine:v1.7.2","replicaModeMap":{"r-1":"RW","r-2":"WO","r-3":"RW"}}}]}`,
		"replicas.longhorn.io/v1beta2 longhornvolume=pvc-1": `{"items":[{"spec":{"nodeID":"node3","diskPath":"/var/lib/longhorn/"}},{"spec":{"nodeID":"node1","diskPath":"/mnt/b"}},{"spec":{"nodeID":"node2","diskPath":"/mnt/a","failedAt":"2026-01-01T00:00:00Z"}},{"spec":{"nodeID":"node1","diskPath":"/mnt/b"}}]}`,
	}
	longhornPV = model.Cluster{Driver: "driver.longhorn.io", Handle: "pvc-1", Attributes: map[string]string{"numberOfReplicas": "2", "dataLocality": "disabled"},
		Provisioner: "driver.longhorn.io", Parameters: map[string]string{"numberOfReplicas": "2"}}
)

func TestDescribe(t *testing.T) {
	attach := map[string]string{"attach": "required", "fsGroup policy": "ReadWriteOnceWithFSType"}
	const labelled = "version: the CSIDriver object has no label app.kubernetes.io/version"
	for name, c := range map[string]struct {
		cluster fake
		volume  model.Cluster
		want    model.Backing
	}{
		"Longhorn tells everything": {fake{drivers: longhornDrivers, lists: longhornLists}, longhornPV,
			model.Backing{Adapter: "longhorn", System: "Longhorn", Version: "v1.8.0", Engine: "v1.7.2", Replicas: 3, Healthy: 2, Nodes: []string{"node1", "node3"}, Locality: "best-effort",
				Disks: []amplification.Disk{{Node: "node1", Path: "/mnt/b"}, {Node: "node3", Path: "/var/lib/longhorn"}},
				Facts: map[string]string{"attach": "required", "fsGroup policy": "ReadWriteOnceWithFSType", "data engine": "v1", "state": "attached", "robustness": "degraded"}}},
		"Longhorn's objects may not be read": {fake{drivers: longhornDrivers}, longhornPV,
			model.Backing{Adapter: "longhorn", System: "Longhorn", Version: "v1.8.0", Replicas: 2, Locality: "disabled", Facts: attach, Unknown: []string{
				"the state of the volume: the right to list volumes.longhorn.io is missing (deploy/role.yaml has it)",
				"how many replicas take part: the right to list engines.longhorn.io is missing (deploy/role.yaml has it)",
				"where the replicas are: the right to list replicas.longhorn.io is missing (deploy/role.yaml has it)"}}},
		"Longhorn's volume is not there": {fake{drivers: longhornDrivers, lists: map[string]string{"volumes.longhorn.io/v1beta2 pvc-1": `{"items":[]}`,
			"engines.longhorn.io/v1beta2 longhornvolume=pvc-1": `{}`, "replicas.longhorn.io/v1beta2 longhornvolume=pvc-1": `{}`}}, model.Cluster{Driver: "driver.longhorn.io", Handle: "pvc-1"},
			model.Backing{Adapter: "longhorn", System: "Longhorn", Version: "v1.8.0", Facts: attach, Unknown: []string{
				"the state of the volume: there is none of volumes.longhorn.io for the volume pvc-1",
				"how many replicas take part: there is none of engines.longhorn.io for the volume pvc-1",
				"replicas: neither the volume nor its class says numberOfReplicas"}}},
		"a class of Longhorn, before there is a volume": {fake{drivers: longhornDrivers},
			model.Cluster{Provisioner: "driver.longhorn.io", Parameters: map[string]string{"numberOfReplicas": "3", "dataLocality": "disabled", "dataEngine": "v2"}},
			model.Backing{Adapter: "longhorn", System: "Longhorn", Version: "v1.8.0", Replicas: 3, Locality: "disabled",
				Facts: map[string]string{"attach": "required", "fsGroup policy": "ReadWriteOnceWithFSType", "data engine": "v2"}}},
		"a class that leaves it to Longhorn": {fake{drivers: map[string]kube.Driver{"driver.longhorn.io": {}}}, model.Cluster{Provisioner: "driver.longhorn.io"},
			model.Backing{Adapter: "longhorn", System: "Longhorn", Facts: map[string]string{"attach": "not needed"}, Unknown: []string{
				"version: the CSIDriver object has no annotation driver.longhorn.io/version",
				"replicas: the class does not say numberOfReplicas, so Longhorn's own default holds"}}},
		"local-path": {fake{}, model.Cluster{Provisioner: "rancher.io/local-path", Driver: "hostPath", Handle: "/opt/pvc-1", Node: "node2"},
			model.Backing{Adapter: "local-path", System: "rancher.io/local-path", Replicas: 1, Healthy: 1, Nodes: []string{"node2"}, Locality: "node", Facts: map[string]string{"path": "/opt/pvc-1"},
				Unknown: []string{"version: a local directory or disk tells none"}}},
		"a local disk": {fake{}, model.Cluster{Driver: "local", Handle: "/dev/sdb"},
			model.Backing{Adapter: "local-path", System: "local", Replicas: 1, Healthy: 1, Locality: "node", Facts: map[string]string{"path": "/dev/sdb"},
				Unknown: []string{"version: a local directory or disk tells none"}}},
		"any CSI driver": {fake{drivers: map[string]kube.Driver{"ebs.csi.aws.com": {Attach: true, FSGroup: "File", Labels: map[string]string{"app.kubernetes.io/version": "1.40.0", "helm.sh/chart": "aws-ebs-csi-driver-2.40.0"}}}},
			model.Cluster{Driver: "ebs.csi.aws.com", Parameters: map[string]string{"repl": "3"}},
			model.Backing{Adapter: "csi", System: "ebs.csi.aws.com", Version: "1.40.0", Facts: map[string]string{"attach": "required", "fsGroup policy": "File", "chart": "aws-ebs-csi-driver-2.40.0"},
				Unknown: []string{"replicas: the CSI interface does not tell; say --replicas if you know"}}},
		"a driver whose class tells replicas": {fake{drivers: map[string]kube.Driver{"linstor.csi.linbit.com": {}}},
			model.Cluster{Provisioner: "linstor.csi.linbit.com", Parameters: map[string]string{"linstor.csi.linbit.com/placementCount": "2"}},
			model.Backing{Adapter: "csi", System: "linstor.csi.linbit.com", Replicas: 2, Facts: map[string]string{"attach": "not needed"}, Unknown: []string{labelled}}},
		"a number of replicas that is none": {fake{drivers: map[string]kube.Driver{"io.openebs.csi-mayastor": {}}},
			model.Cluster{Driver: "io.openebs.csi-mayastor", Attributes: map[string]string{"repl": "-3"}},
			model.Backing{Adapter: "csi", System: "io.openebs.csi-mayastor", Facts: map[string]string{"attach": "not needed"},
				Unknown: []string{labelled, "replicas: the CSI interface does not tell; say --replicas if you know"}}},
		"no object for the driver": {fake{fail: kube.ErrMissing},
			model.Cluster{Driver: "driver.example", Parameters: map[string]string{"numberOfReplicas": "3"}},
			model.Backing{Adapter: "csi", System: "driver.example", Unknown: []string{
				"version: the cluster has no such csidrivers.storage.k8s.io", "replicas: the CSI interface does not tell; say --replicas if you know"}}},
		"the API server hangs": {fake{fail: context.DeadlineExceeded}, model.Cluster{Driver: "driver.example"},
			model.Backing{Adapter: "csi", System: "driver.example", Unknown: []string{
				"version: the cluster did not answer within 5s", "replicas: the CSI interface does not tell; say --replicas if you know"}}},
		"another error": {fake{fail: errors.New("it rains")}, model.Cluster{Driver: "driver.example"},
			model.Backing{Adapter: "csi", System: "driver.example", Unknown: []string{"version: it rains", "replicas: the CSI interface does not tell; say --replicas if you know"}}},
		"no adapter": {fake{}, model.Cluster{Driver: "nfs"},
			model.Backing{System: "nfs", Unknown: []string{"replicas and version: Loadline has no adapter for nfs"}}},
		"nothing may be read": {fake{}, model.Cluster{Class: "fast"},
			model.Backing{Unknown: []string{"the storage system: neither the StorageClass nor the volume may be read (deploy/role.yaml has the rights)"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Describe(context.Background(), c.cluster, &c.volume)
			if diff := cmp.Diff(&c.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The specific adapters are tried before the generic one, and each has a unique name.
func TestAdapters(t *testing.T) {
	seen := map[string]bool{}
	for i, a := range adapters {
		if a.name == "" || seen[a.name] || a.name == "csi" && i != len(adapters)-1 {
			t.Errorf("adapter %d is %q", i, a.name)
		}
		seen[a.name] = true
	}
}

func TestTag(t *testing.T) {
	for image, want := range map[string]string{
		"longhornio/longhorn-engine:v1.8.0": "v1.8.0", "registry.example:5000/longhorn-engine:v1.8.0": "v1.8.0", "registry.example:5000/longhorn-engine": "",
		"longhorn-engine:v1.8.0@sha256:" + strings.Repeat("0", 64): "v1.8.0", "": "",
	} {
		if got := tag(image); got != want {
			t.Errorf("%q has the tag %q, not %q", image, got, want)
		}
	}
}

func TestCounter(t *testing.T) {
	describe := func(c fake, v model.Cluster) *model.Cluster {
		v.Backing = Describe(context.Background(), c, &v)
		return &v
	}
	whole := fake{drivers: longhornDrivers, lists: longhornLists}
	count := Counter(whole, describe(whole, longhornPV))
	if count == nil {
		t.Fatal("Longhorn does not tell")
	}
	if n, err := count(context.Background()); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := Counter(fake{}, describe(whole, longhornPV))(context.Background()); err == nil {
		t.Error("no error where nothing may be read")
	}
	for name, v := range map[string]*model.Cluster{
		"Longhorn's objects may not be read": describe(fake{drivers: longhornDrivers}, longhornPV),
		"one copy":                           describe(fake{}, model.Cluster{Driver: "local"}),
		"nobody has asked":                   {Driver: "driver.longhorn.io"},
	} {
		if Counter(whole, v) != nil {
			t.Errorf("%s: it says that it can count", name)
		}
	}
}
