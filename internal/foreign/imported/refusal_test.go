package imported

import (
	"errors"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// Unreadable input is refused with a sentence that says how far it was understood.
func TestRefusals(t *testing.T) {
	const json = "{\n \"fio version\": \"fio-3.33\",\n \"jobs\": [\n  {\"jobname\": \"x\", \"read\": {\"iops\": 1"
	for name, c := range map[string]struct{ data, as, want string }{
		"empty":           {"", "", "is empty"},
		"binary":          {"\x7fELF\x00\x01", "", "is binary (a zero byte at 4)"},
		"no text":         {"\xff\xfe\xff\xfd" + strings.Repeat("\xff", 20), "", "is not text"},
		"prose":           {"one\ntwo\n", "", "nothing in its 2 lines was recognized"},
		"one line":        {"hello\n", "", "nothing in its only line was recognized"},
		"near":            {"something\ntps = many\n", "", "the nearest format is pgbench's output (line 2: \"tps = many\")"},
		"begun":           {"pgbench (17.0)\nnumber of clients: 10\nkilled\n", "", "looks like pgbench's output and was understood up to line 2 (\"number of clients: 10\")"},
		"JSON that ends":  {json, "", "looks like fio's JSON or JSON+ output, understood up to line 4, but the JSON ends early"},
		"broken JSON":     {"{\n\"fio version\": \"fio-3.33\",\n\"jobs\": [}\n", "", "understood up to line 3, but the JSON is broken there"},
		"terse":           {"3;fio-3.33;log;0;0;0;1024;512;128;2000\n", "", "is fio's terse output"},
		"own document":    {"{\"schema\": \"loadline.report/v1\"}\n", "", "it is Loadline's own document"},
		"unknown format":  {"x", "fio-jsn", "did you mean \"fio-json\"?"},
		"not that format": {"tps = 1\n", "kafka", "is not kafka"},
		"a head only":     {"= FIO Summary =\n", "", "looks like dbench's summary and was understood up to line 1"},
		"no unit of time": {"     parsecs             : count     distribution\n 0 -> 1 : 5 |*|\n", "", "understood up to line 2"},
	} {
		_, err := Parse("file", []byte(c.data), c.as)
		var refused *model.WorkerError
		if !errors.As(err, &refused) || refused.Class != model.Refused || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want a refusal with %q", name, err, c.want)
		}
	}
}
