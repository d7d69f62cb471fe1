package trace

import (
	"github.com/cilium/ebpf/asm"
)

// ownerParts lists what is recorded about a process that waits for a flush: to is the offset in the
// entry of the device, from the offset in the entry of the I/O.
var ownerParts = []struct {
	to, from int16
	size     asm.Size
}{{ownerTask, flyTask, asm.Word}, {ownerGroup, flyGroup, asm.DWord}, {ownerName, flyName, asm.DWord}, {ownerName + 8, flyName + 8, asm.DWord}}

// addFlushWait records that the I/O on the stack waits for a flush of its device.
func (a *assembler) addFlushWait() {
	known, same, mixed, write, done := a.newLabel(), a.newLabel(), a.newLabel(), a.newLabel(), a.newLabel()
	a.load(asm.R1, asm.RFP, atFly+flyAsks, asm.Byte)
	a.emit(asm.JEq.Imm(asm.R1, 0, done))
	a.lookup(a.maps.owners, atDevice)
	a.emit(asm.JNE.Imm(asm.R0, 0, known))
	// The first process ever to wait for a flush of this device.
	a.emit(asm.Mov.Imm(asm.R1, 1))
	a.storeLocal(atOwner+ownerCount, asm.R1, asm.DWord)
	a.emit(asm.Mov.Imm(asm.R1, 0))
	a.storeLocal(atOwner+ownerMixed, asm.R1, asm.Word)
	for _, part := range ownerParts {
		a.load(asm.R1, asm.RFP, atFly+part.from, part.size)
		a.storeLocal(atOwner+part.to, asm.R1, part.size)
	}
	a.update(a.maps.owners, atDevice, atOwner)
	a.emit(asm.Ja.Label(done))
	a.setLabel(known)
	a.emit(asm.Mov.Reg(asm.R7, asm.R0), asm.LoadMem(asm.R1, asm.R7, ownerCount, asm.DWord), asm.Mov.Imm(asm.R2, 0), asm.JEq.Imm(asm.R1, 0, write),
		// Another process is already waiting.
		asm.LoadMem(asm.R1, asm.R7, ownerGroup, asm.DWord), asm.LoadMem(asm.R3, asm.RFP, atFly+flyGroup, asm.DWord),
		asm.Mov.Imm(asm.R2, 2), asm.JNE.Reg(asm.R1, asm.R3, mixed),
		asm.LoadMem(asm.R1, asm.R7, ownerTask, asm.Word), asm.LoadMem(asm.R3, asm.RFP, atFly+flyTask, asm.Word),
		asm.Mov.Imm(asm.R2, 1), asm.JNE.Reg(asm.R1, asm.R3, mixed),
		asm.Ja.Label(same))
	a.setLabel(mixed)
	a.emit(asm.LoadMem(asm.R1, asm.R7, ownerMixed, asm.Word), asm.Or.Reg(asm.R1, asm.R2), asm.StoreMem(asm.R7, ownerMixed, asm.R1, asm.Word), asm.Ja.Label(same))
	a.setLabel(write)
	a.emit(asm.StoreMem(asm.R7, ownerMixed, asm.R2, asm.Word))
	for _, part := range ownerParts {
		a.load(asm.R1, asm.RFP, atFly+part.from, part.size)
		a.emit(asm.StoreMem(asm.R7, part.to, asm.R1, part.size))
	}
	a.setLabel(same)
	a.emit(asm.Mov.Imm(asm.R1, 1), asm.StoreXAdd(asm.R7, asm.R1, asm.DWord))
	a.setLabel(done)
}

// removeFlushWait records that an I/O's wait for a flush has ended.
func (a *assembler) removeFlushWait() {
	done := a.newLabel()
	a.lookup(a.maps.owners, atDevice)
	a.emit(asm.JEq.Imm(asm.R0, 0, done), asm.LoadMem(asm.R1, asm.R0, ownerCount, asm.DWord), asm.JEq.Imm(asm.R1, 0, done),
		asm.Mov.Imm(asm.R1, -1), asm.StoreXAdd(asm.R0, asm.R1, asm.DWord))
	a.setLabel(done)
}

// attributeFlush attributes the flush on the stack to the process that waits for one; if several
// wait, to their cgroup if it is the same; otherwise to no one.
func (a *assembler) attributeFlush() {
	done := a.newLabel()
	a.emit(asm.Mov.Imm(asm.R1, 0))
	a.storeLocal(atFly+flyTask, asm.R1, asm.Word)
	a.storeLocal(atFly+flyGroup, asm.R1, asm.DWord)
	a.storeLocal(atFly+flyName, asm.R1, asm.DWord)
	a.storeLocal(atFly+flyName+8, asm.R1, asm.DWord)
	a.lookup(a.maps.owners, atDevice)
	a.emit(asm.JEq.Imm(asm.R0, 0, done), asm.LoadMem(asm.R1, asm.R0, ownerCount, asm.DWord), asm.JEq.Imm(asm.R1, 0, done),
		asm.LoadMem(asm.R2, asm.R0, ownerMixed, asm.Word), asm.JGE.Imm(asm.R2, 2, done),
		asm.LoadMem(asm.R1, asm.R0, ownerGroup, asm.DWord))
	a.storeLocal(atFly+flyGroup, asm.R1, asm.DWord)
	// With several processes waiting, only the cgroup is known.
	a.emit(asm.JNE.Imm(asm.R2, 0, done))
	a.load(asm.R1, asm.R0, ownerTask, asm.Word)
	a.storeLocal(atFly+flyTask, asm.R1, asm.Word)
	a.load(asm.R1, asm.R0, ownerName, asm.DWord)
	a.storeLocal(atFly+flyName, asm.R1, asm.DWord)
	a.load(asm.R1, asm.R0, ownerName+8, asm.DWord)
	a.storeLocal(atFly+flyName+8, asm.R1, asm.DWord)
	a.setLabel(done)
}
