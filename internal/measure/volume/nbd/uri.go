package nbd

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Address is where an export is served.
type Address struct {
	// Network is "unix" or "tcp"; Server the socket's path or host:port.
	Network, Server string
	// Export is the name of the export; empty asks for the server's default.
	Export string
}

// ParseURI reads nbd+unix:///EXPORT?socket=PATH and nbd://HOST[:PORT]/EXPORT.
func ParseURI(uri string) (Address, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return Address{}, fmt.Errorf("not an NBD URI: %w", err)
	}
	a := Address{Export: strings.TrimPrefix(u.Path, "/")}
	switch {
	case u.Scheme == "nbd" && u.Hostname() != "":
		port := u.Port()
		if port == "" {
			port = "10809"
		}
		a.Network, a.Server = "tcp", net.JoinHostPort(u.Hostname(), port)
	case u.Scheme == "nbd":
		return Address{}, errors.New("not an NBD URI: the host is missing")
	case u.Scheme == "nbd+unix":
		a.Network, a.Server = "unix", u.Query().Get("socket")
		if a.Server == "" {
			return Address{}, errors.New("not an NBD URI: socket= is missing")
		}
	default:
		return Address{}, fmt.Errorf("not an NBD URI: the scheme %q is unknown", u.Scheme)
	}
	return a, nil
}
