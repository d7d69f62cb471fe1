// Package doctor says whether a machine can measure well. Its opinion: what hinders is told
// before the first number and not after it, each with the command that fixes it; what cannot
// be seen from here is said to be invisible and is no fault.
package doctor
