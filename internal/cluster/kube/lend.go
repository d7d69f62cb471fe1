package kube

import (
	corev1 "k8s.io/api/core/v1"
)

const (
	// lender is the name of the container that copies the worker's program for use in another
	// image, loan the name of the volume it copies to.
	lender, loan = "program", "program"
	// LoanPath is the directory into which the lender copies the program, under its own name, and
	// UsersFile a file next to it: a user list that contains the pod's user.
	LoanPath  = "/loan"
	UsersFile = "passwd"
	// programPath is the directory for programs that belong to no package, usersPath the path of
	// the system's user list.
	programPath, usersPath = "/usr/local/bin/", "/etc/passwd"
)

// Lend is the flag that tells the worker's program to copy itself.
const Lend = "--lend"

// lend makes the worker run in the image of an application: a container with the worker's own image
// copies the program into a directory of the pod before the application's container starts and
// finds it in the usual program directory. It also provides a user list that gives the pod's user a
// name, because initdb refuses to run as an unknown user. The image therefore needs nothing but the
// application.
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

// The hints for an image that cannot be pulled, for each of a pod's two images.
const (
	checkImage  = "check --image"
	checkLender = "check --worker-image"
)

// wholeImage returns the hint for an image that lacks the program to be started; container is the
// name of the container that uses it.
func wholeImage(pod *corev1.PodSpec, container string) string {
	switch {
	case container == lender:
		return checkLender + ": it must hold loadline-agent of this version"
	case lends(pod):
		return checkImage + ": it must be an application's, for Linux and the processors of the node"
	}
	return checkImage + ": it must hold loadline, loadline-agent and fio, the first two of this version"
}

// statuses returns the statuses of a pod's containers, in the order of their start.
func statuses(pod *corev1.Pod) []corev1.ContainerStatus {
	return append(append([]corev1.ContainerStatus{}, pod.Status.InitContainerStatuses...), pod.Status.ContainerStatuses...)
}
