package postgres

import "github.com/loadline/loadline/internal/measure/load/daemon"

// chooseAccount is who PostgreSQL's programs run as: initdb and postgres refuse to run as root,
// and scripts of pgbench can start programs. What the environment says to libpq and the server
// is about other servers.
func chooseAccount() (daemon.Account, error) {
	a, err := daemon.Choose("PostgreSQL", "postgres", "nobody")
	a.Hidden, a.Set = []string{"PG"}, []string{"PGCONNECT_TIMEOUT=10"}
	return a, err
}
