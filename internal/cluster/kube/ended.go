package kube

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/loadline/loadline/internal/model"
)

// ended returns an error that says how a pod has ended, or nil if it has not.
func ended(pod *corev1.Pod) error {
	where := ""
	if pod.Spec.NodeName != "" {
		where = " on " + pod.Spec.NodeName
	}
	say := func(hint, format string, a ...any) error {
		return model.BrokenError(fmt.Sprintf("the pod %s%s ", pod.Name, where)+fmt.Sprintf(format, a...), hint)
	}
	if pod.Status.Reason == "Evicted" {
		return say("kubectl describe node "+pod.Spec.NodeName, "was evicted: %s", oneLine(pod.Status.Message))
	}
	for _, cond := range pod.Status.Conditions {
		if cond.Type == corev1.DisruptionTarget && cond.Status == corev1.ConditionTrue {
			return say("kubectl describe node "+pod.Spec.NodeName, "was taken away by the cluster: %s", oneLine(cond.Reason+": "+cond.Message))
		}
	}
	for i, s := range statuses(pod) {
		// The container of a StatefulSet's pod is started again, which must not hide that it has ended.
		t, which := cmp.Or(s.State.Terminated, s.LastTerminationState.Terminated), ""
		if copiesProgram(&pod.Spec) {
			which = " -c " + s.Name
		}
		if s.State.Terminated == nil {
			which += " --previous"
		}
		switch {
		case t == nil:
		case t.ExitCode == 0 && i < len(pod.Status.InitContainerStatuses):
			// An init container that has done its work.
		case t.Reason == "OOMKilled":
			return say("give it more with --resources memory=1Gi", "was killed because it used more memory than it may (OOMKilled)")
		case t.Reason == "StartError", t.Reason == "ContainerCannotRun":
			return say(wholeImage(&pod.Spec, s.Name), "could not start its program: %s", tail(t.Message))
		default:
			err := say("to look at the pod afterwards, run again with --keep, and then: kubectl logs -n "+pod.Namespace+" -l "+Label+which, "ended with exit code %d (%s)%s", t.ExitCode, t.Reason, ending(t.Message))
			if t.ExitCode == 0 {
				return &model.FinishedError{Cause: err}
			}
			return err
		}
	}
	if pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
		return say("", "has ended: %s %s", pod.Status.Reason, oneLine(pod.Status.Message))
	}
	if pod.DeletionTimestamp != nil {
		return say("find out who removes pods there, and run again", "is being deleted by somebody else")
	}
	return nil
}

// ending returns the end of a program's output with a blank before it; "" if there is none.
func ending(output string) string {
	if output = tail(output); output == "" {
		return ""
	}
	return " " + output
}

// tail returns the end of a program's output, which says why it failed.
func tail(s string) string {
	const most = 300
	s = oneLine(s)
	if len(s) > most {
		s = "… " + s[len(s)-most:]
	}
	return s
}
