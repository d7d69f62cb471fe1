package e2e

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestJob: the manifest of deploy/ measures from inside, with the Role's rights.
func TestJob(t *testing.T) {
	ns := namespace(t, "job", "restricted")
	for _, name := range []string{"role.yaml", "job.yaml"} {
		manifest, err := os.ReadFile("../../../deploy/" + name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(manifest)
		for _, edit := range [][2]string{
			{"namespace: default", "namespace: " + ns},
			{"loadline/loadline:latest", image},
			{`args: [run, "sc:standard",`, `args: [run, "sc:csi?size=96Mi", --only, rand-read-lat, --max-time, 12s,`},
			{"image: " + image + "\n", "image: " + image + "\n          imagePullPolicy: IfNotPresent\n"},
			// This cluster routes no service addresses, so the server is named.
			{"          env:\n", "          env:\n            - {name: KUBERNETES_SERVICE_HOST, value: " + server + "}\n            - {name: KUBERNETES_SERVICE_PORT, value: \"6443\"}\n"},
		} {
			if name == "job.yaml" && !strings.Contains(text, edit[0]) {
				t.Fatalf("job.yaml has no %q", edit[0])
			}
			text = strings.ReplaceAll(text, edit[0], edit[1])
		}
		kubectlIn(t, text, "apply", "-n", ns, "-f", "-")
	}
	kubectl(t, "wait", "-n", ns, "job/loadline", "--for=jsonpath={.status.conditions[0].status}=True", "--timeout=120s")
	logs := kubectl(t, "logs", "-n", ns, "job/loadline")
	// What it waited for comes first.
	_, document, _ := strings.Cut("\n"+logs, "\n{")
	var r report
	if err := json.Unmarshal([]byte("{"+document), &r); err != nil {
		t.Fatalf("the log is no report: %v\n%s", err, logs)
	}
	if c := r.Run.Environment.Cluster; r.Run.Status != "complete" || len(r.Results) == 0 || c.Node == "" || !c.Made {
		t.Errorf("%s, %+v, %d results", r.Run.Status, c, len(r.Results))
	}
	nothingLeft(t, ns)
}
