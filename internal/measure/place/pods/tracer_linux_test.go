package pods

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/test/lab"
)

// TestATracersPod: it is created as shown, on its node, traces what it is told to, and nothing of it is
// left.
func TestATracersPod(t *testing.T) {
	devices, err := os.ReadDir("/sys/block")
	if err != nil || len(devices) == 0 {
		lab.Unavailable(t, "this machine has no block device")
	}
	n, client := newNode(t)
	n.whole = filepath.Join(n.dir, tracer)
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", n.whole, "../../../../cmd/loadline").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// The options for pods that measure do not apply to a tracer.
	where := kube.Where{Image: "loadline:test", Application: "postgres:17", Resources: map[string]string{"cpu": "2"}, NodeSelector: map[string]string{"disk": "fast"}, Tolerations: []string{"*"}}
	at := Place{Client: client, Made: Mark("trace", "test/1/x"), Where: where, Ready: time.Minute}
	if err := at.TryTracer(t.Context(), Tracer{Suffix: "-trace"}); err != nil || len(n.left()) > 0 {
		t.Fatalf("%v; a question has made %v", err, n.left())
	}
	shown, err := at.TracerManifest(Tracer{Suffix: "-trace"})
	if err != nil || strings.Contains(string(shown), at.Made.Token) || strings.Contains(string(shown), "postgres") || strings.Contains(string(shown), "limits") {
		t.Errorf("%v: %s", err, shown)
	}
	stream, err := at.PutTracer(t.Context(), Tracer{Node: "node1", Suffix: "-t1"}, func(words string) { t.Error(words) })
	if err != nil {
		t.Fatal(err)
	}
	made := n.left()
	if len(made) != 1 || !strings.HasSuffix(made[0], "/pods/"+at.Made.Run+"-t1") {
		t.Fatalf("made: %v", made)
	}
	n.Lock()
	pod := n.Objects[made[0]]["spec"].(object)
	n.Unlock()
	rights := pod["containers"].([]any)[0].(object)["securityContext"].(object)["capabilities"].(object)
	if !slices.Equal(rights["add"].([]any), []any{"BPF", "PERFMON"}) || !slices.Equal(rights["drop"].([]any), []any{"ALL"}) || pod["nodeSelector"] != nil || pod["initContainers"] != nil || pod["tolerations"] == nil || pod["affinity"] == nil {
		t.Errorf("%v of %v", rights, pod)
	}
	lines := bufio.NewReader(stream)
	for _, c := range []struct{ order, answer string }{
		{`{"devices":["` + devices[0].Name() + `"]}`, `"ready":true`}, {`{"begin":true}`, `"begun":`}, {`{"end":true}`, `"ended":`},
	} {
		if _, err := io.WriteString(stream, c.order+"\n"); err != nil {
			t.Fatal(err)
		}
		for line := ""; !strings.Contains(line, c.answer); {
			if line, err = lines.ReadString('\n'); err != nil || strings.Contains(line, `"failed":`) {
				t.Fatalf("%v: %s where %s is wanted", err, line, c.answer)
			}
		}
	}
	if err := stream.Close(); err != nil {
		t.Error(err)
	}
	if left := n.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
