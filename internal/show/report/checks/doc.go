// Package checks reports requirements and results to a CI system: each goal, each row of a
// comparison and each result is a check that passed, failed, was skipped or went wrong, as JUnit
// XML and as GitHub annotations. Its assumptions: the checks agree with the exit code, and an unclear
// result never counts as passed.
package checks
