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
		"POSTGRES:///bench?host=/run/postgresql&port=5433":     "postgres://%2Frun%2Fpostgresql:5433/bench",
		"postgres://a%40b@db1/some%20where":                    "postgres://a%40b@db1/some%20where",
		"postgres://bench@db1/bench?passfile=/home/u/.pgpass2": "postgres://bench@db1/bench?passfile=%2Fhome%2Fu%2F.pgpass2",
	} {
		got, err := ParseServer(name)
		if err != nil || got.URI != uri || got.Kind != model.Postgres || got.Path != "" {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
	for name, words := range map[string]string{
		"postgres://u:hunter2@db1/bench":               "has a password in it",
		"postgres://u@db1/bench?password=hunter2":      "has a password in it",
		"postgres://u@db1/bench?sslpassword=hunter2":   "has a password in it",
		"postgres://u:hun@ter2@db1/bench":              "more than one @",
		"postgres://u:hunter2/@db1/bench":              "before its @",
		"postgres://u:hunter2?@db1/bench":              "before its @",
		"postgres://u:hunter2#@db1/bench":              "before its @",
		"postgres://db1/be@nch":                        "before its @",
		"postgres://u@db1,db2/bench":                   "names several servers",
		"postgres://u@/bench?host=db1,db2":             "names several servers",
		"postgres://u@/bench?host=db1%2Cdb2":           "names several servers",
		"postgres://u@db1%2Cdb2/bench":                 "names several servers",
		"postgres://u@/bench?host=db1&host=db2":        "twice",
		"postgres://u@db1/bench?port=1,2":              "is not a port",
		"postgres://u@db1:99999/bench":                 "is not a port",
		"postgres://u@db1/":                            "names no database",
		"postgres://u@db1":                             "names no database",
		"postgres://u@db1/host=evil":                   "holds a =",
		"postgres://u@db1/bench?hostaddr=10.0.0.1":     `the parameter "hostaddr" is none`,
		"postgres://u@db1/bench?service=prod":          `the parameter "service" is none`,
		"postgres://u@db1/bench?options=-csearch_path": `the parameter "options" is none`,
		"postgres://u@db1/bench\nx":                    "blank or a control character",
		"postgres://u@db1/bench%0ax":                   "line ends",
		"postgres://u@db1/bench#x":                     "holds a #",
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
