package session

// Places says where the workers run that measure, and what they may do there: on this machine, on hosts
// over ssh, or in pods, depending on the target.
type Places struct {
	// Hosts are reached by ssh, and volumes are assigned to them round-robin; none means this machine.
	Hosts []string
	// Create allows creating a file that does not exist; Destroy names the existing devices, images and
	// files that may be overwritten.
	Create  bool
	Destroy []string
	Cluster Cluster
}

// DestroyOn returns the value of --destroy-data-on that applies to this target: the one that names it, or
// else the only one (which planning then compares with the target).
func (o *Places) DestroyOn(target string) string {
	for _, word := range o.Destroy {
		if word == target {
			return word
		}
	}
	if len(o.Destroy) == 1 {
		return o.Destroy[0]
	}
	return ""
}
