package cli

// places says where workers are put, which measure, and what they may do there: on this
// machine, on hosts over ssh, or in pods, whichever the target asks for.
type places struct {
	// hosts are reached by ssh, in turn; none is this machine.
	hosts []string
	// create allows to make a file that does not exist; destroy names the existing
	// devices, images and files that may be overwritten.
	create  bool
	destroy []string
	cluster cluster
}

// destroyOn is the word of --destroy-data-on that is about this target: the one
// that is it, else the only one (which planning then holds against the target).
func (o *places) destroyOn(target string) string {
	for _, word := range o.destroy {
		if word == target {
			return word
		}
	}
	if len(o.destroy) == 1 {
		return o.destroy[0]
	}
	return ""
}
