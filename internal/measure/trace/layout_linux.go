package trace

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf/btf"
)

// field is the offset of a member in a kernel structure, in bytes.
type field = int16

// layout holds the offsets and bits of the running kernel that the programs need.
type layout struct {
	rqFlags, rqState, rqLength, rqBio, rqQueue, rqDisk field
	queueDisk, queueOps                                field
	diskMajor, diskMinor, diskQueue                    field
	bioFlags, bioSize, bioDevice, bioDisk, bioGroup    field
	deviceDisk                                         field
	groupOwner, ownerCgroup, cgroupNode, nodeID        field
	// Operations and bits in the kernel's numbering.
	discard, flush, passthrough int32
	// asksFlush are the bits of a request that requires a flush before or after it, preflush only the
	// first of them; inFlushSequence marks a request in the middle of these flushes.
	asksFlush, preflush, inFlushSequence int32
	// cgroups is true if the kernel records the cgroup of an I/O.
	cgroups bool
	// events maps the kernel's block events to the position of the argument that we need.
	events map[string]int
}

// errNoTypes means that no program can be written for this kernel.
var errNoTypes = errors.New("the kernel has no type information (/sys/kernel/btf/vmlinux; CONFIG_DEBUG_INFO_BTF)")

// readLayout reads the running kernel's types.
func readLayout() (*layout, error) {
	spec, err := btf.LoadKernelSpec()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoTypes, err)
	}
	return newLayout(spec)
}

// newLayout looks everything up in the kernel's types. Structures have been rearranged more than
// once; the second of two names is the older one.
func newLayout(spec *btf.Spec) (*layout, error) {
	t := types{spec: spec}
	l := &layout{
		rqFlags: t.must("request", "cmd_flags"), rqState: t.must("request", "rq_flags"), rqLength: t.must("request", "__data_len"),
		rqBio: t.must("request", "bio"), rqQueue: t.must("request", "q"), rqDisk: t.find("request", "rq_disk"),
		queueDisk: t.find("request_queue", "disk"), queueOps: t.must("request_queue", "mq_ops"),
		diskMajor: t.must("gendisk", "major"), diskMinor: t.must("gendisk", "first_minor"), diskQueue: t.must("gendisk", "queue"),
		bioFlags: t.must("bio", "bi_opf"), bioSize: t.must("bio", "bi_iter", "bi_size"),
		bioDevice: t.find("bio", "bi_bdev"), bioDisk: t.find("bio", "bi_disk"), deviceDisk: t.find("block_device", "bd_disk"),
		bioGroup: t.find("bio", "bi_blkg"), groupOwner: t.find("blkcg_gq", "blkcg"), ownerCgroup: t.find("blkcg", "css", "cgroup"),
		cgroupNode: t.find("cgroup", "kn"), nodeID: t.find("kernfs_node", "id"),
		discard: t.value("REQ_OP_DISCARD", 3), flush: t.value("REQ_OP_FLUSH", 2), passthrough: t.value("REQ_OP_DRV_IN", 34),
		preflush: 1 << t.value("__REQ_PREFLUSH", 18), inFlushSequence: 1 << t.value("__RQF_FLUSH_SEQ", 4),
		events: map[string]int{},
	}
	l.asksFlush = l.preflush | 1<<t.value("__REQ_FUA", 17)
	l.cgroups = min(l.bioGroup, l.groupOwner, l.ownerCgroup, l.cgroupNode, l.nodeID) >= 0
	if l.queueDisk < 0 && l.rqDisk < 0 || (l.bioDevice < 0 || l.deviceDisk < 0) && l.bioDisk < 0 {
		t.errs = append(t.errs, errors.New("the disk of a request or of a bio is nowhere"))
	}
	for name, kind := range map[string]string{
		"block_io_start": "request", "block_rq_insert": "request", "block_rq_issue": "request", "block_rq_complete": "request",
		"block_rq_requeue": "request", "block_rq_merge": "request", "block_bio_queue": "bio", "block_bio_complete": "bio",
		"block_bio_backmerge": "bio", "block_bio_frontmerge": "bio",
	} {
		if at, ok := t.argument(name, kind); ok {
			l.events[name] = at
		}
	}
	for _, name := range []string{"block_rq_issue", "block_rq_complete"} {
		if _, ok := l.events[name]; !ok {
			t.errs = append(t.errs, fmt.Errorf("it has no event %s", name))
		}
	}
	return l, errors.Join(t.errs...)
}

// types looks up names and collects those that are missing.
type types struct {
	spec *btf.Spec
	errs []error
}

// must is find for a member that is required.
func (t *types) must(name string, path ...string) field {
	at := t.find(name, path...)
	if at < 0 {
		t.errs = append(t.errs, fmt.Errorf("its structure %s has no %v", name, path))
	}
	return at
}

// find returns the offset of a member, -1 if there is none.
func (t *types) find(name string, path ...string) field {
	var s *btf.Struct
	if err := t.spec.TypeByName(name, &s); err != nil {
		return -1
	}
	at, members := uint32(0), s.Members
	for _, want := range path {
		m, base, ok := member(members, want)
		if !ok || m.BitfieldSize > 0 {
			return -1
		}
		at += base
		members = membersOf(m.Type)
	}
	if at > 1<<14 {
		return -1
	}
	return field(at)
}

// member finds a member, including those inside anonymous members.
func member(members []btf.Member, want string) (btf.Member, uint32, bool) {
	for _, m := range members {
		if m.Name == want {
			return m, m.Offset.Bytes(), true
		}
		if m.Name != "" {
			continue
		}
		if found, at, ok := member(membersOf(m.Type), want); ok {
			return found, m.Offset.Bytes() + at, true
		}
	}
	return btf.Member{}, 0, false
}

func membersOf(t btf.Type) []btf.Member {
	switch is := btf.UnderlyingType(t).(type) {
	case *btf.Struct:
		return is.Members
	case *btf.Union:
		return is.Members
	}
	return nil
}

// enums lists the named enums that hold the operations and the bits.
var enums = []string{"req_op", "req_opf", "req_flag_bits", "rqf_flags"}

// value returns a constant of the kernel; before is its value on kernels where it has no name in the
// types.
func (t *types) value(name string, before int32) int32 {
	for _, enum := range enums {
		var e *btf.Enum
		if t.spec.TypeByName(enum, &e) != nil {
			continue
		}
		for _, v := range e.Values {
			if v.Name == name {
				return int32(v.Value)
			}
		}
	}
	return before
}

// argument returns the position of an event's first argument that points to the structure. Before
// 5.11 most events had the queue in front of it.
func (t *types) argument(event, kind string) (int, bool) {
	var def *btf.Typedef
	if t.spec.TypeByName("btf_trace_"+event, &def) != nil {
		return 0, false
	}
	to, ok := def.Type.(*btf.Pointer)
	if !ok {
		return 0, false
	}
	proto, ok := to.Target.(*btf.FuncProto)
	if !ok {
		return 0, false
	}
	for i, p := range proto.Params {
		to, ok := p.Type.(*btf.Pointer)
		if !ok {
			continue
		}
		if s, ok := to.Target.(*btf.Struct); ok && s.Name == kind {
			return i - 1, true // the first is the tracer's own
		}
	}
	return 0, false
}
