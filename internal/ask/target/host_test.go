package target

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

func TestParseOnHost(t *testing.T) {
	for name, want := range map[string]model.Target{
		"/no/such/dir/":   {Name: "/no/such/dir/", Path: "/no/such/dir", Kind: model.Directory},
		"/dev/nvme9n1":    {Name: "/dev/nvme9n1", Path: "/dev/nvme9n1", Kind: model.BlockDevice},
		"rbd:pool/image":  {Name: "rbd:pool/image", Kind: model.RBD, URI: "pool/image"},
		"nbd://host/disk": {Name: "nbd://host/disk", Kind: model.NBD, URI: "nbd://host/disk"},
	} {
		got, err := ParseOnHost(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for _, name := range []string{"sc:fast", "pvc:a/b", "data", "./data", ""} {
		if _, err := ParseOnHost(name); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
}
