package kube

import (
	corev1 "k8s.io/api/core/v1"
)

const (
	// lender is the name of the container that lends the worker's program to another image, and
	// loan that of the volume by which it does.
	lender, loan = "program", "program"
	// LoanPath is the directory that the lender puts the program into, by its own name, and
	// UsersFile beside it: a list of users that has the one of the pod.
	LoanPath  = "/loan"
	UsersFile = "passwd"
	// programPath is where programs of no package belong, usersPath where the system's list is.
	programPath, usersPath = "/usr/local/bin/", "/etc/passwd"
)

// Lend is the flag by which the worker's program is told to lend itself.
const Lend = "--lend"

// lend has the worker run in the image of an application: a container of the worker's own image
// copies the program into a directory of the pod, before the other one starts and finds it where
// programs are. With it comes a list of users in which the pod's user has a name, because initdb
// refuses to run as nobody that it knows. So nothing is asked of the image but the application.
func (s PodSpec) lend(pod *corev1.PodSpec) {
	worker, program := &pod.Containers[0], s.Command[0]
	first := worker.DeepCopy()
	first.Name, first.Command, first.WorkingDir, first.Env = lender, []string{program, Lend, LoanPath}, LoanPath, nil
	first.VolumeMounts, first.VolumeDevices = []corev1.VolumeMount{{Name: loan, MountPath: LoanPath}}, nil
	worker.Image = s.Application
	worker.VolumeMounts = append(worker.VolumeMounts,
		corev1.VolumeMount{Name: loan, MountPath: programPath + program, SubPath: program, ReadOnly: true},
		corev1.VolumeMount{Name: loan, MountPath: usersPath, SubPath: UsersFile, ReadOnly: true})
	pod.InitContainers = []corev1.Container{*first}
	pod.Volumes = append(pod.Volumes, corev1.Volume{Name: loan, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
}

// lends reports whether a pod's worker runs in the image of an application.
func lends(pod *corev1.PodSpec) bool {
	return len(pod.InitContainers) > 0 && pod.InitContainers[0].Name == lender
}

// The hints when an image cannot be had, by which of a pod's two images it is.
const (
	checkImage  = "check --image"
	checkLender = "check --worker-image"
)

// wholeImage is the hint when an image lacks the program that was to be started; container is
// the name of the one that it is for.
func wholeImage(pod *corev1.PodSpec, container string) string {
	switch {
	case container == lender:
		return checkLender + ": it must hold loadline-agent of this version"
	case lends(pod):
		return checkImage + ": it must be an application's, for Linux and the processors of the node"
	}
	return checkImage + ": it must hold loadline, loadline-agent and fio, the first two of this version"
}

// statuses are those of the containers of a pod, in the order of their start.
func statuses(pod *corev1.Pod) []corev1.ContainerStatus {
	return append(append([]corev1.ContainerStatus{}, pod.Status.InitContainerStatuses...), pod.Status.ContainerStatuses...)
}
