package model

// EtcdFlush is etcd's disk requirement: the maximum duration of a flush of its log at the 99th
// percentile, in seconds. Source: etcd's FAQ, https://etcd.io/docs/v3.5/faq/ ("What does the etcd
// warning 'failed to send out heartbeat on time' mean?").
const EtcdFlush = 0.010
