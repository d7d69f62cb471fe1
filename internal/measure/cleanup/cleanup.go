// Package cleanup removes what killed runs have left in a directory, in the database of an existing server or in
// a Kubernetes cluster. Its assumptions: only what is certainly Loadline's own is removed, and nothing that a
// run in progress, or a durability test that has not been checked, still needs; whatever stays is reported,
// with the reason.
package cleanup

// Found is something that a run has left, and was removed unless it stays.
type Found struct {
	Name string
	// Stays says why it was not removed, and Next what to do about it; both may be empty.
	Stays, Next string
}

// Outcome says where was looked, and whether there was nothing to remove.
type Outcome struct {
	Where   string
	Nothing bool
}
