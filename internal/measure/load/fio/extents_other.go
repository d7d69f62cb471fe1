//go:build unix && !linux

package fio

import (
	"errors"
	"os"
)

// direct is 0: there is no such open flag here.
const direct = 0

// reserve does nothing: blocks are allocated when they are written.
func reserve(*os.File, int64) error { return nil }

// zeroRange is not supported here.
func zeroRange(*os.File, int64) error { return errors.ErrUnsupported }

// mapped returns false: there is no extent map here.
func mapped(string) bool { return false }
