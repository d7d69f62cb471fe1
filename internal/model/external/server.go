// Package external describes a server that existed before a run and stays after it.
//
// Its assumptions: what others own is described and left as it is, and what cannot be observed from
// here is not guessed.
package external

// Server is an existing server that others may use.
type Server struct {
	// Instance identifies the server's data and its start, so that two URLs of the same server are
	// recognized as such. It is not secret.
	Instance string `json:"instance"`
	// Schema is the schema that was created in it and is removed at the end; empty before.
	Schema string `json:"schema,omitempty"`
	// Data is the server's data directory, if it is certain to be on this machine; else "".
	Data string `json:"data,omitempty"`
	// Checkpoint is set if we may request a checkpoint before each repeat.
	Checkpoint bool `json:"checkpoint"`
	// Remarks are sentences about findings that do not prevent measuring.
	Remarks []string `json:"remarks,omitempty"`
}
