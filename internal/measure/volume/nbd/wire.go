package nbd

// The numbers of the protocol, named as in proto.md.
const (
	magicInit   uint64 = 0x4e42444d41474943 // "NBDMAGIC"
	magicOption uint64 = 0x49484156454f5054 // "IHAVEOPT"
	magicReply  uint64 = 0x3e889045565a9

	magicRequest     uint32 = 0x25609513
	magicSimpleReply uint32 = 0x67446698

	flagFixedNewstyle uint16 = 1 << 0
	flagNoZeroes      uint16 = 1 << 1

	optExportName uint32 = 1
	optAbort      uint32 = 2
	optList       uint32 = 3
	optInfo       uint32 = 6
	optGo         uint32 = 7

	repAck    uint32 = 1
	repServer uint32 = 2
	repInfo   uint32 = 3
	repError  uint32 = 1 << 31

	repErrUnsup   = repError | 1
	repErrPolicy  = repError | 2
	repErrInvalid = repError | 3
	repErrTLS     = repError | 5
	repErrUnknown = repError | 6

	infoExport    uint16 = 0
	infoBlockSize uint16 = 3

	cmdRead  uint16 = 0
	cmdWrite uint16 = 1
	cmdDisc  uint16 = 2
	cmdFlush uint16 = 3

	cmdFlagFUA uint16 = 1 << 0
)

// maxOptionReply bounds what a server may make us allocate during negotiation.
const maxOptionReply = 1 << 20

// Flags are an export's transmission flags.
type Flags uint16

// The transmission flags that an export may have (proto.md, "Transmission flags").
const (
	HasFlags    Flags = 1 << 0
	ReadOnly    Flags = 1 << 1
	CanFlush    Flags = 1 << 2
	CanFUA      Flags = 1 << 3
	Rotational  Flags = 1 << 4
	CanTrim     Flags = 1 << 5
	WriteZeroes Flags = 1 << 6
	DontFrag    Flags = 1 << 7
	MultiConn   Flags = 1 << 8
	CanResize   Flags = 1 << 9
	CanCache    Flags = 1 << 10
	FastZero    Flags = 1 << 11
)

// flagNames is in the order of the bits; HasFlags carries no information and is left out.
var flagNames = []struct {
	flag Flags
	name string
}{
	{ReadOnly, "read-only"}, {CanFlush, "flush"}, {CanFUA, "fua"}, {Rotational, "rotational"}, {CanTrim, "trim"},
	{WriteZeroes, "write-zeroes"}, {DontFrag, "df"}, {MultiConn, "multi-conn"}, {CanResize, "resize"}, {CanCache, "cache"}, {FastZero, "fast-zero"},
}

// Has reports whether all flags of g are set in f.
func (f Flags) Has(g Flags) bool { return f&g == g }

// String lists the flags in words: "flush fua multi-conn".
func (f Flags) String() string {
	var s string
	for _, n := range flagNames {
		if f.Has(n.flag) {
			if s != "" {
				s += " "
			}
			s += n.name
		}
	}
	return s
}
