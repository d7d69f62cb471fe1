package model

// FinishedError is the end of a worker whose place says that it ended well: an error for
// whom it left alone, and none for whom it was told to end by.
type FinishedError struct{ Cause error }

// Error is what the place says.
func (e *FinishedError) Error() string { return e.Cause.Error() }

// Unwrap is the cause.
func (e *FinishedError) Unwrap() error { return e.Cause }
