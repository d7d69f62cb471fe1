package kbench

import (
	"fmt"
	"strings"
)

// ParsePair parses cmp_run.sh's environment: two requests with different files and prefixes. Their
// prefixes are the names of the volumes.
func ParsePair(getenv func(string) string) ([2]Request, error) {
	var pair [2]Request
	for i, which := range []string{"FIRST", "SECOND"} {
		r, err := parseRest(getenv)
		if err != nil {
			return pair, err
		}
		size := getenv("SIZE")
		if size == "" {
			size = defaultSize
		}
		if err := r.size(size); err != nil {
			return pair, err
		}
		for _, v := range []struct {
			name string
			to   *string
			what string
		}{{which + "_VOL_NAME", &r.Prefix, "name"}, {which + "_VOL_FILE", &r.File, "file"}} {
			if *v.to = getenv(v.name); *v.to == "" {
				return pair, refused(fmt.Sprintf("the %s volume has no %s: %s is not set", strings.ToLower(which), v.what, v.name),
					"set FIRST_VOL_NAME, FIRST_VOL_FILE, SECOND_VOL_NAME and SECOND_VOL_FILE")
			}
		}
		// A comparison has its own summary, and does not run forever.
		r.SkipParse, r.LongRun = true, false
		pair[i] = r
	}
	if pair[0].Prefix == pair[1].Prefix {
		return pair, refused(fmt.Sprintf("both volumes are called %s, so one's results would replace the other's", pair[0].Prefix), "give them two names")
	}
	if pair[0].File == pair[1].File {
		pair[0].Remarks = append(pair[0].Remarks, fmt.Sprintf("both volumes are %s: what differs is noise", pair[0].File))
	}
	return pair, nil
}

// PairFile returns the file of the comparison's summary.
func PairFile(pair [2]Request) string { return pair[0].Prefix + "_vs_" + pair[1].Prefix + ".summary" }
