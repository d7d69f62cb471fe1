package model

// FinishedError is the end of a worker of which its place reports that it ended successfully: a failure
// if the worker had not been told to end, otherwise none.
type FinishedError struct{ Cause error }

// Error returns the message of the cause.
func (e *FinishedError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *FinishedError) Unwrap() error { return e.Cause }
