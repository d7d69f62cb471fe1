package env

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
)

// Unread reports whether an error says nothing but that nobody reads the standard output any more.
func Unread(err error) bool {
	switch x := err.(type) {
	case *fs.PathError:
		return x.Path == "/dev/stdout" && errors.Is(x.Err, syscall.EPIPE)
	case interface{ Unwrap() error }:
		return Unread(x.Unwrap())
	case interface{ Unwrap() []error }:
		list := x.Unwrap()
		return len(list) > 0 && !slices.ContainsFunc(list, func(one error) bool { return !Unread(one) })
	}
	return false
}
