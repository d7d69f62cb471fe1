package etcd

import "testing"

func TestTheEndOfALog(t *testing.T) {
	log := `{"level":"info","msg":"serving"}
{"level":"warn","msg":"slow fdatasync","took":"2s"}
{"level":"warn","msg":"slow fdatasync","took":"3s"}
{"level":"panic","msg":"failed to save","error":"write 0.tmp: no space left on device","stacktrace":"main.main\n\t/go/x.go:1"}
panic: failed to save

{"level":"fatal","msg":"failed to com`
	if got, want := lastRecords(log), `failed to save: write 0.tmp: no space left on device; panic: failed to save; {"level":"fatal","msg":"failed to com`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := lastRecords(""); got != "" {
		t.Error(got)
	}
}
