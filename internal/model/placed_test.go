package model

import (
	"strings"
	"testing"
)

// A command that names a file finds it from any directory, too.
func TestACommandFindsItsFilesAgain(t *testing.T) {
	home := func(_, name string) string { return "/home/" + name }
	for typed, want := range map[string]string{
		"loadline run t --job o.fio --results out --note o.fio": "loadline run t --job /home/o.fio --results /home/out --note o.fio",
		"loadline run t --job=o.fio --results=out":              "loadline run t --job=/home/o.fio --results=/home/out",
		"loadline app postgres t --script=a.sql --time=2s":      "loadline app postgres t --script=/home/a.sql --time=2s",
		"loadline run t --job":                                  "loadline run t --job",
	} {
		c := CommandLine(strings.Fields(typed))
		if got := strings.Join(c.WithFiles(home), " "); got != want {
			t.Errorf("%s becomes\n%s, not\n%s", typed, got, want)
		}
		if got := strings.Join(c, " "); got != typed {
			t.Errorf("what was recorded has become %s", got)
		}
	}
}

// The command shown in a report measures the same from any directory.
func TestACommandNamesItsTargetsSoThatTheyAreFoundAgain(t *testing.T) {
	here := func(name string) Target { return Target{Name: name, Kind: Directory, Path: "/srv/" + name} }
	dot := Target{Name: ".", Kind: Directory, Path: "/srv/here"}
	byID := Target{Name: "/dev/disk/by-id/x", Kind: BlockDevice, Path: "/dev/sda"}
	for _, c := range []struct {
		typed, want string
		targets     []Target
	}{
		{"loadline run . --profile quick", "loadline run /srv/here --profile quick", []Target{dot}},
		{"loadline run --yes .", "loadline run --yes /srv/here", []Target{dot}},
		{"loadline run . --results .", "loadline run /srv/here --results .", []Target{dot}},
		{"loadline run data --note data", "loadline run /srv/data --note data", []Target{here("data")}},
		{"loadline run --note data --yes data", "loadline run --note data --yes data", []Target{here("data")}},
		{"loadline run run", "loadline run /srv/run", []Target{here("run")}},
		{"loadline --color never run run", "loadline --color never run run", []Target{here("run")}},
		{"loadline app postgres postgres", "loadline app postgres /srv/postgres", []Target{{Name: "postgres", Kind: Postgres, Path: "/srv/postgres"}}},
		{"loadline app etcd . --etcd x", "loadline app etcd /srv/here --etcd x", []Target{{Name: ".", Kind: Etcd, Path: "/srv/here"}}},
		{"loadline scale a b --volumes 1,2", "loadline scale /srv/a /srv/b --volumes 1,2", []Target{here("a"), here("b"), here("b")}},
		{"loadline compare app postgres app postgres", "loadline compare app postgres /srv/app /srv/postgres", []Target{here("postgres"), here("app")}},
		{"loadline compare app other --quiet", "loadline compare /srv/app /srv/other --quiet", []Target{here("other"), here("app")}},
		{"loadline compare old new", "loadline compare /srv/old /srv/new", []Target{here("new"), here("old")}},
		{"loadline run .", "loadline run /srv/here", []Target{dot, {Name: ".", Kind: Directory, Path: "/srv/elsewhere"}}},
		{"loadline run pvc:prod/db", "loadline run pvc:prod/db", []Target{{Name: "pvc:prod/db"}}},
		{"loadline run data --destroy-data-on data", "loadline run /srv/data --destroy-data-on /srv/data", []Target{here("data")}},
		{"loadline run data --destroy-data-on=data --yes", "loadline run /srv/data --destroy-data-on=/srv/data --yes", []Target{here("data")}},
		// The name of a disk stays, and so does the permission to overwrite it: what its link leads to changes.
		{"loadline run /dev/disk/by-id/x --destroy-data-on=/dev/disk/by-id/x", "loadline run /dev/disk/by-id/x --destroy-data-on=/dev/disk/by-id/x", []Target{byID}},
		{"loadline compare /dev/disk/by-id/x disk --destroy-data-on disk", "loadline compare /dev/disk/by-id/x /srv/disk --destroy-data-on /srv/disk", []Target{byID, {Name: "disk", Kind: BlockDevice, Path: "/dev/sdb", TypedPath: "/srv/disk"}}},
		{"loadline run sdb --destroy-data-on sdb", "loadline run /dev/sdb --destroy-data-on /dev/sdb", []Target{{Name: "sdb", Kind: BlockDevice, Path: "/dev/sdb"}}},
		{"loadline run /srv/link", "loadline run /srv/link", []Target{{Name: "/srv/link", Kind: Directory, Path: "/srv/v2", TypedPath: "/srv/link"}}},
		{"loadline run -- -sdb --destroy-data-on=-sdb", "loadline run -- /dev/-sdb --destroy-data-on=/dev/-sdb", []Target{{Name: "-sdb", Kind: BlockDevice, Path: "/dev/-sdb"}}},
		{"loadline run vol --baseline=base", "loadline run /srv/vol --baseline=/srv/base", []Target{here("vol"), here("base")}},
		{"loadline app postgres db --wal log", "loadline app postgres /srv/db --wal /srv/log", []Target{here("db"), here("log")}},
		{"loadline app postgres db --wal db", "loadline app postgres /srv/db --wal /srv/db", []Target{here("db")}},
		{"loadline run --experiment x", "loadline run --experiment x", []Target{dot}},
	} {
		r := RunInfo{Command: strings.Fields(c.typed), Target: c.targets[0]}
		for _, target := range c.targets[1:] {
			r.Volumes = append(r.Volumes, Volume{Target: target})
		}
		if got := strings.Join(CommandLine(r.Command).Placed(r.Targets()), " "); got != c.want {
			t.Errorf("%s becomes\n%s, not\n%s", c.typed, got, c.want)
		}
		if got := strings.Join(r.Command, " "); got != c.typed {
			t.Errorf("what was recorded has become %s", got)
		}
	}
}
