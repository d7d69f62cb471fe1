package kube

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/loadline/loadline/internal/model"
)

const (
	// The first polls follow each other quickly: a pod may be there within a second.
	lookOften, lookSeldom = 200 * time.Millisecond, time.Second
	oftenFor              = 10 * time.Second
	// stubborn is how long a possibly transient error (such as an image that cannot be pulled) may
	// last before it is final.
	stubborn = 20 * time.Second
)

// reason is why a pod does not run yet.
type reason struct {
	words string
	hint  string
	// quoted is the part of words that comes from the cluster's events; empty if there is none.
	quoted quote
	// final reasons do not go away, stuck ones hardly ever.
	final, stuck bool
}

// like reports whether a reason was already reported: it may have recurred since, but not twice as
// often.
func (r reason) like(said reason) bool {
	if r.quoted.words == "" || r.quoted.words != said.quoted.words {
		return r.words == said.words
	}
	return r.quoted.size() == said.quoted.size() &&
		strings.Replace(r.words, r.quoted.String(), "", 1) == strings.Replace(said.words, said.quoted.String(), "", 1)
}

// Waiting is the prefix of WaitRunning's messages; the reason follows.
const Waiting = "waiting for the pod: "

// WaitRunning waits until the pod runs and returns its node; claim is the claim it uses, "" for
// none. say receives the reason for waiting whenever it changes. After limit, or for a reason that
// will not go away, the error is a sentence.
func (c *Client) WaitRunning(ctx context.Context, pod, claim string, limit time.Duration, say func(string)) (node string, err error) {
	defer c.podCache.addWaiter()()
	begin := c.Clock.Now()
	var said, last reason
	var stuckSince, asked time.Time
	for {
		curious := c.Clock.Since(asked) >= c.podCache.askEvery()
		if curious {
			asked = c.Clock.Now()
		}
		node, last, err = c.standing(ctx, pod, claim, last, curious)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case node != "":
			return node, nil
		case err != nil:
			return "", err
		}
		if !last.stuck {
			stuckSince = time.Time{}
		} else if stuckSince.IsZero() {
			stuckSince = c.Clock.Now()
		}
		waited := c.Clock.Since(begin)
		switch {
		case last.final, last.stuck && c.Clock.Since(stuckSince) > stubborn:
			return "", model.BrokenError(fmt.Sprintf("the pod %s does not start: %s", pod, last.words), last.hint)
		case waited > limit:
			return "", model.BrokenError(fmt.Sprintf("the pod %s was not running after %s: %s", pod, limit, last.words), last.hint)
		}
		if !last.like(said) && waited > time.Second {
			said = last
			say(Waiting + said.words)
		}
		pause := lookSeldom
		if waited < oftenFor {
			pause = lookOften
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-c.Clock.After(pause):
		}
	}
}

// standing returns the node of a pod that runs, or why it does not run yet. An error ends the
// waiting; a server that does not answer is a reason to wait. Unless curious is set, it returns the
// previous reason.
func (c *Client) standing(ctx context.Context, name, claim string, before reason, curious bool) (node string, _ reason, _ error) {
	pod, err := c.pod(ctx, name)
	switch {
	case missing(err):
		return "", reason{}, model.BrokenError(fmt.Sprintf("the pod %s was deleted while it was waited for", name), "somebody else has removed it; run again")
	case passing(err):
		return "", reason{words: err.Error()}, nil
	case err != nil:
		return "", reason{}, err
	}
	if err := ended(pod); err != nil {
		return "", reason{}, err
	}
	if pod.Status.Phase == corev1.PodRunning {
		return pod.Spec.NodeName, reason{}, nil
	}
	if !curious {
		return "", before, nil
	}
	r, err := c.why(ctx, pod, claim)
	if err != nil {
		// Reading the reason may be forbidden, or fail for a while.
		return "", before, nil
	}
	return "", r, nil
}

// runError is the reason of a container whose program could not be started.
const runError = "RunContainerError"

// containerFaults are the reasons of a waiting container that require somebody to intervene.
var containerFaults = map[string]struct {
	hint  string
	final bool
}{
	"InvalidImageName":           {checkImage, true},
	"ErrImageNeverPull":          {"load the image onto the nodes, or " + checkImage, true},
	"ErrImagePull":               {checkImage + ", and --pull-secret for a registry that wants one", false},
	"ImagePullBackOff":           {checkImage + ", and --pull-secret for a registry that wants one", false},
	"CreateContainerConfigError": {"", false},
	"CreateContainerError":       {"", false},
	runError:                     {"", false},
}

// faultHint returns the hint for a fault of a container, with the flag of its image.
func faultHint(pod *corev1.PodSpec, container, fault string) string {
	switch hint := containerFaults[fault].hint; {
	case fault == runError:
		return wholeImage(pod, container)
	case container == copier:
		return strings.Replace(hint, checkImage, checkWorkerImage, 1)
	default:
		return hint
	}
}

// why collects the reason from the places where the cluster reports it, the most informative first.
func (c *Client) why(ctx context.Context, pod *corev1.Pod, claim string) (reason, error) {
	for _, s := range statuses(pod) {
		w := s.State.Waiting
		if w == nil {
			continue
		}
		if fault, known := containerFaults[w.Reason]; known {
			words := w.Reason + ": " + oneLine(w.Message)
			if strings.HasPrefix(w.Reason, "ImagePull") || w.Reason == "ErrImagePull" {
				words = c.pullWords(ctx, pod, words)
			}
			return reason{words: words, hint: faultHint(&pod.Spec, s.Name, w.Reason), final: fault.final, stuck: !fault.final}, nil
		}
	}
	if pod.Spec.NodeName == "" {
		return c.whyNotScheduled(ctx, pod, claim)
	}
	if words := c.attachWords(ctx, pod, claim); words != "" {
		return reason{words: words, hint: look("pod", pod.Namespace)}, nil
	}
	r := reason{words: "starting on " + pod.Spec.NodeName, hint: look("pod", pod.Namespace)}
	if all, err := c.events(ctx, pod.Namespace, podKind, pod.Name); err == nil {
		// It has a node, so the scheduler's messages no longer apply.
		r.quoted = mostInformative(all, "FailedScheduling", "Scheduled")
	}
	switch {
	case r.quoted.warning:
		r.words = r.quoted.String()
	case strings.HasPrefix(r.quoted.words, "Pulling"):
		// Of the steps that succeed, only this one takes long.
		r.words += " (" + r.quoted.String() + ")"
	}
	return r, nil
}

// look returns a hint on how to inspect an object that is removed at the end.
func look(kind, namespace string) string {
	return fmt.Sprintf("fix that; or run again with --keep and look: kubectl describe %s -n %s", kind, namespace)
}

// pullWords prefers the event with the registry's own message to the one about the back-off.
func (c *Client) pullWords(ctx context.Context, pod *corev1.Pod, words string) string {
	events, err := c.events(ctx, pod.Namespace, podKind, pod.Name)
	if err != nil {
		return words
	}
	for _, e := range events {
		if e.Reason == "Failed" && strings.Contains(e.Message, "pull") && len(e.Message) > len("Error: ErrImagePull") {
			return oneLine(e.Message)
		}
	}
	return words
}

func (c *Client) whyNotScheduled(ctx context.Context, pod *corev1.Pod, claim string) (reason, error) {
	words := "not scheduled yet"
	for _, cond := range pod.Status.Conditions {
		if cond.Type == corev1.PodScheduled && cond.Status == corev1.ConditionFalse {
			words = oneLine(cond.Message)
		}
	}
	r := forSpread(reason{words: words, hint: look("pod", pod.Namespace)}, words)
	if claim == "" {
		return r, nil
	}
	var pvc corev1.PersistentVolumeClaim
	if err := c.get(ctx, c.core, pod.Namespace, "persistentvolumeclaims", claim, &pvc); err != nil {
		if missing(err) {
			return reason{words: "the claim " + claim + " is gone", final: true}, nil
		}
		return r, err
	}
	if pvc.Status.Phase == corev1.ClaimBound {
		return r, nil
	}
	r.hint = look("pvc", pod.Namespace)
	r.words = fmt.Sprintf("the claim %s is not bound", claim)
	// Without the right to read events there are none.
	all, _ := c.events(ctx, pod.Namespace, claimKind, claim)
	if refused := refusedMode(all); refused != nil {
		// Asking again does not make a class offer it.
		all = []corev1.Event{*refused}
		r.hint, r.stuck = "ask for what the class offers: --access-mode RWO", true
	}
	if r.quoted = mostInformative(all); r.quoted.words != "" {
		r.words += " (" + r.quoted.String() + ")"
	}
	if r.stuck {
		return r, nil
	}
	if !strings.HasPrefix(words, "not scheduled") {
		r.words += "; the scheduler says: " + words
	}
	return forSpread(r, words), nil
}

// modeWords match provisioners' messages about an access mode that they do not offer.
var modeWords = regexp.MustCompile(`(?i)access ?mode`)

// refusedMode returns the provisioner's event that says that the claim's access mode is
// unavailable.
func refusedMode(all []corev1.Event) *corev1.Event {
	for i := range all {
		if all[i].Reason == "ProvisioningFailed" && modeWords.MatchString(all[i].Message) {
			return &all[i]
		}
	}
	return nil
}

// attachWords returns the error of the volume's attachment, if there is one.
func (c *Client) attachWords(ctx context.Context, pod *corev1.Pod, claim string) string {
	if claim == "" {
		return ""
	}
	var facts model.Cluster
	if err := c.ClaimFacts(ctx, pod.Namespace, claim, &facts); err != nil || facts.Volume == "" {
		return ""
	}
	var all storagev1.VolumeAttachmentList
	if err := c.list(ctx, c.storage, "", "volumeattachments", "", "", &all); err != nil {
		return ""
	}
	for _, a := range all.Items {
		if a.Spec.Source.PersistentVolumeName == nil || *a.Spec.Source.PersistentVolumeName != facts.Volume || a.Spec.NodeName != pod.Spec.NodeName {
			continue
		}
		if e := a.Status.AttachError; e != nil && !a.Status.Attached {
			return fmt.Sprintf("the volume %s cannot be attached to %s: %s", facts.Volume, a.Spec.NodeName, oneLine(e.Message))
		}
	}
	return ""
}

// Gone returns an error if the pod has ended, no longer exists, or has been replaced by another one of its
// name, which has another UID. Nil also means that this is unknown.
func (c *Client) Gone(ctx context.Context, name, uid string) error {
	var pod corev1.Pod
	err := c.get(ctx, c.core, c.Namespace, "pods", name, &pod)
	if missing(err) || err == nil && uid != "" && string(pod.UID) != uid {
		return model.BrokenError(fmt.Sprintf("the pod %s was deleted in the middle of the measurement", name), "find out who removes pods there, and run again")
	}
	if err != nil {
		return nil
	}
	return ended(&pod)
}

// Away returns an error if the node of a running pod no longer reports to the cluster. Our pods are
// ready while their container runs, so if one is marked unready then, the cluster itself has done
// so. Nil also means that this is unknown.
func (c *Client) Away(ctx context.Context, name string) error {
	var pod corev1.Pod
	if c.get(ctx, c.core, c.Namespace, "pods", name, &pod) != nil || pod.Status.Phase != corev1.PodRunning {
		return nil
	}
	for _, cond := range pod.Status.Conditions {
		if cond.Type == corev1.PodReady && cond.Status == corev1.ConditionFalse && containersRun(&pod) {
			words := fmt.Sprintf("the pod %s is lost with its node: %s has not reported to the cluster since before %s", name, pod.Spec.NodeName,
				cond.LastTransitionTime.UTC().Format("15:04:05 UTC"))
			if said := c.nodeWords(ctx, pod.Spec.NodeName); said != "" {
				words += " (" + said + ")"
			}
			return model.BrokenError(words, "kubectl describe node "+pod.Spec.NodeName)
		}
	}
	return nil
}

// containersRun reports whether every container was running according to its last status.
func containersRun(pod *corev1.Pod) bool {
	for _, s := range pod.Status.ContainerStatuses {
		if s.State.Running == nil {
			return false
		}
	}
	return len(pod.Status.ContainerStatuses) > 0
}

// nodeWords returns why a node is not ready, if that may be read.
func (c *Client) nodeWords(ctx context.Context, name string) string {
	var node corev1.Node
	if c.get(ctx, c.core, "", "nodes", name, &node) != nil {
		return ""
	}
	for _, cond := range node.Status.Conditions {
		if cond.Type == corev1.NodeReady && cond.Status != corev1.ConditionTrue {
			return oneLine(cond.Message)
		}
	}
	return ""
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
