package target

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/pgurl"
)

// serverParameters are the parameters in a server's URL that tell libpq how to reach it. Others say who
// connects, or configure a session, which the URL or Loadline itself does; or they name a file that
// could name another server.
var serverParameters = []string{
	"sslmode", "sslcert", "sslkey", "sslrootcert", "sslcrl", "sslcrldir", "sslsni", "sslnegotiation",
	"ssl_min_protocol_version", "gssencmode", "krbsrvname", "channel_binding", "require_auth", "connect_timeout", "passfile",
}

// IsServer reports whether a name refers to an existing PostgreSQL server.
func IsServer(name string) bool { return pgurl.Is(name) }

// ParseServer parses postgres://USER@HOST:PORT/DATABASE?PARAMETER=VALUE, with one host, a database and
// no password. The target's URI is the same in canonical form. A name that cannot be parsed may contain
// a password, so errors do not quote it.
func ParseServer(name string) (model.Target, error) {
	const form = "write postgres://USER@HOST:PORT/DATABASE"
	refuse := func(why, next string) (model.Target, error) {
		return model.Target{}, model.RefusedError("the URL of the PostgreSQL server is not usable: "+why, next)
	}
	const secret = "leave it out, and put it into ~/.pgpass (HOST:PORT:DATABASE:USER:PASSWORD, mode 0600) or into the variable PGPASSWORD"
	const listed = "it has a password in it, which every user of this machine can read in the list of processes"
	a, err := pgurl.Parse(name)
	switch {
	case err != nil && strings.Contains(err.Error(), "password stands"):
		return refuse(listed, secret)
	case err != nil:
		return refuse(err.Error(), form)
	case a.Password != "":
		return refuse(listed, secret)
	case strings.Contains(a.Host, ","):
		return refuse("it names several servers, and one is measured", "name the one: "+form)
	case a.Database == "":
		return refuse(a.String()+" names no database", form+"; psql -l lists them")
	case strings.ContainsFunc(a.String(), func(r rune) bool { return r < ' ' }) || strings.ContainsAny(a.User+a.Host+a.Database, "\n\r"):
		return refuse("it has line ends in it", form)
	}
	for _, key := range slices.Sorted(maps.Keys(a.Parameters)) {
		if !slices.Contains(serverParameters, key) || strings.ContainsAny(a.Parameters[key], "\n\r") {
			return refuse(fmt.Sprintf("the parameter %q is none that Loadline takes", key), "known: host, port, user, dbname, "+strings.Join(serverParameters, ", "))
		}
	}
	return model.Target{Name: a.String(), Kind: model.Postgres, URI: a.String()}, nil
}
