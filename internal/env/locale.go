package env

import "strings"

// utf8Locale follows POSIX: LC_ALL takes precedence over LC_CTYPE, and that over LANG. If none is set,
// this is probably a bare container or cron job, where UTF-8 is the safer guess today; an explicit C or
// POSIX locale means ASCII.
func utf8Locale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}
