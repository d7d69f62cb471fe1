package harm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A forgotten configuration file or variable permits nothing: neither to overwrite what
// exists nor to create what does not.
func TestAConfigurationPermitsNothing(t *testing.T) {
	dir := t.TempDir()
	precious, missing, file := filepath.Join(dir, "precious"), filepath.Join(dir, "missing"), filepath.Join(dir, "etc", "loadline", "config.yaml")
	text := strings.Repeat("precious ", 1<<20)
	if err := os.WriteFile(precious, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	refused := func(t *testing.T, words string) {
		t.Helper()
		for _, args := range [][]string{
			{"run", precious, "--only", "rand-write-iops", "--max-time", "5s"}, {"compare", precious, dir, "--max-time", "5s"}, {"durability", precious, "--writes", "10"},
			{"run", missing, "--max-time", "5s"}, {"durability", missing, "--writes", "10"}, {"scale", missing, "--volumes", "1", "--max-time", "5s"},
		} {
			o := loadline(t, args...)
			if o.code != 2 || !strings.Contains(o.stderr, words) {
				t.Errorf("loadline %v: exit code %d, want 2 and %q: %s", args, o.code, words, o.said())
			}
			if got, err := os.ReadFile(precious); err != nil || string(got) != text {
				t.Fatalf("loadline %v has changed the file: %v", args, err)
			}
			if _, err := os.Lstat(missing); err == nil {
				t.Fatalf("loadline %v has made a file", args)
			}
		}
	}
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "etc"))
	for _, content := range []string{"destroy-data-on: " + precious, "create: true", "commands:\n  run: {destroy-data-on: " + precious + "}",
		"commands: {scale: {create: true}}", "force: true", "yes: true", "overwrite: true", "cut: rm " + precious, "restart: rm " + precious} {
		if err := os.WriteFile(file, []byte(content+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, file+":")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"LOADLINE_DESTROY_DATA_ON": precious, "LOADLINE_CREATE": "true", "LOADLINE_YES": "1", "LOADLINE_FORCE": "1", "LOADLINE_OVERWRITE": "1", "LOADLINE_LISTEN": "0.0.0.0:1"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			refused(t, "$"+name+" is set")
		})
	}
}
