package jsonout

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/loadline/loadline/internal/model"
)

// Plan is the document of a plan that is not carried out.
type Plan struct {
	model.Plan
	Cluster *model.Cluster `json:"cluster,omitempty"`
	// Memory is true if no disk would be measured, only memory.
	Memory bool `json:"memory,omitempty"`
	// Manifests are the claim and the pod that would be created for an application, as YAML.
	Manifests string `json:"manifests,omitempty"`
	// Tracer is the pod that would trace on each node with a volume, as YAML.
	Tracer string `json:"tracer,omitempty"`
	// Counter is the pod that would count the disks' I/Os on each node with a replica, as YAML.
	Counter string `json:"counter,omitempty"`
}

// PlannedPair is the document of the plan of a comparison: of A, the baseline, and of B.
type PlannedPair struct {
	A Plan `json:"a"`
	B Plan `json:"b"`
}

// WritePlannedPair writes the plans of both sides.
func WritePlannedPair(w io.Writer, p PlannedPair) error { return writePlanned(w, p) }

// WritePlan writes a plan, which has no samples and no missing values to be written in a special way.
func WritePlan(w io.Writer, p Plan) error { return writePlanned(w, p) }

func writePlanned(w io.Writer, p any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(p); err != nil {
		return err
	}
	_, err := w.Write(Visible(b.Bytes()))
	return err
}
