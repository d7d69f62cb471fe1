// Package suggest finds the word that a user most likely meant by a mistyped one.
//
// Its assumptions: a far-fetched guess is worse than none.
package suggest

import "fmt"

// Nearest returns the candidate that the user most likely meant by name, or "" if none is near: at most
// a third of the longer word's letters differ (by optimal string alignment: insert, delete, replace,
// swap two neighbours), or the name is a substring of at least three letters of the candidate. If
// several are equally near, the first is returned.
func Nearest(name string, candidates []string) string {
	best, bestDistance := "", 0
	for _, c := range candidates {
		d := editDistance(name, c)
		if 3*d > max(len(name), len(c)) {
			continue
		}
		if best == "" || d < bestDistance {
			best, bestDistance = c, d
		}
	}
	if best != "" || len(name) < 3 {
		return best
	}
	for _, c := range candidates {
		if containsFold(c, name) && (best == "" || len(c) < len(best)) {
			best = c
		}
	}
	return best
}

// Question returns a suffix for a message that rejects name, asking whether the nearest candidate was
// meant: `; did you mean "read"?`, or "" if none is near.
func Question(name string, candidates []string) string {
	near := Nearest(name, candidates)
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// editDistance returns the optimal string alignment distance of a and b in bytes, ignoring case.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if lower(a[i-1]) == lower(b[j-1]) {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && lower(a[i-1]) == lower(b[j-2]) && lower(a[i-2]) == lower(b[j-1]) {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

func containsFold(s, piece string) bool {
	for i := 0; i+len(piece) <= len(s); i++ {
		j := 0
		for j < len(piece) && lower(s[i+j]) == lower(piece[j]) {
			j++
		}
		if j == len(piece) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
