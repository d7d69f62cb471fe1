package model

import "github.com/loadline/loadline/internal/model/proof"

// Preparation is what was done to the volume before measuring, and the proof of it.
type Preparation struct {
	// Written is the number of bytes prefilled and Seconds the time during which at least one volume
	// was being written.
	Written int64   `json:"written"`
	Seconds float64 `json:"seconds"`
	Proof   Proof   `json:"proof"`
	// Path is the data file that was created, if the volume is our own.
	Path string `json:"path,omitempty"`
	// Size is the size in bytes to which the volume was shrunk, because writing all of it would have
	// taken too long, here or on the other side of a comparison; 0 if it was not. Slow is the rate in
	// bytes/s to which writing had dropped; 0 if that was on the other side.
	Size int64   `json:"size,omitempty"`
	Slow float64 `json:"slow,omitempty"`
	// Rates are the prefill rates, about one a second, in bytes/s; empty if several volumes were
	// written.
	Rates []float64 `json:"rates,omitempty"`
	// App is the application that was made ready instead of a file; nil if there was none.
	App *AppState `json:"app,omitempty"`
}

// Merge adds what was done at the same time to another volume, called name in messages. What is not
// proven for one volume is not proven for all.
func (p *Preparation) Merge(o Preparation, name string) {
	p.Written += o.Written
	p.Seconds = max(p.Seconds, o.Seconds)
	p.Rates, p.Proof.Rates = nil, nil
	if o.Size > 0 && (p.Size == 0 || o.Size < p.Size) {
		p.Size, p.Slow = o.Size, o.Slow
	}
	p.Proof.Checked += o.Proof.Checked
	p.Proof.Unwritten += o.Proof.Unwritten
	p.Proof.Sampled += o.Proof.Sampled
	p.Proof.Zeros += o.Proof.Zeros
	if !o.Proof.Method.Exists() {
		p.Proof.Method = proof.None
	}
	if o.Proof.Detail != "" && p.Proof.Detail == "" {
		p.Proof.Detail = name + ": " + o.Proof.Detail
	}
}

// Proof says whether every byte of the volume was really written.
type Proof struct {
	Method proof.Method `json:"method"`
	// Checked and Unwritten are bytes. Unwritten counts holes, unwritten extents
	// and blocks that did not read back as written.
	Checked   int64 `json:"checked"`
	Unwritten int64 `json:"unwritten"`
	// Sampled is how many blocks of 4 KiB were read where there is no proof and the content was there before,
	// and Zeros how many of them contain only zeros.
	Sampled int `json:"sampled,omitempty"`
	Zeros   int `json:"zeros,omitempty"`
	// Detail is a phrase: why there is no proof, or what was found.
	Detail string `json:"detail,omitempty"`
	// Bandwidth is the highest rate at which everything was read back, in bytes/s, and Rates are all
	// of them, about one a second; 0 and empty if it was not read back. Rates are empty if several
	// volumes were read.
	Bandwidth float64   `json:"bandwidth,omitempty"`
	Rates     []float64 `json:"rates,omitempty"`
}
