package session

// Places says where workers are put, which measure, and what they may do there: on this
// machine, on hosts over ssh, or in pods, whichever the target asks for.
type Places struct {
	// Hosts are reached by ssh, volumes assigned round robin; none is this machine.
	Hosts []string
	// Create allows to make a file that does not exist; Destroy names the existing
	// devices, images and files that may be overwritten.
	Create  bool
	Destroy []string
	Cluster Cluster
}

// DestroyOn is the word of --destroy-data-on that is about this target: the one
// that is it, else the only one (which planning then holds against the target).
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
