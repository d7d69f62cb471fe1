// Package external says what is known of a server that was there before a run and stays after it.
//
// Its opinion: what others own is described and left as it is, and what cannot be seen of it from
// here is not guessed.
package external

// Server is a server that exists and that others may use.
type Server struct {
	// Instance names the server's data and its start, so that two URLs of one server are told
	// as one. It is no secret.
	Instance string `json:"instance"`
	// Schema is what was made in it, and is removed; empty before.
	Schema string `json:"schema,omitempty"`
	// Data is the server's directory, where it is on this machine and that is certain; else "".
	Data string `json:"data,omitempty"`
	// Checkpoint tells that we may have it make a checkpoint before each repeat.
	Checkpoint bool `json:"checkpoint"`
	// Remarks are sentences about what was found before, and does not forbid to measure.
	Remarks []string `json:"remarks,omitempty"`
}
