package kube

import (
	corev1 "k8s.io/api/core/v1"
)

const (
	// copier is the name of the container that copies the worker's program for use in another
	// image, programVolume the name of the volume it copies to.
	copier, programVolume = "program", "program"
	// ProgramCopyPath is the directory into which the copier copies the program, under its own name.
	ProgramCopyPath = "/program"
	// UsersFile is the name of a file next to it: a user list that contains the pod's user.
	UsersFile = "passwd"
	// programPath is the directory for programs that belong to no package, usersPath the path of
	// the system's user list.
	programPath, usersPath = "/usr/local/bin/", "/etc/passwd"
)

// CopyProgramFlag is the flag that tells the worker's program to copy itself.
const CopyProgramFlag = "--copy-program"

// copyProgram makes the worker run in the image of an application: a container with the worker's own image
// copies the program into a directory of the pod before the application's container starts and
// finds it in the usual program directory. It also provides a user list that gives the pod's user a
// name, because initdb refuses to run as an unknown user. The image therefore needs nothing but the
// application.
func (s PodSpec) copyProgram(pod *corev1.PodSpec) {
	worker, program := &pod.Containers[0], s.Command[0]
	first := worker.DeepCopy()
	first.Name, first.Command, first.WorkingDir, first.Env = copier, []string{program, CopyProgramFlag, ProgramCopyPath}, ProgramCopyPath, nil
	first.VolumeMounts, first.VolumeDevices = []corev1.VolumeMount{{Name: programVolume, MountPath: ProgramCopyPath}}, nil
	worker.Image = s.Application
	worker.VolumeMounts = append(worker.VolumeMounts,
		corev1.VolumeMount{Name: programVolume, MountPath: programPath + program, SubPath: program, ReadOnly: true},
		corev1.VolumeMount{Name: programVolume, MountPath: usersPath, SubPath: UsersFile, ReadOnly: true})
	pod.InitContainers = []corev1.Container{*first}
	pod.Volumes = append(pod.Volumes, corev1.Volume{Name: programVolume, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
}

// copiesProgram reports whether a pod's worker runs in the image of an application.
func copiesProgram(pod *corev1.PodSpec) bool {
	return len(pod.InitContainers) > 0 && pod.InitContainers[0].Name == copier
}

// The hints for an image that cannot be pulled, for each of a pod's two images.
const (
	checkImage       = "check --image"
	checkWorkerImage = "check --worker-image"
)

// wholeImage returns the hint for an image that lacks the program to be started; container is the
// name of the container that uses it.
func wholeImage(pod *corev1.PodSpec, container string) string {
	switch {
	case container == copier:
		return checkWorkerImage + ": it must hold loadline-agent of this version"
	case copiesProgram(pod):
		return checkImage + ": it must be an application's, for Linux and the processors of the node"
	}
	return checkImage + ": it must hold loadline, loadline-agent and fio, the first two of this version"
}

// statuses returns the statuses of a pod's containers, in the order of their start.
func statuses(pod *corev1.Pod) []corev1.ContainerStatus {
	return append(append([]corev1.ContainerStatus{}, pod.Status.InitContainerStatuses...), pod.Status.ContainerStatuses...)
}
