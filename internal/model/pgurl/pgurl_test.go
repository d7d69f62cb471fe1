package pgurl

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model/secrets"
)

// parts lists what an address consists of, without the password, as libpq's connection strings do.
func parts(a Address) string {
	all := map[string]string{"user": a.User, "host": a.Host, "port": a.Port, "dbname": a.Database}
	maps.Copy(all, a.Parameters)
	var words []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if all[key] != "" {
			words = append(words, key+"='"+all[key]+"'")
		}
	}
	return strings.Join(words, " ")
}

func TestParse(t *testing.T) {
	for _, x := range []struct{ name, shown, told, password string }{
		{"postgres://bench:s3cret@db1:5433/shop", "postgres://bench@db1:5433/shop", "dbname='shop' host='db1' port='5433' user='bench'", "s3cret"},
		{"POSTGRESQL://db1", "postgres://db1/", "host='db1'", ""},
		{"postgres://", "postgres:///", "", ""},
		{"postgres:///shop?host=/run/postgresql&sslmode=require", "postgres://%2Frun%2Fpostgresql/shop?sslmode=require", "dbname='shop' host='/run/postgresql' sslmode='require'", ""},
		{"postgres://%2Frun%2Fpg:6000/x%20y", "postgres://%2Frun%2Fpg:6000/x%20y", "dbname='x y' host='/run/pg' port='6000'", ""},
		{"postgres://u:p%40:%2F%25!@[::1]:5432/d", "postgres://u@[::1]:5432/d", "dbname='d' host='::1' port='5432' user='u'", "p@:/%!"},
		{"postgres://o%27b@h/d?options=-c%20a%3Db%5C", "postgres://o%27b@h/d?options=-c%20a%3Db%5C", `dbname='d' host='h' options='-c a=b\' user='o'b'`, ""},
		{"postgres://h/d?ssl=true&user=u&port=7&dbname=e", "postgres://u@h:7/e?sslmode=require", "dbname='e' host='h' port='7' sslmode='require' user='u'", ""},
	} {
		a, err := Parse(x.name)
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		if a.String() != x.shown || parts(a) != x.told || a.Password != x.password {
			t.Errorf("%s: shown as %s, told %s, password %q", x.name, a, parts(a), a.Password)
		}
		again, err := Parse(a.String())
		if err != nil || again.String() != a.String() {
			t.Errorf("%s cannot be typed again: %s %v", a, again, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for name, words := range map[string]string{
		"postgres:h/d":                      "two slashes",
		"postgres://u:hunter2@h@i/d":        "more than one @",
		"postgres://u:hunter2/x@h/d":        "before its @",
		"postgres://u:hunter2?x@h/d":        "before its @",
		"postgres://u:hunter2'@h/d":         "hexadecimal",
		"postgres://u:hunter2%2@h/d":        "hexadecimal",
		"postgres://u:hunter2\"@h/d":        "hexadecimal",
		"postgres://u:hunter 2@h/d":         "blank",
		"postgres://u:hunter2@h,i/d":        "several servers",
		"postgres://u:hunter2@h/d?host=a,b": "several servers",
		"postgres://h:0/d":                  "is not a port",
		"postgres://h:hunter2/d":            "is not a port",
		"postgres://::1/d":                  "brackets",
		"postgres://[::1]5/d":               "must follow the ]",
		"postgres://h/d?password=hunter2":   "before the host",
		"postgres://h/d?sslpassword=hunter": "before the host",
		"postgres://h/d?a=b&a=c":            "twice",
		"postgres://h/d?A=b":                "none of libpq's",
		"postgres://h/a%3Db":                "holds a =",
		"postgres://h/d#x":                  "%23",
		"postgres://h/d%00":                 "does not parse",
	} {
		_, err := Parse(name)
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v, want %q", name, err, words)
		} else if strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: the error tells the password: %v", name, err)
		}
	}
}

// Whatever URL is accepted, its password must be masked where it is recorded: in a line, and in a
// document.
func FuzzPasswordsAreHidden(f *testing.F) {
	for _, p := range []string{"s3cret", "a:b", "!$&()*+,;=", "%40%2F", "~.-_", "x%22y"} {
		f.Add("user", p, "host")
		f.Add("", p, "")
	}
	f.Fuzz(func(t *testing.T, user, password, host string) {
		if len(password) < 3 || strings.Contains("postgres://PASSWORD@", password) {
			return
		}
		name := "postgres://" + user + ":" + password + "@" + host + "/d"
		a, err := Parse(name)
		if err != nil || strings.Contains(a.String(), password) || strings.Contains(user+host, password) {
			return
		}
		for _, text := range []string{"target: " + name, `{"target":"` + name + `"}`, "target: '" + name + "'"} {
			if masked := secrets.MaskText(text); strings.Contains(masked, password) {
				t.Errorf("%s", masked)
			}
		}
	})
}
