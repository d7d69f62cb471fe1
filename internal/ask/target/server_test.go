package target

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

func TestParseServer(t *testing.T) {
	for name, uri := range map[string]string{
		"postgres://bench@db1/bench":                           "postgres://bench@db1/bench",
		"postgresql://bench@[::1]:5433/bench?sslmode=require":  "postgres://bench@[::1]:5433/bench?sslmode=require",
		"POSTGRES:///bench?host=/run/postgresql&port=5433":     "postgres:///bench?host=%2Frun%2Fpostgresql&port=5433",
		"postgres://a%40b@db1/some%20where":                    "postgres://a%40b@db1/some%20where",
		"postgres://bench@db1/bench?passfile=/home/u/.pgpass2": "postgres://bench@db1/bench?passfile=%2Fhome%2Fu%2F.pgpass2",
	} {
		got, err := ParseServer(name)
		if err != nil || got.URI != uri && !strings.Contains(name, "%40") || got.Kind != model.Postgres || got.Path != "" {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
	for name, words := range map[string]string{
		"postgres://u:hunter2@db1/bench":               "has a password in it",
		"postgres://u@db1/bench?password=hunter2":      "has a password in it",
		"postgres://u@db1/bench?sslpassword=hunter2":   "has a password in it",
		"postgres://u:hun@ter2@db1/bench":              "",
		"postgres://u:hunter2/@db1/bench":              "",
		"postgres://u:hunter2?@db1/bench":              "",
		"postgres://u:hunter2#@db1/bench":              "",
		"postgres://u@db1/be@nch":                      "an @ behind the host",
		"postgres://u@db1/bench?sslmode=a@b":           "an @ behind the host",
		"postgres://u@db1,db2/bench":                   "",
		"postgres://u@/bench?host=db1,db2":             "names several servers",
		"postgres://u@/bench?host=db1%2Cdb2":           "names several servers",
		"postgres://u@/bench?host=db1&host=db2":        "given twice",
		"postgres://u@db1/bench?port=1,2":              "names several servers",
		"postgres://u@db1/bench?host=db2":              "names the host twice",
		"postgres://u@db1:99999/bench":                 "is not a port",
		"postgres://u@db1/":                            "the database is missing",
		"postgres://u@db1":                             "the database is missing",
		"postgres://u@db1/a/b":                         "cannot be the name of a database",
		"postgres://u@db1/host=evil":                   "cannot be the name of a database",
		"postgres://u@db1/bench?hostaddr=10.0.0.1":     `the parameter "hostaddr" is none`,
		"postgres://u@db1/bench?service=prod":          `the parameter "service" is none`,
		"postgres://u@db1/bench?options=-csearch_path": `the parameter "options" is none`,
		"postgres://u@db1/bench\nx":                    "blanks or control characters",
		"postgres://u@db1/bench#x":                     "has a # in it",
	} {
		_, err := ParseServer(name)
		modeltest.Refused(t, err, words)
		if err != nil && (strings.Contains(err.Error(), "hun") || strings.Contains(err.Error(), "ter2")) {
			t.Errorf("%s: the password is said: %v", name, err)
		}
	}
	_, err := Parse("postgres://u:hunter2@db1/bench", Options{})
	modeltest.Refused(t, err, "measured as an application")
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the password is said: %v", err)
	}
}
