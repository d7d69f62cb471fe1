package model

// EtcdFlush is what etcd asks of its disk: how long a flush of its log takes at most in 99 %
// of the cases, in seconds. Source: etcd's FAQ, https://etcd.io/docs/v3.5/faq/ ("What does the
// etcd warning 'failed to send out heartbeat on time' mean?").
const EtcdFlush = 0.010
