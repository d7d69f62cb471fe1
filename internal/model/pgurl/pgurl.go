// Package pgurl parses the URL of an existing PostgreSQL server,
// postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETER=VALUE, and converts it for libpq.
//
// Its assumptions: the password has a single place in the URL, where the masking of secrets finds it,
// and leaves it only for a program's environment: anything shown, recorded or passed as a process
// argument is made without it.
//
// Source of the format: PostgreSQL's manual, "Connection URIs"; of the characters that need no
// escaping: RFC 3986, section 3.2.1.
package pgurl

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Address identifies a server, the user to connect as, and the database. An empty field means libpq's
// default, which the environment may set (PGHOST …).
type Address struct {
	User, Password string
	// Host is a host name, an IP address, or the directory of a socket; Port is decimal.
	Host, Port string
	Database   string
	// Parameters are other libpq parameters, such as sslmode.
	Parameters map[string]string
}

// schemes are the URL schemes that are accepted.
var schemes = []string{"postgres://", "postgresql://"}

// Is reports whether a target's name is meant as such a URL.
func Is(name string) bool {
	low := strings.ToLower(name)
	return strings.HasPrefix(low, "postgres:") || strings.HasPrefix(low, "postgresql:")
}

// plain matches a user name or password without characters that need escaping; the colon between the
// two is not included. An apostrophe needs no escaping in RFC 3986, but would end a word in a shell or
// in YAML.
var plain = regexp.MustCompile(`^(?:[A-Za-z0-9._~!$&()*+,;=-]|%[0-9A-Fa-f]{2})*$`)

// mistaken returns the reason why a URL cannot be parsed. It must not quote a part that may be secret.
func mistaken(why string) (Address, error) { return Address{}, errors.New(why) }

// Parse parses a URL. Its error is a clause that says what is wrong and never contains the password.
func Parse(name string) (Address, error) {
	a := Address{Parameters: map[string]string{}}
	rest, ok := "", false
	for _, scheme := range schemes {
		if len(name) >= len(scheme) && strings.EqualFold(name[:len(scheme)], scheme) {
			rest, ok = name[len(scheme):], true
		}
	}
	if !ok {
		return mistaken("two slashes must follow the colon")
	}
	if strings.ContainsFunc(rest, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return mistaken("it holds a blank or a control character: write %20 for a blank")
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, rest := rest[:end], rest[end:]
	if strings.Contains(rest, "@") && !strings.Contains(authority, "@") {
		return mistaken("there is a slash, a question mark or a # before its @: in a password write %2F, %3F and %23 for them")
	}
	if strings.Contains(rest, "#") {
		return mistaken("it holds a #: write %23 for one")
	}
	if before, after, found := strings.Cut(authority, "@"); found {
		if strings.Contains(after, "@") {
			return mistaken("it holds more than one @: in a password write %40 for one")
		}
		if err := a.login(before); err != nil {
			return Address{}, err
		}
		authority = after
	}
	if err := a.server(authority); err != nil {
		return Address{}, err
	}
	path, query, _ := strings.Cut(rest, "?")
	var err error
	if a.Database, err = url.PathUnescape(strings.TrimPrefix(path, "/")); err != nil || strings.ContainsRune(a.Database, 0) {
		return mistaken("the name of the database does not parse")
	}
	if err := a.parameters(query); err != nil {
		return Address{}, err
	}
	return a, nil
}

// login parses USER:PASSWORD.
func (a *Address) login(text string) error {
	user, password, _ := strings.Cut(text, ":")
	var err1, err2 error
	a.User, err1 = url.PathUnescape(user)
	a.Password, err2 = url.PathUnescape(password)
	if !plain.MatchString(user) || !plain.MatchString(strings.ReplaceAll(password, ":", "")) || err1 != nil || err2 != nil || strings.ContainsRune(a.User+a.Password, 0) {
		return errors.New("the user or the password holds a character that must be written as % and two hexadecimal digits (%27 for an apostrophe, %22 for a quotation mark, %25 for %)")
	}
	return nil
}

// server parses HOST:PORT.
func (a *Address) server(text string) error {
	if strings.Contains(text, ",") {
		return errors.New("it names several servers, and one is measured")
	}
	host, port := text, ""
	if address, after, found := strings.Cut(strings.TrimPrefix(text, "["), "]"); found && strings.HasPrefix(text, "[") {
		host, port = address, strings.TrimPrefix(after, ":")
		if after != "" && !strings.HasPrefix(after, ":") {
			return errors.New("a colon and the port must follow the ]")
		}
	} else if i := strings.LastIndexByte(text, ':'); i >= 0 {
		host, port = text[:i], text[i+1:]
		if strings.Contains(host, ":") {
			return errors.New("an IPv6 address stands in brackets: [::1]")
		}
	}
	var err error
	if a.Host, err = url.PathUnescape(host); err != nil || strings.ContainsRune(a.Host, 0) {
		return errors.New("the host does not parse")
	}
	return a.setPort(port)
}

func (a *Address) setPort(port string) error {
	if n, err := strconv.Atoi(port); port != "" && (err != nil || n < 1 || n > 65535) {
		// It may be a password whose host is missing, so it is not quoted.
		return errors.New("what follows the colon of the host is not a port, which is a number up to 65535")
	}
	a.Port = port
	return nil
}

// parameters parses KEY=VALUE&….
func (a *Address) parameters(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("its parameters do not parse")
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		value := values[key][0]
		switch {
		case len(values[key]) > 1:
			return fmt.Errorf("it gives the parameter %q twice", key)
		case strings.Contains(key, "password"):
			return fmt.Errorf("it gives the parameter %q: a password stands before the host (postgres://USER:PASSWORD@HOST), in $PGPASSWORD or in ~/.pgpass", key)
		case strings.ContainsRune(value, 0) || !keyword.MatchString(key):
			return fmt.Errorf("the parameter %q is none of libpq's", key)
		case key == "host" || key == "hostaddr":
			if strings.Contains(value, ",") {
				return errors.New("it names several servers, and one is measured")
			}
			if key == "host" {
				a.Host = value
				continue
			}
			a.Parameters[key] = value
		case key == "port":
			if err := a.setPort(value); err != nil {
				return err
			}
		case key == "user":
			a.User = value
		case key == "dbname":
			a.Database = value
		case key == "ssl" && value == "true":
			// libpq accepts this JDBC parameter.
			a.Parameters["sslmode"] = "require"
		default:
			a.Parameters[key] = value
		}
	}
	if strings.Contains(a.Database, "=") || Is(a.Database) {
		return errors.New("the name of the database holds a =, by which libpq would take it for a list of settings")
	}
	return nil
}

// keyword matches the form of libpq's parameter names.
var keyword = regexp.MustCompile(`^[a-z_]+$`)

// String returns the URL without its password, so that it can be shown, recorded and typed again.
func (a Address) String() string {
	var b strings.Builder
	b.WriteString("postgres://")
	if a.User != "" {
		b.WriteString(escape(a.User) + "@")
	}
	switch {
	case strings.Contains(a.Host, ":"):
		b.WriteString("[" + a.Host + "]")
	default:
		b.WriteString(escape(a.Host))
	}
	if a.Port != "" {
		b.WriteString(":" + a.Port)
	}
	b.WriteString("/" + escape(a.Database))
	mark := "?"
	for _, key := range slices.Sorted(maps.Keys(a.Parameters)) {
		b.WriteString(mark + key + "=" + escape(a.Parameters[key]))
		mark = "&"
	}
	return b.String()
}

// escape percent-encodes everything but letters, digits and a few harmless characters.
func escape(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}
