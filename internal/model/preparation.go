package model

// Preparation is what was done to the volume before measuring, and the proof.
type Preparation struct {
	// Written is the number of bytes prefilled and Seconds the time it took: that in which
	// at least one of several volumes was written.
	Written int64   `json:"written"`
	Seconds float64 `json:"seconds"`
	Proof   Proof   `json:"proof"`
	// Path is the data file that was made, when the volume is our own.
	Path string `json:"path,omitempty"`
	// Size is what the volume was shrunk to, in bytes, when writing all of it would have
	// taken too long, here or on the other side of a comparison; 0 when it was not. Slow is
	// the rate in bytes/s that the writing had come down to; 0 when that was on the other side.
	Size int64   `json:"size,omitempty"`
	Slow float64 `json:"slow,omitempty"`
	// Rates are those of the prefill, about one a second, in bytes/s; empty when several
	// volumes were written.
	Rates []float64 `json:"rates,omitempty"`
	// App is what was made ready in the place of a file; nil where none was.
	App *AppState `json:"app,omitempty"`
}

// Merge adds what was done to another volume, which name tells in words, at the same
// time. What is not proven of one of them is not proven of all.
func (p *Preparation) Merge(o Preparation, name string) {
	p.Written += o.Written
	p.Seconds = max(p.Seconds, o.Seconds)
	p.Rates = nil
	if o.Size > 0 && (p.Size == 0 || o.Size < p.Size) {
		p.Size, p.Slow = o.Size, o.Slow
	}
	p.Proof.Checked += o.Proof.Checked
	p.Proof.Unwritten += o.Proof.Unwritten
	if o.Proof.Method == noProof {
		p.Proof.Method = noProof
	}
	if o.Proof.Detail != "" && p.Proof.Detail == "" {
		p.Proof.Detail = name + ": " + o.Proof.Detail
	}
}

// noProof is the Method of a Proof that there is not.
const noProof = "none"

// Proof reports whether every byte of the volume was really written.
type Proof struct {
	// Method is "fiemap", "read-back" or "none".
	Method string `json:"method"`
	// Checked and Unwritten are bytes. Unwritten counts holes, unwritten extents
	// and blocks that did not read back as written.
	Checked   int64 `json:"checked"`
	Unwritten int64 `json:"unwritten"`
	// Detail is a phrase: why there is no proof, or what was found.
	Detail string `json:"detail,omitempty"`
	// Bandwidth is how fast everything was read back, in bytes/s; 0 where it was not.
	Bandwidth float64 `json:"bandwidth,omitempty"`
}
