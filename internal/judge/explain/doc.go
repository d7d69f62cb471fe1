// Package explain says where the time of one operation goes: a read, a write and its flush, a
// transaction.
//
// Its assumptions: everything that was measured beside the load is compared with what the client saw,
// which was measured differently; the two must agree, or nothing is concluded. Laws fill in what
// cannot be measured, and are marked as such. The effect of a shorter part is computed by the same
// laws, and only where they describe the measurement.
//
// The laws are Little's (N = X·L), the one of sequential operations (L is the sum of the parts), and
// the one of group commit: with N ≥ 2 clients whose own work C is shorter than a flush F, two groups
// alternate, so that there are 2/N flushes for each transaction, L = 2F and X = N/2F
// (docs/app-postgres.md, measured there). The behaviour of an application on other storage often lies
// between the laws, so a server that obeys them is simulated for that (docs/predict.md).
package explain
