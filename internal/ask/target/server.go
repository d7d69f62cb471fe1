package target

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// serverParameters are the parameters of a server's URL that are libpq's words for how to reach
// it. Others say who connects, or what a session is, which the URL or Loadline itself does; or
// they name a file that could name another server.
var serverParameters = []string{
	"host", "port", "sslmode", "sslcert", "sslkey", "sslrootcert", "sslcrl", "sslcrldir", "sslsni", "sslnegotiation",
	"ssl_min_protocol_version", "gssencmode", "krbsrvname", "channel_binding", "require_auth", "connect_timeout", "passfile",
}

// IsServer reports whether a name means a PostgreSQL server that exists.
func IsServer(name string) bool {
	scheme, _, found := strings.Cut(name, "://")
	return found && (strings.EqualFold(scheme, "postgres") || strings.EqualFold(scheme, "postgresql"))
}

// ParseServer reads postgres://USER@HOST:PORT/DATABASE?PARAMETER=VALUE as libpq does ("Connection
// URIs" in PostgreSQL's manual), with one host and no password. The URI of the target is the
// same in one form.
func ParseServer(name string) (model.Target, error) {
	// What may hold a password is never said.
	refuse := func(shown, why, next string) (model.Target, error) {
		return model.Target{}, model.RefusedError(fmt.Sprintf("%s is not a usable URL of a PostgreSQL server: %s", shown, why), next)
	}
	const form, whole = "write postgres://USER@HOST:PORT/DATABASE", "what begins with postgres://"
	if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return refuse(whole, "it has blanks or control characters in it", form+", with %20 for a blank")
	}
	u, err := url.Parse(name)
	if err != nil {
		return refuse(whole, "it does not parse; a sign such as @, / or % within a name must be escaped", form+", with %40 for @ and %2F for /")
	}
	if strings.Contains(u.EscapedPath()+u.RawQuery+u.Fragment, "@") || strings.Contains(u.User.String(), "@") {
		return refuse(whole, "it has an @ behind the host, so that nobody can tell where the host begins", form+", with %40 for an @ that is part of a name")
	}
	if _, has := u.User.Password(); has {
		return refuse(whole, "it has a password in it, which every user of this machine can read in the list of processes",
			"leave it out, and put it into ~/.pgpass (HOST:PORT:DATABASE:USER:PASSWORD, mode 0600) or into the variable PGPASSWORD")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return refuse(whole, "its parameters do not parse", form+"?sslmode=require")
	}
	for key, values := range query {
		switch {
		case strings.Contains(strings.ToLower(key), "password"):
			return refuse(whole, "it has a password in it, which every user of this machine can read in the list of processes",
				"leave it out, and put it into ~/.pgpass (HOST:PORT:DATABASE:USER:PASSWORD, mode 0600) or into the variable PGPASSWORD")
		case !slices.Contains(serverParameters, key):
			return refuse(whole, fmt.Sprintf("the parameter %q is none that Loadline takes", key), "known: "+strings.Join(serverParameters, ", "))
		case len(values) > 1:
			return refuse(whole, fmt.Sprintf("the parameter %q is given twice", key), "give it once")
		}
	}
	if u.Fragment != "" || u.Opaque != "" {
		return refuse(name, "it has a # in it, which must be escaped", form+", with %23 for #")
	}
	for what, in := range map[string][2]string{"host": {u.Hostname(), query.Get("host")}, "port": {u.Port(), query.Get("port")}} {
		switch {
		case strings.Contains(in[0]+in[1], ",") || strings.Contains(u.Host, ","):
			return refuse(name, "it names several servers, and each connection could come to another one", "name the one that is to be measured: "+form)
		case in[0] != "" && in[1] != "":
			return refuse(name, "it names the "+what+" twice", "name it once")
		}
	}
	if port := u.Port() + query.Get("port"); port != "" && !validPort(port) {
		return refuse(name, fmt.Sprintf("%q is not a port", port), form)
	}
	database := strings.TrimPrefix(u.Path, "/")
	switch {
	case database == "":
		return refuse(name, "the database is missing", form+"; psql -l lists them")
	case strings.ContainsAny(database, "/=") || IsServer(database):
		return refuse(name, fmt.Sprintf("%q cannot be the name of a database here", database), "name one without a slash and an equals sign")
	}
	u.Scheme, u.RawQuery = "postgres", query.Encode()
	return model.Target{Name: name, Kind: model.Postgres, URI: u.String()}, nil
}
