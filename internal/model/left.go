package model

// LeftError is an error that says that something was left behind, where and how it can be removed. An
// interruption must not hide it.
type LeftError struct{ *WorkerError }

// Unwrap returns the WorkerError.
func (e *LeftError) Unwrap() error { return e.WorkerError }
