// Package postgres loads PostgreSQL: it finds the programs on this machine, starts a server of its
// own in a directory, fills it, drives it with pgbench and reads the counters of both.
//
// Its assumptions: the load is an unmodified pgbench with per-transaction logging, so its numbers can
// be compared with any other pgbench run; but a database's throughput by itself says nothing about
// storage, so the server's own counts of flushes, log bytes and reads are reported with each
// repeat. A server that we start never runs as root, listens on no network, and its data are
// removed at the end of the run.
//
// Everything relied on is documented: pgbench's log and closing lines (the manual's page pgbench,
// "Per-Transaction Logging"), the views pg_stat_wal, pg_stat_bgwriter, pg_stat_checkpointer,
// pg_stat_io and pg_stat_database of versions 14 to 18, the file postmaster.pid.
package postgres
