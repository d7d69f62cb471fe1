// Package durability finds out whether acknowledged, flushed writes are still there after a cut: it
// keeps a ledger outside the target (intent, write, flush, acknowledgement), causes a cut while it
// writes, and then reads every block back.
//
// Its assumptions: a write only counts if it was in the ledger before and after; for every block the
// newest acknowledged write ≤ what is found ≤ the newest intended one; and the report claims no more
// than the cut can show. Killing a process leaves the page cache intact, a cut that the writer did
// not notice may not have happened, and no number of clean cuts makes storage "safe".
//
// The writer is a separate process, so that it can be killed, hang in the kernel or lose its device
// without affecting the check. Everything that is known is in the ledger: the report is computed from
// it, so after a crash or a reboot a test continues where the ledger ends. (The idea of a ledger
// elsewhere is from Brad Fitzpatrick's diskchecker.pl.)
package durability
