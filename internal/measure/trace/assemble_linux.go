package trace

import (
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
)

// The operations are those of the device's own counters: writing zeros, erasing and zone appends
// count as writes. opWait is a write without data that requests a flush: no device ever sees it, the
// caller waits for it, and the counters count it as a write.
const (
	opRead = iota
	opWrite
	opFlush
	opDiscard
	opWait
	opOther
	opCount
)

// opRoom is the number of slots for operations in the kernel's counters: a power of two, so that the
// verifier can prove that an operation stays within bounds.
const opRoom = 8

// The groups of a device's counters: first groups with one counter per operation, then single
// counters.
const (
	countQueued = iota
	countQueuedBytes
	countIssued
	countIssuedBytes
	countDone
	countDoneBytes
	countMerged
	countMergedBytes
	countRequeued
	countErrors
	countGroups
)
const (
	countUnmatched  = countGroups*opRoom + iota // completions of I/Os whose start was not seen
	countOverflowed                             // I/Os for which the map of I/Os in flight was full
	countDropped                                // I/Os for which the map of rows was full
	countSize
)

// The entry of an I/O in flight: offsets in bytes.
const (
	flyStart  = 0  // when it was queued, in ns
	flyIssue  = 8  // when it was last issued, 0 if not yet
	flyDevice = 16 // in the kernel's numbering of devices
	flyOp     = 20
	flyAsks   = 21 // 1 if it requests a flush
	flyShown  = 22 // 1 if it has been counted but its flushes are still outstanding
	flyBytes  = 24
	flyTask   = 28
	flyGroup  = 32
	flyName   = 40
	flySize   = 56
)

// The key of a row: which process did what to which device, and the bucket of the latency.
const (
	keyDevice = 0
	keyBucket = 4
	keyOp     = 6
	keyClass  = 7 // log2 of the size in bytes
	keyGroup  = 8
	keyTask   = 16
	keyZero   = 20
	keyName   = 24
	keySize   = 40
)

// The values of a row, 8 bytes each.
const (
	rowCount = 0
	rowBytes = 8
	rowTime  = 16
	rowMax   = 24
	rowWait  = 32
	rowSize  = 40
)

// The processes waiting for a flush of a device.
const (
	ownerCount = 0
	ownerTask  = 8
	ownerMixed = 12 // 1: several processes; 2: several cgroups
	ownerGroup = 16
	ownerName  = 24
	ownerSize  = 40
)

// Locations on a program's stack.
const (
	atFly    = -flySize - 8
	atID     = atFly - 8
	atKey    = atID - keySize
	atRow    = atKey - rowSize
	atDevice = atRow - 8
	atTime   = atDevice - 8
	atBytes  = atTime - 8
	atWait   = atBytes - 8
	atOwner  = atWait - ownerSize
)

// assembler writes one program. R6 holds the request or the bio, R9 the device's counters; R7 and R8
// are used where a comment says so. No other register survives a call.
type assembler struct {
	*layout
	maps   *maps
	code   asm.Instructions
	label  string
	labels int
}

// emit appends instructions; the first one gets the pending label.
func (a *assembler) emit(ins ...asm.Instruction) {
	if a.label != "" && len(ins) > 0 {
		ins[0] = ins[0].WithSymbol(a.label)
		a.label = ""
	}
	a.code = append(a.code, ins...)
}

// setLabel puts a label on the next instruction.
func (a *assembler) setLabel(label string) {
	if a.label != "" {
		a.emit(asm.Mov.Imm(asm.R5, 0)) // an instruction can only have one label
	}
	a.label = label
}

// newLabel returns a new label.
func (a *assembler) newLabel() string {
	a.labels++
	return fmt.Sprintf("l%d", a.labels)
}

// load reads a field of a structure.
func (a *assembler) load(to, from asm.Register, at field, size asm.Size) {
	a.emit(asm.LoadMem(to, from, at, size))
}

// storeLocal stores a register on the stack.
func (a *assembler) storeLocal(at int16, from asm.Register, size asm.Size) {
	a.emit(asm.StoreMem(asm.RFP, at, from, size))
}

// lookup looks up the map entry whose key is on the stack: R0 is its address, 0 if there is none.
func (a *assembler) lookup(m *ebpf.Map, key int16) {
	a.emit(asm.LoadMapPtr(asm.R1, m.FD()), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, int32(key)), asm.FnMapLookupElem.Call())
}

// update writes a map entry whose key and value are on the stack.
func (a *assembler) update(m *ebpf.Map, key, value int16) {
	a.emit(asm.LoadMapPtr(asm.R1, m.FD()), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, int32(key)),
		asm.Mov.Reg(asm.R3, asm.RFP), asm.Add.Imm(asm.R3, int32(value)), asm.Mov.Imm(asm.R4, 0), asm.FnMapUpdateElem.Call())
}

// forget removes the entry of the I/O in flight.
func (a *assembler) forget() {
	a.emit(asm.LoadMapPtr(asm.R1, a.maps.flying.FD()), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, atID), asm.FnMapDeleteElem.Call())
}

// add adds R1 to one of the device's counters. Additions are atomic: an interrupt with another
// completion can come in the middle of one.
func (a *assembler) add(counter int) {
	a.addAt(asm.R9, int16(8*counter))
}

// addAt adds R1 to the number at an offset, in bytes, from a register.
func (a *assembler) addAt(to asm.Register, offset int16) {
	a.emit(asm.StoreXAdd(to, asm.R1, asm.DWord))
	a.code[len(a.code)-1].Offset = offset
}

// count adds one to one of the device's counters.
func (a *assembler) count(counter int) {
	a.emit(asm.Mov.Imm(asm.R1, 1))
	a.add(counter)
}

// addOf adds R1 to the group's counter for the operation in op.
func (a *assembler) addOf(group int, op asm.Register) {
	a.emit(asm.Mov.Reg(asm.R2, op), asm.And.Imm(asm.R2, opRoom-1), asm.LSh.Imm(asm.R2, 3),
		asm.Mov.Reg(asm.R3, asm.R9), asm.Add.Reg(asm.R3, asm.R2))
	a.addAt(asm.R3, int16(8*group*opRoom))
}

// argument loads the event's request or bio into R6.
func (a *assembler) argument(event string) {
	a.load(asm.R6, asm.R1, field(8*a.events[event]), asm.DWord)
}

// deviceOf loads the address of the counters for the device of the disk in R1 into R9. The program
// ends if the device is not traced.
func (a *assembler) deviceOf() {
	a.emit(asm.JEq.Imm(asm.R1, 0, "out"))
	a.load(asm.R2, asm.R1, a.diskMajor, asm.Word)
	a.load(asm.R3, asm.R1, a.diskMinor, asm.Word)
	a.emit(asm.LSh.Imm(asm.R2, 20), asm.Or.Reg(asm.R2, asm.R3))
	a.storeLocal(atDevice, asm.R2, asm.Word)
	a.lookup(a.maps.devices, atDevice)
	a.emit(asm.JEq.Imm(asm.R0, 0, "out"), asm.Mov.Reg(asm.R9, asm.R0))
}

// requestDevice is deviceOf for the request in R6.
func (a *assembler) requestDevice() {
	if a.queueDisk >= 0 {
		a.load(asm.R1, asm.R6, a.rqQueue, asm.DWord)
		a.load(asm.R1, asm.R1, a.queueDisk, asm.DWord)
	} else {
		a.load(asm.R1, asm.R6, a.rqDisk, asm.DWord)
	}
	a.deviceOf()
}

// diskOfBio loads the disk of the bio in R6 into R1, 0 if it has none.
func (a *assembler) diskOfBio() {
	if a.bioDevice >= 0 && a.deviceDisk >= 0 {
		a.load(asm.R1, asm.R6, a.bioDevice, asm.DWord)
		a.emit(asm.JEq.Imm(asm.R1, 0, "out"))
		a.load(asm.R1, asm.R1, a.deviceDisk, asm.DWord)
		return
	}
	a.load(asm.R1, asm.R6, a.layout.bioDisk, asm.DWord)
}

// classify computes the operation in R8 from the flags in R7 and the length in R1.
func (a *assembler) classify() {
	done := a.newLabel()
	a.emit(asm.Mov.Reg(asm.R2, asm.R7), asm.And.Imm(asm.R2, 0xff),
		asm.Mov.Imm(asm.R8, opDiscard), asm.JEq.Imm(asm.R2, a.discard, done),
		asm.Mov.Imm(asm.R8, opFlush), asm.JEq.Imm(asm.R2, a.flush, done),
		asm.Mov.Imm(asm.R8, opOther), asm.JGE.Imm(asm.R2, a.passthrough, done),
		asm.Mov.Reg(asm.R8, asm.R2), asm.And.Imm(asm.R8, 1),
		asm.JEq.Imm(asm.R8, opRead, done), asm.JNE.Imm(asm.R1, 0, done),
		asm.Mov.Reg(asm.R2, asm.R7), asm.And.Imm(asm.R2, a.preflush), asm.JEq.Imm(asm.R2, 0, done),
		asm.Mov.Imm(asm.R8, opWait))
	a.setLabel(done)
}

// log2 computes in R3 the position of the highest set bit of R2, and changes R2.
func (a *assembler) log2() {
	a.emit(asm.Mov.Imm(asm.R3, 0))
	for _, step := range []int32{32, 16, 8, 4, 2, 1} {
		next := a.newLabel()
		a.emit(asm.Mov.Reg(asm.R1, asm.R2), asm.RSh.Imm(asm.R1, step), asm.JEq.Imm(asm.R1, 0, next),
			asm.Mov.Reg(asm.R2, asm.R1), asm.Add.Imm(asm.R3, step))
		a.setLabel(next)
	}
}

// end appends the end of the program.
func (a *assembler) end() asm.Instructions {
	a.setLabel("out")
	a.emit(asm.Mov.Imm(asm.R0, 0), asm.Return())
	return a.code
}
