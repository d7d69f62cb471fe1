package kube

import corev1 "k8s.io/api/core/v1"

// addLog gives the pod a second volume, for an application's log.
func (s PodSpec) addLog(pod *corev1.PodSpec) {
	const name = "wal"
	worker := &pod.Containers[0]
	worker.VolumeMounts = append(worker.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: LogPath})
	pod.Volumes = append(pod.Volumes, corev1.Volume{Name: name,
		VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: s.Log}}})
}
