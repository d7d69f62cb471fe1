// Package doctor reports whether a machine can measure well.
//
// Its assumptions: obstacles are reported before the first number and not after it, each with the command
// that fixes it; what cannot be seen from here is reported as not visible and does not count as a
// fault.
package doctor
