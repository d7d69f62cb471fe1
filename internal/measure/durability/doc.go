// Package durability finds out whether acknowledged, flushed writes are still
// there after a cut: it keeps a ledger outside the target (intent, write, flush,
// acknowledgement), has something cut while it writes, and then reads every block
// back.
//
// Its opinion: a write counts only when the ledger said so before and after; for
// every block the newest acknowledged write ≤ what is found ≤ the newest intended
// one; and the report claims no more than the cut can show. The death of a process
// leaves the page cache alone, a cut that nobody noticed may not have happened,
// and no number of clean cuts makes storage "safe".
//
// The writer is a process of its own, so that it can be killed, hang in the kernel
// or lose its device without taking the check along. All that is known is in the
// ledger: the report is computed from it, so a test goes on after a crash, or a
// reboot, where the ledger ends. (The idea of a ledger elsewhere is that of Brad
// Fitzpatrick's diskchecker.pl.)
package durability
