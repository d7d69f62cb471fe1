package kube

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/loadline/loadline/internal/model"
)

// TestRealServer compares the fakes of the other tests with a real API server: its rights, quotas,
// standards, schemas and labels. There is no node, so no pod ever really runs.
func TestRealServer(t *testing.T) {
	s := realServer(t)
	s.classes(t)
	t.Run("rights", s.rights)
	t.Run("labels", s.labels)
	t.Run("quota", s.quota)
	t.Run("pod security", s.podSecurity)
	t.Run("manifests", s.manifests)
	t.Run("arguments", s.arguments)
	// The last one, because it kills the server.
	t.Run("restart", s.restart)
}

// classes makes two StorageClasses.
func (s *apiServer) classes(t *testing.T) {
	for _, name := range []string{"standard", "fast"} {
		s.make(t, "/apis/storage.k8s.io/v1/storageclasses", object{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
			"metadata": object{"name": name}, "provisioner": "example.com/none", "parameters": object{"replicas": "3"}, "volumeBindingMode": "WaitForFirstConsumer"})
	}
}

// right is one verb on one resource.
type right struct{ group, resource, verb string }

// published returns the rights of each Role in deploy/role.yaml.
func published(t *testing.T) map[string][]right {
	t.Helper()
	text, err := os.ReadFile("../../../deploy/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]right{}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		var role rbacv1.ClusterRole
		if err := decoder.Decode(&role); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		for _, r := range role.Rules {
			for _, resource := range r.Resources {
				for _, verb := range r.Verbs {
					all[role.Name] = append(all[role.Name], right{r.APIGroups[0], resource, verb})
				}
			}
		}
	}
}

// grant grants a user rights in the whole cluster or, with a namespace, in that namespace.
func (s *apiServer) grant(t *testing.T, user, namespace string, rights []right) {
	t.Helper()
	const group = "rbac.authorization.k8s.io"
	path, kind := "/apis/"+group+"/v1/", "ClusterRole"
	roles, bindings := "clusterroles", "clusterrolebindings"
	if namespace != "" {
		path, kind, roles, bindings = path+"namespaces/"+namespace+"/", "Role", "roles", "rolebindings"
	}
	var rules []rbacv1.PolicyRule
	for _, r := range rights {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{r.group}, Resources: []string{r.resource}, Verbs: []string{r.verb}})
	}
	s.make(t, path+roles, object{"apiVersion": group + "/v1", "kind": kind, "metadata": object{"name": user}, "rules": rules})
	s.make(t, path+bindings, object{"apiVersion": group + "/v1", "kind": kind + "Binding", "metadata": object{"name": user},
		"roleRef": object{"apiGroup": group, "kind": kind, "name": user}, "subjects": []object{{"apiGroup": group, "kind": "User", "name": user}}})
}

// cycle does what a run does in a cluster, as far as that is possible without a node, with objects
// of the given name, and returns the first error.
func cycle(ctx context.Context, c *Client, name string) error {
	made := Made{Run: name, Driver: "here/1"}
	if _, err := c.MakeClaim(ctx, ClaimSpec{Name: name, Made: made, Class: "standard", Size: 1 << 30}); err != nil {
		return err
	}
	if _, err := c.MakePod(ctx, PodSpec{Name: name, Made: made, Claim: name, Where: Where{Image: "image:1"}, Command: []string{"loadline"}}); err != nil {
		return err
	}
	if _, err := c.UsedBy(ctx, c.Namespace, name, ""); err != nil {
		return err
	}
	var facts model.Cluster
	if err := errors.Join(c.Class(ctx, "standard", &facts), c.ClaimFacts(ctx, c.Namespace, name, &facts)); err != nil {
		return err
	}
	if _, _, err := c.standing(ctx, name, name, reason{}, true); err != nil {
		return err
	}
	worker, err := c.Exec(ctx, name, "loadline", "agent")
	if err != nil {
		return err
	}
	// Without a node it only gets as far as the server's permission.
	if _, err := worker.Read(make([]byte, 1)); err == nil || strings.Contains(err.Error(), "the right to") {
		return errors.Join(err, worker.Close())
	}
	worker.Close()
	own, err := c.Own(ctx, c.Namespace, name)
	if err == nil && len(own) != 2 {
		err = fmt.Errorf("own are %v", own)
	}
	if err != nil {
		return err
	}
	return c.Remove(ctx, own, time.Minute)
}

// appCycle does the same for the StatefulSet of an application. Without its controller there is no pod.
func appCycle(ctx context.Context, c *Client, name string) error {
	spec := PodSpec{Name: name + "-set", Made: Made{Run: name, Driver: "here/1"}, Set: true, Claim: name, Where: Where{Image: "image:1"}, Command: []string{"loadline"}}
	uid, err := c.MakePod(ctx, spec)
	if err != nil {
		return err
	}
	if _, err := c.WaitMade(ctx, spec, time.Millisecond, func(string) {}); err == nil || !strings.Contains(err.Error(), "the pod "+name+"-set-0 was not made within ") {
		return fmt.Errorf("a pod was made: %w", err)
	}
	return c.Remove(ctx, []Object{{Kind: spec.Kind(), Namespace: c.Namespace, Name: spec.Name, UID: uid}}, time.Minute)
}

// jobCycle does the same for a Job that drives a measurement from inside.
func jobCycle(ctx context.Context, c *Client, name string) error {
	if err := c.MakeJob(ctx, JobSpec{Name: name, Made: Made{Run: name, Driver: "here/1"}, Where: Where{Image: "image:1"}, Command: []string{"loadline"}}); err != nil {
		return err
	}
	if pod, err := c.FindJob(ctx, name); err != nil || pod != nil {
		return fmt.Errorf("%v: %w", pod, err)
	}
	log, err := c.Log(ctx, &JobPod{Name: "none", Container: "c"})
	if err == nil {
		return errors.Join(errors.New("a pod that is not there has a log"), log.Close())
	}
	if strings.Contains(err.Error(), "the right to") {
		return err
	}
	own, err := c.Own(ctx, c.Namespace, name)
	if err != nil {
		return err
	}
	return c.Remove(ctx, own, time.Minute)
}

// rights checks that everything works with the published Roles, and that without any single one of
// their rights the error names the verb and the resource, except where the right is documented as
// optional.
func (s *apiServer) rights(t *testing.T) {
	roles := published(t)
	measure, jobs := roles["loadline"], roles["loadline-jobs"]
	if len(measure) < 10 || len(jobs) < 10 || len(roles["loadline-facts"]) < 3 {
		t.Fatalf("role.yaml has %v", roles)
	}
	s.namespace(t, "rights", nil)
	without := func(rights []right, gone ...right) []right {
		return slices.DeleteFunc(slices.Clone(rights), func(r right) bool { return slices.Contains(gone, r) })
	}
	execGet, execCreate := right{"", "pods/exec", "get"}, right{"", "pods/exec", "create"}
	type attempt struct {
		user  string
		cycle func(context.Context, *Client, string) error
		// missing is the right that the error must name; empty for none.
		missing right
	}
	attempts := []attempt{{user: "all", cycle: cycle}, {user: "no-facts", cycle: cycle}, {"no-exec", cycle, execCreate}, {user: "all", cycle: appCycle}, {user: "all-jobs", cycle: jobCycle}}
	s.grant(t, "all", "rights", measure)
	s.grant(t, "all-facts", "", roles["loadline-facts"])
	s.grant(t, "all-jobs", "rights", slices.Concat(measure, jobs))
	s.grant(t, "no-facts", "rights", measure)
	s.grant(t, "no-exec", "rights", without(measure, execGet, execCreate))
	for i, r := range measure {
		user := fmt.Sprintf("without-%d", i)
		s.grant(t, user, "rights", without(measure, r))
		switch {
		case r.resource == "statefulsets":
			if r.verb == "get" || r.verb == "list" {
				// A set that may not be read is assumed to be gone, or not to be ours.
				r = right{}
			}
			attempts = append(attempts, attempt{user, appCycle, r})
		case r == execCreate:
			// Without a node the exec by the other verb fails as well, and then this verb is tried.
		case r.resource == "events", r == execGet:
			// Without events no reasons are reported; of the two verbs of exec one is enough.
			attempts = append(attempts, attempt{user: user, cycle: cycle})
		default:
			attempts = append(attempts, attempt{user, cycle, r})
		}
	}
	for i, r := range jobs {
		if r.resource != "pods/log" && (r.verb == "get" || r.verb == "list") {
			// A user without this right is assumed to have made none.
			continue
		}
		user := fmt.Sprintf("job-without-%d", i)
		s.grant(t, user, "rights", slices.Concat(measure, without(jobs, r)))
		attempts = append(attempts, attempt{user, jobCycle, r})
	}
	last := s.as(t, attempts[len(attempts)-1].user, "rights")
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		// The server learns of new rights a moment later, in their order.
		if _, err := last.UsedBy(t.Context(), "rights", "none", ""); err == nil {
			break
		} else if time.Since(begin) > time.Minute {
			t.Fatal(err)
		}
	}
	for _, a := range attempts {
		t.Run(a.user+" "+a.missing.verb+" "+a.missing.resource, func(t *testing.T) {
			t.Parallel()
			// The name must differ from that of the published Role, because the Job makes its own.
			err := a.cycle(t.Context(), s.as(t, a.user, "rights"), "run-"+a.user)
			if a.missing.verb == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var said *model.WorkerError
			want := fmt.Sprintf("the right to %s %s in the namespace rights is missing: ", a.missing.verb, a.missing.resource)
			if !errors.As(err, &said) || said.Class != model.Refused || !strings.HasPrefix(said.Message, want) || !strings.Contains(said.Hint, "deploy/role.yaml") {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
	t.Run("facts", func(t *testing.T) {
		var facts, none model.Cluster
		all := s.as(t, "all-facts", "rights")
		// The server learns of cluster-wide rights separately.
		for begin := time.Now(); facts.Provisioner == "" && time.Since(begin) < time.Minute; time.Sleep(20 * time.Millisecond) {
			if err := all.Class(t.Context(), "fast", &facts); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.as(t, "no-facts", "rights").Class(t.Context(), "fast", &none); err != nil {
			t.Fatal(err)
		}
		if facts.Provisioner != "example.com/none" || facts.Binding != "WaitForFirstConsumer" || none.Provisioner != "" {
			t.Errorf("with the right: %+v; without: %+v", facts, none)
		}
		err := all.Class(t.Context(), "fats", &facts)
		var said *model.WorkerError
		if !errors.As(err, &said) || said.Message != "the cluster has no StorageClass fats" || !strings.Contains(said.Hint, "loadline run sc:fast") {
			t.Errorf("a class that is not there: %v", err)
		}
	})
}

// labels checks that objects with our label are found, in one namespace and in all, and removed,
// and that no others are.
func (s *apiServer) labels(t *testing.T) {
	ctx := t.Context()
	for _, name := range []string{"one", "two"} {
		s.namespace(t, name, nil)
		c := s.as(t, "", name)
		for _, run := range []string{"r1", "r2"} {
			made := Made{Run: run, Driver: "host/7", Token: "ours"}
			_, claimErr := c.MakeClaim(ctx, ClaimSpec{Name: "c-" + run, Made: made, Class: "standard", Size: 1 << 30})
			_, podErr := c.MakePod(ctx, PodSpec{Name: "p-" + run, Made: made, Claim: "c-" + run, Where: Where{Image: "image:1"}})
			_, setErr := c.MakePod(ctx, PodSpec{Name: "s-" + run, Made: made, Set: true, Claim: "c-" + run, Where: Where{Image: "image:1"}})
			if err := errors.Join(claimErr, podErr, setErr); err != nil {
				t.Fatal(err)
			}
		}
		// A pod of another user.
		s.make(t, "/api/v1/namespaces/"+name+"/pods", object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "db"},
			"spec": object{"containers": []object{{"name": "db", "image": "db:1"}}}})
	}
	c := s.as(t, "", "one")
	for _, q := range []struct {
		namespace, run string
		want           []string
	}{
		{"one", "r1", []string{"claim one/c-r1", "pod one/p-r1", "statefulset one/s-r1"}},
		{"one", "", []string{"claim one/c-r1", "claim one/c-r2", "pod one/p-r1", "pod one/p-r2", "statefulset one/s-r1", "statefulset one/s-r2"}},
		{"", "r2", []string{"claim one/c-r2", "claim two/c-r2", "pod one/p-r2", "pod two/p-r2", "statefulset one/s-r2", "statefulset two/s-r2"}},
		{"one", "r3", nil},
	} {
		own, err := c.Own(ctx, q.namespace, q.run)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(q.want, names(own)); diff != "" {
			t.Errorf("%+v: %s", q, diff)
		}
		for _, o := range own {
			if o.Driver != "host/7" || o.Running || o.Age > time.Minute {
				t.Errorf("%+v", o)
			}
		}
	}
	// Making an existing object of ours again changes nothing and is not an error: a response was
	// lost.
	own, err := c.Own(ctx, "one", "")
	if err != nil {
		t.Fatal(err)
	}
	claim := own[slices.IndexFunc(own, func(o Object) bool { return o.Name == "c-r1" })]
	again := ClaimSpec{Name: "c-r1", Made: Made{Run: "r1", Driver: "host/7", Token: "ours"}, Class: "standard", Size: 1 << 30}
	if uid, err := c.MakeClaim(ctx, again); err != nil || uid != claim.UID || uid == "" {
		t.Errorf("%q, not %q: %v", uid, claim.UID, err)
	}
	// Another run's object is not taken over, and is not removed in place of an older one.
	again.Token = "theirs"
	if _, err := c.MakeClaim(ctx, again); err == nil || !strings.Contains(err.Error(), "exists already and is not this run's") {
		t.Errorf("somebody else's was taken over: %v", err)
	}
	older := claim
	older.UID = "00000000-0000-0000-0000-000000000000"
	if err := c.Remove(ctx, []Object{older, {Kind: "pod", Namespace: "one", Name: "p-r1", Token: "theirs"}}, time.Minute); err != nil {
		t.Error(err)
	}
	if left, err := c.Own(ctx, "one", ""); err != nil || len(left) != 6 {
		t.Errorf("left are %v, %v", left, err)
	}
	if err := c.Remove(ctx, own, time.Minute); err != nil {
		t.Error(err)
	}
	for namespace, n := range map[string]int{"one": 0, "two": 6} {
		if left, err := c.Own(ctx, namespace, ""); err != nil || len(left) != n {
			t.Errorf("left in %s are %v, %v", namespace, left, err)
		}
	}
	if used, err := c.UsedBy(ctx, "one", "c-r1", ""); err != nil || len(used) != 0 {
		t.Errorf("%v %v", used, err)
	}
	if err := c.get(ctx, c.core, "one", "pods", "db", &corev1.Pod{}); err != nil {
		t.Errorf("somebody else's pod: %v", err)
	}
	err = c.ClaimFacts(ctx, "one", "c-r1", &model.Cluster{})
	if err == nil || !strings.Contains(err.Error(), "there is no claim c-r1 in the namespace one") {
		t.Errorf("%v", err)
	}
}

// quota checks that what a quota forbids is reported in a sentence with the quota's own message.
func (s *apiServer) quota(t *testing.T) {
	s.namespace(t, "small", nil)
	const path = "/api/v1/namespaces/small/resourcequotas"
	hard := object{"requests.storage": "10Gi", "pods": "0"}
	quota := object{"apiVersion": "v1", "kind": "ResourceQuota", "metadata": object{"name": "few"}, "spec": object{"hard": hard}}
	s.make(t, path, quota)
	// A controller would update the usage.
	status := object{"status": object{"hard": hard, "used": object{"requests.storage": "8Gi", "pods": "0"}}}
	if err := s.ask(t, "PATCH", path+"/few/status", "application/merge-patch+json", status); err != nil {
		t.Fatal(err)
	}
	c := s.as(t, "", "small")
	refused := func(err error, words ...string) {
		t.Helper()
		var said *model.WorkerError
		if !errors.As(err, &said) || said.Class != model.Refused || !strings.Contains(said.Hint, "kubectl describe quota -n small") {
			t.Errorf("%v", err)
			return
		}
		for _, w := range append(words, "the quota of the namespace small does not allow it") {
			if !strings.Contains(said.Message, w) {
				t.Errorf("%q lacks %q", said.Message, w)
			}
		}
	}
	made := Made{Run: "r", Driver: "here/1"}
	// The server learns of the quota a moment later.
	var err error
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(50 * time.Millisecond) {
		if _, err = c.MakeClaim(t.Context(), ClaimSpec{Name: "large", Made: made, Class: "standard", Size: 20 << 30}); err == nil || strings.Contains(err.Error(), "exceeded quota") {
			break
		}
	}
	refused(err, "requested: requests.storage=20Gi, used: requests.storage=8Gi, limited: requests.storage=10Gi")
	_, err = c.MakePod(t.Context(), PodSpec{Name: "p", Made: made, Claim: "c", Where: Where{Image: "image:1"}})
	refused(err, "requested: pods=1, used: pods=0, limited: pods=0")
	if _, err := c.MakeClaim(t.Context(), ClaimSpec{Name: "fits", Made: made, Class: "standard", Size: 1 << 30}); err != nil {
		t.Errorf("what fits the quota: %v", err)
	}
}

// podSecurity checks that a namespace with the standard "restricted" accepts our pods, and refuses
// those that ask for root with a sentence.
func (s *apiServer) podSecurity(t *testing.T) {
	s.namespace(t, "strict", map[string]string{"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/enforce-version": "latest"})
	c := s.as(t, "", "strict")
	spec := func(name string) PodSpec {
		return PodSpec{Name: name, Made: Made{Run: "r", Driver: "here/1"}, Claim: "c", Where: Where{Image: "image:1"}}
	}
	plain, block, placed := spec("plain"), spec("block"), spec("placed")
	block.Block = true
	placed.Where = Where{Image: "image:1", Node: "node1", NodeSelector: map[string]string{"disk": "ssd"}, PullSecret: "pull",
		Tolerations: []string{"*"}, Resources: map[string]string{"cpu": "2", "memory": "1Gi"}}
	own, spread := spec("own"), spec("spread")
	user := int64(999)
	own.Identity = Identity{User: &user, Groups: []int64{5}, FSGroup: new(int64(7)), Level: "s0:c1,c2"}
	spread.Spread = Hard
	for _, p := range []PodSpec{plain, block, placed, own, spread} {
		if _, err := c.MakePod(t.Context(), p); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	root := spec("root")
	root.Block, root.Identity.User = true, new(int64)
	_, err := c.MakePod(t.Context(), root)
	var said *model.WorkerError
	if !RefusedByPodSecurity(err) || !errors.As(err, &said) || !strings.Contains(said.Message, "the Pod Security standard of the namespace strict refuses the pod: ") ||
		!strings.Contains(said.Message, "runAsNonRoot") || said.Class != model.Refused {
		t.Errorf("root: %v", err)
	}
}

// manifests checks that the server accepts what is published in deploy, knows every field of it,
// and that the Job's pod passes the standard "restricted".
func (s *apiServer) manifests(t *testing.T) {
	s.make(t, "/api/v1/namespaces/default/serviceaccounts", object{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": object{"name": "default"}})
	s.serviceMonitors(t)
	files, err := filepath.Glob("../../../deploy/*.yaml")
	more, err2 := filepath.Glob("../../../deploy/kbench/*.yaml")
	if err != nil || err2 != nil || len(files) < 2 || len(more) < 3 {
		t.Fatalf("%v %v %v %v", files, more, err, err2)
	}
	for _, file := range append(append(files, more...), "../../../deploy/monitoring/servicemonitor.yaml") {
		out, err := s.kubectl(t, "apply", "--dry-run=server", "--validate=strict", "-f", file)
		if err != nil || !strings.Contains(out, "created (server dry run)") || strings.Contains(out, "Warning") {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
	}
	text, err := os.ReadFile("../../../deploy/job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// The commented-out lines for users' own files, too.
	whole := strings.ReplaceAll(string(text), "#- {", "- {")
	if strings.Count(whole, "- {name: files, ") != 2 {
		t.Error("job.yaml does not show how to bring a file")
	}
	// The output of plan --in-cluster.
	for _, account := range []string{"", "default"} {
		spec := jobSpec
		spec.Made, spec.Account, spec.Experiment = Made{Run: "loadline-j"}, account, []byte(strings.Repeat("# \"quoted\" $(HOME) é\n", LargestExperiment/25))
		text, err := spec.Manifest("default")
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "job.yaml")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := s.kubectl(t, "apply", "--dry-run=server", "--validate=strict", "-f", file)
		if err != nil || !strings.Contains(out, "job.batch/loadline-j created (server dry run)") || strings.Contains(out, "Warning") {
			t.Errorf("%v\n%s", err, out)
		}
	}
	documents := strings.Split(whole, "\n---\n")
	var job struct {
		Spec struct {
			Template struct {
				Spec object `json:"spec"`
			} `json:"template"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal([]byte(documents[len(documents)-1]), &job); err != nil {
		t.Fatal(err)
	}
	spec := job.Spec.Template.Spec
	if spec["serviceAccountName"] != "loadline" {
		t.Fatalf("the Job's pod is %v", spec)
	}
	spec["serviceAccountName"] = "default"
	s.make(t, "/api/v1/namespaces/strict/pods", object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "job"}, "spec": spec})
}

// arguments checks that a server accepts a Job with the longest allowed experiment, and changes
// neither the experiment nor the command.
func (s *apiServer) arguments(t *testing.T) {
	s.namespace(t, "arguments", nil)
	c := s.as(t, "", "arguments")
	command, document := []string{"loadline", "job", "--note", "$(LOADLINE_IMAGE) $$ 5$"}, []byte(strings.Repeat("# $(LOADLINE_IMAGE) é\n", LargestExperiment/22))
	if err := c.MakeJob(t.Context(), JobSpec{Name: "j", Made: Made{Run: "j", Driver: "here/1"}, Where: Where{Image: "image:1"}, Command: command, Experiment: document, Account: "default"}); err != nil {
		t.Fatal(err)
	}
	var job batchv1.Job
	if err := c.get(t.Context(), c.batch, "arguments", "jobs", "j", &job); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(literally(command), job.Spec.Template.Spec.Containers[0].Command); diff != "" {
		t.Error(diff)
	}
	if job.Spec.Template.Annotations[experimentNote] != string(document) {
		t.Error("the server keeps another experiment than was sent")
	}
}

// serviceMonitors defines Prometheus' resource on the server, with any content.
func (s *apiServer) serviceMonitors(t *testing.T) {
	const group, plural = "monitoring.coreos.com", "servicemonitors"
	s.make(t, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": object{"name": plural + "." + group}, "spec": object{"group": group, "scope": "Namespaced",
			"names": object{"plural": plural, "kind": "ServiceMonitor"}, "versions": []object{{"name": "v1", "served": true, "storage": true,
				"schema": object{"openAPIV3Schema": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}})
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		err := s.ask(t, "GET", "/apis/"+group+"/v1/"+plural, "application/json", nil)
		if err == nil {
			return
		}
		if time.Since(begin) > 30*time.Second {
			t.Fatal(err)
		}
	}
}

// restart checks that waiting for a pod, or for its removal, survives a crash and restart of the
// API server.
func (s *apiServer) restart(t *testing.T) {
	s.namespace(t, "away", nil)
	c := s.as(t, "", "away")
	made := Made{Run: "r", Driver: "here/1"}
	_, claimErr := c.MakeClaim(t.Context(), ClaimSpec{Name: "c", Made: made, Class: "standard", Size: 1 << 30})
	_, podErr := c.MakePod(t.Context(), PodSpec{Name: "p", Made: made, Claim: "c", Where: Where{Image: "image:1"}})
	if err := errors.Join(claimErr, podErr); err != nil {
		t.Fatal(err)
	}
	type outcome struct {
		node string
		err  error
	}
	ended := make(chan outcome, 1)
	var waits []string
	go func() {
		node, err := c.WaitRunning(t.Context(), "p", "c", 2*time.Minute, func(words string) { waits = append(waits, words) })
		ended <- outcome{node, err}
	}()
	time.Sleep(500 * time.Millisecond)
	s.kill()
	time.Sleep(2 * time.Second)
	s.up(t)
	// The status that the scheduler and a kubelet would report.
	const pod = "/api/v1/namespaces/away/pods/p"
	s.make(t, pod+"/binding", object{"apiVersion": "v1", "kind": "Binding", "metadata": object{"name": "p"}, "target": object{"apiVersion": "v1", "kind": "Node", "name": "node7"}})
	if err := s.ask(t, "PATCH", pod+"/status", "application/merge-patch+json", object{"status": object{"phase": "Running"}}); err != nil {
		t.Fatal(err)
	}
	if o := <-ended; o.err != nil || o.node != "node7" {
		t.Errorf("%q, %v", o.node, o.err)
	}
	if !slices.ContainsFunc(waits, func(w string) bool { return strings.Contains(w, "does not answer") }) {
		t.Errorf("that the server was away is not said: %q", waits)
	}
	// A pod on a node is gone when its kubelet says so; there is no kubelet here.
	own, err := c.Own(t.Context(), "away", "r")
	if err != nil {
		t.Fatal(err)
	}
	err = c.Remove(t.Context(), own, 5*time.Second)
	if err == nil || !strings.Contains(err.Error(), "still there: pod away/p") {
		t.Errorf("%v", err)
	}
	removed := make(chan error, 1)
	go func() { removed <- c.Remove(t.Context(), own[:1], time.Minute) }()
	if err := s.ask(t, "DELETE", pod, "application/json", object{"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0}); err != nil {
		t.Fatal(err)
	}
	if err := <-removed; err != nil {
		t.Error(err)
	}
	if left, err := c.Own(t.Context(), "away", ""); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
}
