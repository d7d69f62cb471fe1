// Package postgres loads PostgreSQL: it finds the programs of this machine, starts a server of
// its own in a directory, fills it, drives it with pgbench and reads what both of them count.
//
// Its opinion: the load is pgbench's, run as it is and logged transaction by transaction, so
// that its numbers can be held against any other pgbench; but no number of a database says
// anything about storage by itself, so the server's own counts of flushes, log bytes and reads
// stand beside each repeat. A server of ours never runs as root, listens on no network, and its
// data are gone when the run is.
//
// What is relied on is documented: pgbench's log and closing lines (the manual's page pgbench,
// "Per-Transaction Logging"), the views pg_stat_wal, pg_stat_bgwriter, pg_stat_checkpointer,
// pg_stat_io and pg_stat_database of versions 14 to 18, the file postmaster.pid.
package postgres
