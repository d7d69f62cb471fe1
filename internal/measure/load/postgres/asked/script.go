package asked

import "strings"

// hasSQL reports whether a script of pgbench contains more than comments, empty statements and commands
// to pgbench itself (\set, \sleep), which never reach the server.
func hasSQL(script string) bool {
	depth, meta := 0, false
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		continues := strings.HasSuffix(line, "\\")
		if depth == 0 && (meta || strings.HasPrefix(line, "\\")) {
			meta = continues
			continue
		}
		var rest string
		if depth, rest = withoutComments(line, depth); strings.Trim(rest, "; \t\ufeff") != "" {
			return true
		}
	}
	return false
}

// withoutComments returns what a line contains beside comments; depth is how many block comments, which
// may be nested, are open before the line and after it.
func withoutComments(line string, depth int) (after int, rest string) {
	var b strings.Builder
	for line != "" {
		switch {
		case strings.HasPrefix(line, "/*"):
			depth, line = depth+1, line[2:]
		case depth > 0 && strings.HasPrefix(line, "*/"):
			depth, line = depth-1, line[2:]
		case depth == 0 && strings.HasPrefix(line, "--"):
			return depth, b.String()
		default:
			if depth == 0 {
				b.WriteByte(line[0])
			}
			line = line[1:]
		}
	}
	return depth, b.String()
}
