package results

import (
	"encoding/json"
	"strconv"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
)

// known combines what the runs themselves know of the system: the replicas that were given, or that the
// storage system or the StorageClass reports, and the provisioned limit of the storage. If there are
// replicas, the cap is not that of a disk, and is left out.
func known(d *Documents) (s hardware.System) {
	for i, r := range d.Reports {
		if s.Replicas == 0 {
			s.Replicas = r.Run.Environment.Replicas()
		}
		if s.Replicas == 0 && r.Run.Environment.Cluster != nil {
			// Longhorn's parameter, in a run that did not query Longhorn; one that is not a number is
			// ignored.
			s.Replicas, _ = strconv.Atoi(r.Run.Environment.Cluster.Parameters["numberOfReplicas"])
		}
		if d.directories[i] == "" {
			continue
		}
		data, err := readDocument(d.directories[i], store.PlanFile)
		if err != nil {
			continue
		}
		var plan model.Plan
		if json.Unmarshal(data, &plan) != nil {
			continue
		}
		said := plan.Experiment
		if said.Replicas > 0 {
			s.Replicas = said.Replicas
		}
		if said.Cap.IOPS > 0 {
			s.Disk.IOPS = said.Cap.IOPS
		}
		if said.Cap.Bandwidth > 0 {
			s.Disk.Bandwidth = said.Cap.Bandwidth
		}
	}
	if s.Replicas > 1 {
		s.Disk = hardware.DiskSpec{}
	}
	return s
}
