package postgres

import "github.com/loadline/loadline/internal/measure/load/daemon"

// chooseAccount returns the user that PostgreSQL's programs run as: initdb and postgres refuse to
// run as root, and pgbench scripts can start programs. The environment's settings for libpq and the
// server concern other servers.
func chooseAccount() (daemon.Account, error) {
	a, err := daemon.Choose("PostgreSQL", "postgres", "nobody")
	a.Hidden, a.Set = []string{"PG"}, []string{"PGCONNECT_TIMEOUT=10"}
	return a, err
}
