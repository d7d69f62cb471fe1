package text

import (
	"fmt"
	"io"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// Manifests writes the objects that would be created in a cluster, as YAML: those of the target, and the pods that would trace or
// count. "" stands for none.
func Manifests(w io.Writer, in *model.Cluster, target, tracer, counter string) (err error) {
	if target != "" {
		_, err = fmt.Fprintf(w, "\n# What would be created in the namespace %s and removed at the end:\n---\n%s", in.Namespace, safetext.CleanLines(target))
	}
	if err == nil && tracer != "" {
		_, err = fmt.Fprintf(w, "\n%s---\n%s", TracerWords, safetext.CleanLines(tracer))
	}
	if err == nil && counter != "" {
		_, err = fmt.Fprintf(w, "\n%s---\n%s", CounterWords, safetext.CleanLines(counter))
	}
	return err
}

// TracerWords explain what a tracer pod is for.
const TracerWords = `# With --trace, such a pod on each node that has a volume as well, removed at the end. It has
# the capabilities BPF and PERFMON, because the kernel lets nobody without them trace it, and
# nothing else of the node: no privileges, no namespaces, no paths. The pods that measure have
# no capability.
`

// CounterWords explain what a counting pod is for.
const CounterWords = `# With --amplification, such a pod on each node that has a replica, removed at the end. It
# mounts the directories in which the storage system keeps replicas there (the path below is the
# default; the volume's own is read from its replicas), read-only, because only that tells which disks hold
# them; what those do, it reads from /sys. It is not root and has no capability, so it cannot
# read the replicas, which are root's. The pods that measure mount nothing of the node.
`
