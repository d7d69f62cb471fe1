package units

import (
	"math"
	"strconv"
)

// WholeRates is what fio can keep to as a limit in I/Os per second.
const WholeRates = "a whole number from 1 to 1000000000"

// mostRate is more I/Os per second than any storage does; fio's own limit is a 32-bit number.
const mostRate = 1e9

// WholeRate reports whether a limit in I/Os per second is one of WholeRates, or 0 for no limit: any other
// would be rounded, and the load would not be the one that was asked for. If it is not, instead is the
// nearest limit, or the two nearest, such as "7 or 8".
func WholeRate(v float64) (instead string, ok bool) {
	switch {
	case v == 0:
		return "", true
	case !(v >= 1):
		return "1", false
	case v > mostRate:
		return strconv.Itoa(mostRate), false
	case v != math.Trunc(v):
		low := strconv.FormatFloat(math.Floor(v), 'f', -1, 64)
		return low + " or " + strconv.FormatFloat(math.Ceil(v), 'f', -1, 64), false
	}
	return "", true
}
