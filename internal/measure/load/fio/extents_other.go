//go:build unix && !linux

package fio

import (
	"errors"
	"os"
)

// direct is no flag of open here.
const direct = 0

// reserve does nothing: the writing allocates.
func reserve(*os.File, int64) error { return nil }

// zeroRange is not there.
func zeroRange(*os.File, int64) error { return errors.ErrUnsupported }

// mapped reports whether there is no extent map.
func mapped(string) bool { return false }
