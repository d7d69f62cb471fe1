package secrets

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loadline/loadline/internal/model"
)

// Secrets are masked, and the replacement says what was there.
func TestMaskText(t *testing.T) {
	for text, want := range map[string]string{
		"nbd://bob:hunter2@storage-1:10809/disk":                 "nbd://bob:PASSWORD@storage-1:10809/disk",
		"nbd://bob:hun@ter2@storage-1/disk":                      "nbd://bob:PASSWORD@storage-1/disk",
		"nbd://:hunter2@storage-1/disk":                          "nbd://:PASSWORD@storage-1/disk",
		"see postgres://app:hunter2@db/prod?sslmode=require.":    "see postgres://app:PASSWORD@db/prod?sslmode=require.",
		"https://x/y?token=hunter2&size=4":                       "https://x/y?token=TOKEN&size=4",
		"rbd:pool/image:id=admin:key=AQBhunter2==:conf=/etc/c":   "rbd:pool/image:id=ID:key=KEY:conf=/etc/c",
		"rbd:pool/image?id=admin&keyring=/etc/ceph/hunter2":      "rbd:pool/image?id=ID&keyring=KEYRING",
		"PGPASSWORD=hunter2 psql":                                "PGPASSWORD=PASSWORD psql",
		"password:1234 and token:12:34":                          "password:PASSWORD and token:TOKEN",
		"password: 12:34:":                                       "password: PASSWORD",
		"Authorization: Bearer hunter2":                          "Authorization: Bearer TOKEN",
		"curl -H 'X-Api-Key: hunter2' http://x":                  "curl -H 'X-Api-Key: KEY' http://x",
		"curl -u bob:hunter2 http://x":                           "curl -u bob:PASSWORD http://x",
		"ipmitool -U root -P hunter2 power cycle":                "ipmitool -U root -P PASSWORD power cycle",
		"sshpass -p hunter2 ssh a reboot":                        "sshpass -p PASSWORD ssh a reboot",
		"power --password hunter2 --off":                         "power --password PASSWORD --off",
		"curl -uadmin:hunter2 http://x":                          "curl -uadmin:PASSWORD http://x",
		"curl -sku admin:hunter2 http://x":                       "curl -sku admin:PASSWORD http://x",
		"curl -u 'admin:hun ter2' http://x":                      "curl -u 'admin:PASSWORD' http://x",
		`curl -u "admin:hun ter2" http://x`:                      `curl -u "admin:PASSWORD" http://x`,
		"curl -u a:hunter2 --proxy-user b:hunter3 http://x":      "curl -u a:PASSWORD --proxy-user b:PASSWORD http://x",
		"curl 'http://x?a=1&b=2;c' -u a:hunter2":                 "curl 'http://x?a=1&b=2;c' -u a:PASSWORD",
		"/usr/bin/mysql -phunter2 -e 'stop'":                     "/usr/bin/mysql -pPASSWORD -e 'stop'",
		"mysqldump -u root -p'hun ter2' db":                      "mysqldump -u root -pPASSWORD db",
		"redis-cli -h a -a hunter2 SHUTDOWN":                     "redis-cli -h a -a PASSWORD SHUTDOWN",
		"fence_ipmilan -a 10.0.0.1 -l root -p hunter2 -o off":    "fence_ipmilan -a 10.0.0.1 -l root -p PASSWORD -o off",
		"fence_apc -phunter2":                                    "fence_apc -pPASSWORD",
		"ipmitool -p 623 -P 'hun ter2' power off":                "ipmitool -p 623 -P PASSWORD power off",
		"sshpass -p \"hun ter2\" ssh -p 22 a":                    "sshpass -p PASSWORD ssh -p 22 a",
		`curl -d "{\"user\":\"a\",\"password\":\"hunter2\"}" x`:  `curl -d "{\"user\":\"a\",\"password\":\"PASSWORD\"}" x`,
		`curl -d '{"api_key": "hun ter2", "n": 1}' http://x`:     `curl -d '{"api_key": "KEY", "n": 1}' http://x`,
		`TOKEN="two words" reset`:                                `TOKEN=TOKEN reset`,
		`PASS='hunter2' reset`:                                   `PASS=PASSWORD reset`,
		`DB_PWD=hunter2 reset`:                                   `DB_PWD=PASSWORD reset`,
		"power --password 'two words' --off":                     "power --password PASSWORD --off",
		"echo hunter2 | sudo -S reboot":                          "echo PASSWORD | sudo -S reboot",
		"printf '%s|' \"hun ter2\" | sudo -k -S reboot":          "printf PASSWORD | sudo -k -S reboot",
		`{"what":"TOKEN=","b":"TOKEN=\"two words\" x","n":1}`:    `{"what":"TOKEN=","b":"TOKEN=TOKEN x","n":1}`,
		`{"what":"curl -d '{\"token\":\"hunter2\"}' x"}`:         `{"what":"curl -d '{\"token\":\"TOKEN\"}' x"}`,
		"bob:hunter2@storage-1":                                  "bob:PASSWORD@storage-1",
		`{"uri":"nbd://bob:hunter2@a/d?token=hunter2\u0026a=b"}`: `{"uri":"nbd://bob:PASSWORD@a/d?token=TOKEN\u0026a=b"}`,
	} {
		if got := MaskText(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
		// Recorded text is masked again when it is printed.
		if again := MaskText(want); again != want {
			t.Errorf("%s\n became %s", want, again)
		}
	}
}

// Everything that is not a secret is kept.
func TestMaskTextLeavesTheRest(t *testing.T) {
	for _, text := range []string{
		"", "/var/lib/data", "nbd://bob@storage-1/disk", "nbd+unix:///vol?socket=/run/s", "rbd:pool/ns/image", "bob@storage-1",
		"loadline/loadline:1.0@sha256:0123456789abcdef", "sc:fast?size=20Gi&mode=Block", "--pull-secret regcred", "--pull-secret=regcred",
		"csi.storage.k8s.io/provisioner-secret-name=rook-csi", "a key ring with 4 keys", "rand-read-iops iops > 60k",
		"ssh -p 2222 a reboot", "nbdkit -p 8080 memory", "cp -a a b", "mysql -p db", "curl -p http://x", "ipmitool -p 623 power off", "PWD=/root reset", "bypass=1",
		"sshd -p 22; mkdir -p /x", "mysqladmin shutdown; mkdir -pv /x", "echo b > /proc/sysrq-trigger", "echo off | sudo tee /sys/x", "uname -u a:b", `{"a":"curl x","b":"-u a:b"}`,
		`{"secretName":"regcred","ios":5}`,
		"/etc/passwd:1:1: an experiment is written as fields", "token:12:3: unknown field",
		`{"ios": 5, "key": 7}`, "12:30:45 the worker was lost", "keyboard=us", "the token is too easy: it needs at least 16 characters",
	} {
		// A sentence may lose a word after "token:", but not these.
		if got := MaskText(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestMaskCommandStaysACommand(t *testing.T) {
	args := []string{"loadline", "run", "nbd://bob:hunter2@a/d", "--hosts", "bob:hunter2@b,c", "--token", "hunter2", "--api-key=hunter2", "--pull-secret", "regcred",
		"--header", "Authorization: Basic hunter2", "--password", "--quiet", "--cut", "ipmitool -P hunter2 power off"}
	want := []string{"loadline", "run", "nbd://bob:PASSWORD@a/d", "--hosts", "bob:PASSWORD@b,c", "--token", "TOKEN", "--api-key=KEY", "--pull-secret", "regcred",
		"--header", "Authorization: Basic TOKEN", "--password", "--quiet", "--cut", "ipmitool -P PASSWORD power off"}
	before := slices.Clone(args)
	if diff := cmp.Diff(want, MaskCommand(args)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, args); diff != "" {
		t.Errorf("the command itself was changed: %s", diff)
	}
}

func TestMaskParameters(t *testing.T) {
	got := MaskParameters(map[string]string{
		"numberOfReplicas": "3", "encryptionKey": "hunter2", "adminPassword": "hunter2", "csi.storage.k8s.io/node-stage-secret-name": "rook",
		"csi.storage.k8s.io/node-stage-secret-namespace": "rook-ceph", "secret": "hunter2", "endpoint": "https://u:hunter2@x", "token": "",
	})
	want := map[string]string{
		"numberOfReplicas": "3", "encryptionKey": "KEY", "adminPassword": "PASSWORD", "csi.storage.k8s.io/node-stage-secret-name": "rook",
		"csi.storage.k8s.io/node-stage-secret-namespace": "rook-ceph", "secret": "SECRET", "endpoint": "https://u:PASSWORD@x", "token": "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A masked document is still valid JSON, whatever characters the password contains.
func TestMaskedStaysJSON(t *testing.T) {
	for _, secret := range []string{`hunter2`, `hun&ter2`, `hun'ter2`, `hun$ter;2`, `hun%22ter2`} {
		plan := model.Plan{Experiment: model.Experiment{Target: "nbd://bob:" + secret + "@a/d"}}
		text, err := json.Marshal(plan)
		if err != nil {
			t.Fatal(err)
		}
		var back model.Plan
		if err := json.Unmarshal([]byte(MaskText(string(text))), &back); err != nil || back.Experiment.Target != "nbd://bob:PASSWORD@a/d" {
			t.Errorf("%s: %v %q", secret, err, back.Experiment.Target)
		}
	}
	got := Masked(model.Plan{Experiment: model.Experiment{Target: "nbd://bob:hunter2@a/d"}, Volume: model.Volume{Size: 5}})
	if strings.Contains(got.Experiment.Target, "hunter2") || got.Volume.Size != 5 {
		t.Errorf("masked to %+v", got)
	}
}
