package apps

import "github.com/loadline/loadline/internal/model"

// Etcd is etcd, with a load tool of the same name.
var Etcd = App{
	Kind: model.Etcd, Title: "etcd", Tool: "etcd", Process: "etcd",
	Unsafe:     []model.Setting{{Name: "unsafe-no-fsync", Value: "true"}},
	FlushTimes: true, LogProfile: "etcd",
	TimeProcessors: "runs of etcd do not have it; while one runs, pidstat -u -C etcd 1 shows how busy the server is",
}

// EtcdFlush is etcd's disk requirement: the maximum duration of a flush of its log at the 99th
// percentile, in seconds. Source: etcd's FAQ, https://etcd.io/docs/v3.5/faq/ ("What does the etcd
// warning 'failed to send out heartbeat on time' mean?").
const EtcdFlush = 0.010
