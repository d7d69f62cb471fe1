// Package explain says where the time of one operation goes: a read, a write and its flush, a
// transaction.
//
// Its opinion: everything that was measured beside the load is held against what the client
// saw, which was measured otherwise; the two must agree, or nothing is concluded. Laws fill in what
// nobody can measure, and say that they do. What would be otherwise if a part took less is
// computed by the same laws, and only where they describe what was measured.
//
// The laws are Little's (N = X·L), the one of operations that follow each other (L is the sum of
// the parts), and the one of group commit: with N ≥ 2 clients whose own work C is shorter than a
// flush F, two groups take turns, so that there are 2/N flushes for each transaction, L = 2F and
// X = N/2F (docs/app-postgres.md, measured there). What an application would do on other storage
// lies between the laws as often as not, so for that a server that obeys them is simulated
// (docs/predict.md).
package explain
