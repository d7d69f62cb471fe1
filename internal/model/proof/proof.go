// Package proof names the ways to prove that every byte of a volume was written.
//
// Its assumptions: a volume whose content nothing proves is not a volume with holes, so that there is no proof is said
// in a word of its own; and the words are those of saved runs, so they do not change.
package proof

// Method is how it was proved.
type Method string

const (
	// FIEMAP is the filesystem's own map of the file.
	FIEMAP Method = "fiemap"
	// ReadBack is reading everything back and comparing it with what was written.
	ReadBack Method = "read-back"
	// None is no proof.
	None Method = "none"
)

// Exists reports whether there is a proof; a run that ended before there could be one has no method at all.
func (m Method) Exists() bool { return m != "" && m != None }
