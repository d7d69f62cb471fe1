package trace

import (
	"github.com/cilium/ebpf/asm"
)

// programs returns the programs for a kernel, by the event to which they are attached.
func programs(l *layout, m *maps) map[string]asm.Instructions {
	begin := func() *assembler { return &assembler{layout: l, maps: m} }
	all := map[string]asm.Instructions{}
	// block_io_start is the only event that occurs for each request in the context of the process
	// that makes it. Before Linux 6.5 that is the insertion into the scheduler, if there is a
	// scheduler.
	first := "block_io_start"
	if _, ok := l.events[first]; !ok {
		first = "block_rq_insert"
	}
	for name, write := range map[string]func(*assembler, string){
		first: (*assembler).started, "block_rq_issue": (*assembler).issued, "block_rq_complete": (*assembler).completed,
		"block_rq_requeue": (*assembler).requeued, "block_rq_merge": (*assembler).merged,
		"block_bio_queue": (*assembler).bioQueued, "block_bio_complete": (*assembler).bioCompleted,
		"block_bio_backmerge": (*assembler).bioMerged, "block_bio_frontmerge": (*assembler).bioMerged,
	} {
		if _, ok := l.events[name]; !ok {
			continue
		}
		a := begin()
		write(a, name)
		all[name] = a.end()
	}
	return all
}

// kind loads the properties of the request in R6: the flags into R7, the operation into R8, and the
// length into R1 and onto the stack.
func (a *assembler) kind() {
	a.load(asm.R7, asm.R6, a.rqFlags, asm.Word)
	a.load(asm.R1, asm.R6, a.rqLength, asm.Word)
	a.storeLocal(atBytes, asm.R1, asm.DWord)
	a.classify()
}

// bioKind is kind for a bio.
func (a *assembler) bioKind() {
	a.load(asm.R7, asm.R6, a.bioFlags, asm.Word)
	a.load(asm.R1, asm.R6, a.bioSize, asm.Word)
	a.storeLocal(atBytes, asm.R1, asm.DWord)
	a.classify()
}

// describe fills in the entry of an I/O on the stack, except for its times: R6 is the request or the
// bio, R7 its flags, R8 its operation. bio says whether it is a bio.
func (a *assembler) describe(bio bool) {
	plain, nobody := a.newLabel(), a.newLabel()
	a.emit(asm.Mov.Imm(asm.R1, 0))
	a.storeLocal(atFly+flyIssue, asm.R1, asm.DWord)
	a.storeLocal(atFly+flyOp, asm.R1, asm.Word)
	a.storeLocal(atFly+flyGroup, asm.R1, asm.DWord)
	a.storeLocal(atFly+flyOp, asm.R8, asm.Byte)
	// The flush itself has this bit set too.
	a.emit(asm.JEq.Imm(asm.R8, opFlush, plain), asm.Mov.Reg(asm.R1, asm.R7), asm.And.Imm(asm.R1, a.asksFlush), asm.JEq.Imm(asm.R1, 0, plain), asm.Mov.Imm(asm.R1, 1))
	a.storeLocal(atFly+flyAsks, asm.R1, asm.Byte)
	a.setLabel(plain)
	a.load(asm.R1, asm.RFP, atDevice, asm.Word)
	a.storeLocal(atFly+flyDevice, asm.R1, asm.Word)
	a.load(asm.R1, asm.RFP, atBytes, asm.DWord)
	a.storeLocal(atFly+flyBytes, asm.R1, asm.Word)
	if a.cgroups {
		from := asm.R6
		steps := []field{a.bioGroup, a.groupOwner, a.ownerCgroup, a.cgroupNode}
		if !bio {
			steps = append([]field{a.rqBio}, steps...)
		}
		for _, at := range steps {
			a.load(asm.R1, from, at, asm.DWord)
			a.emit(asm.JEq.Imm(asm.R1, 0, nobody))
			from = asm.R1
		}
		a.load(asm.R1, asm.R1, a.nodeID, asm.DWord)
		a.storeLocal(atFly+flyGroup, asm.R1, asm.DWord)
	}
	a.setLabel(nobody)
	a.emit(asm.FnGetCurrentPidTgid.Call(), asm.RSh.Imm(asm.R0, 32))
	a.storeLocal(atFly+flyTask, asm.R0, asm.Word)
	a.emit(asm.Mov.Reg(asm.R1, asm.RFP), asm.Add.Imm(asm.R1, atFly+flyName), asm.Mov.Imm(asm.R2, 16), asm.FnGetCurrentComm.Call())
}

// remember adds the entry on the stack to the I/Os in flight, with R0 as its start time.
func (a *assembler) remember() {
	room := a.newLabel()
	a.storeLocal(atFly+flyStart, asm.R0, asm.DWord)
	a.storeLocal(atID, asm.R6, asm.DWord)
	a.update(a.maps.flying, atID, atFly)
	a.emit(asm.JEq.Imm(asm.R0, 0, room))
	a.count(countOverflowed)
	a.setLabel(room)
}

// started handles the creation of a request, in the context of the process that makes it.
func (a *assembler) started(event string) {
	a.argument(event)
	a.requestDevice()
	a.kind()
	a.describe(false)
	a.emit(asm.FnKtimeGetNs.Call())
	a.remember()
	a.addFlushWait()
}

// issued handles the issue of a request to the driver, which is repeated after a requeue.
func (a *assembler) issued(event string) {
	unknown := "unknown"
	a.argument(event)
	a.requestDevice()
	a.kind()
	a.emit(asm.Mov.Imm(asm.R1, 1))
	a.addOf(countIssued, asm.R8)
	a.load(asm.R1, asm.RFP, atBytes, asm.DWord)
	a.addOf(countIssuedBytes, asm.R8)
	a.storeLocal(atID, asm.R6, asm.DWord)
	// A flush always uses the same request, and no event reports its creation.
	a.emit(asm.JEq.Imm(asm.R8, opFlush, unknown))
	a.lookup(a.maps.flying, atID)
	a.emit(asm.JEq.Imm(asm.R0, 0, unknown), asm.Mov.Reg(asm.R7, asm.R0), asm.FnKtimeGetNs.Call(), asm.StoreMem(asm.R7, flyIssue, asm.R0, asm.DWord))
	// Merges may have made it larger since it was created.
	a.load(asm.R1, asm.RFP, atBytes, asm.DWord)
	a.emit(asm.StoreMem(asm.R7, flyBytes, asm.R1, asm.Word), asm.Ja.Label("out"))
	a.setLabel(unknown)
	a.describe(false)
	known := a.newLabel()
	a.emit(asm.JNE.Imm(asm.R8, opFlush, known))
	a.attributeFlush()
	a.setLabel(known)
	a.emit(asm.FnKtimeGetNs.Call())
	a.storeLocal(atFly+flyIssue, asm.R0, asm.DWord)
	a.remember()
	a.addFlushWait()
}

// completed handles the completion of a request.
func (a *assembler) completed(event string) {
	at := a.events[event]
	a.argument(event)
	a.load(asm.R7, asm.R1, field(8*(at+1)), asm.DWord)
	a.emit(asm.And.Imm(asm.R7, 0xff)) // blk_status_t
	a.storeLocal(atWait, asm.R7, asm.DWord)
	a.load(asm.R7, asm.R1, field(8*(at+2)), asm.DWord)
	a.emit(asm.LSh.Imm(asm.R7, 32), asm.RSh.Imm(asm.R7, 32))
	// If a request completes in parts, only the last part counts.
	a.load(asm.R1, asm.R6, a.rqLength, asm.Word)
	a.emit(asm.JGT.Reg(asm.R1, asm.R7, "out"))
	a.requestDevice()
	a.storeLocal(atID, asm.R6, asm.DWord)
	a.lookup(a.maps.flying, atID)
	a.emit(asm.JEq.Imm(asm.R0, 0, "missed"), asm.Mov.Reg(asm.R8, asm.R0),
		asm.LoadMem(asm.R1, asm.R8, flyShown, asm.Byte), asm.JNE.Imm(asm.R1, 0, "last"))
	a.load(asm.R7, asm.RFP, atWait, asm.DWord)
	a.measure()
	fine, whole, gone := a.newLabel(), a.newLabel(), a.newLabel()
	a.emit(asm.JEq.Imm(asm.R7, 0, fine), asm.LoadMem(asm.R7, asm.R8, flyOp, asm.Byte), asm.Mov.Imm(asm.R1, 1))
	a.addOf(countErrors, asm.R7)
	a.setLabel(fine)
	// Its data has been written; if its flush sequence is still running, it will complete once more.
	a.emit(asm.LoadMem(asm.R1, asm.R8, flyAsks, asm.Byte), asm.JEq.Imm(asm.R1, 0, gone),
		asm.LoadMem(asm.R1, asm.R6, a.rqState, asm.Word), asm.And.Imm(asm.R1, a.inFlushSequence), asm.JEq.Imm(asm.R1, 0, whole),
		asm.Mov.Imm(asm.R1, 1), asm.StoreMem(asm.R8, flyShown, asm.R1, asm.Byte), asm.Ja.Label("row"))
	a.setLabel(whole)
	a.removeFlushWait()
	a.setLabel(gone)
	a.forget()
	a.setLabel("row")
	a.record()
	a.emit(asm.Ja.Label("out"))
	a.setLabel("last")
	a.removeFlushWait()
	a.forget()
	a.emit(asm.Ja.Label("out"))
	a.setLabel("missed")
	a.count(countUnmatched)
}

// measure puts what is to be recorded about the entry in R8 on the stack: the key except for the
// bucket, the latency, the bytes and the wait.
func (a *assembler) measure() {
	issued, sane, done := a.newLabel(), a.newLabel(), a.newLabel()
	a.emit(asm.FnKtimeGetNs.Call(), asm.LoadMem(asm.R1, asm.R8, flyStart, asm.DWord), asm.LoadMem(asm.R2, asm.R8, flyIssue, asm.DWord),
		asm.Mov.Imm(asm.R3, 0), asm.JNE.Imm(asm.R2, 0, issued), asm.Mov.Reg(asm.R2, asm.R1))
	a.setLabel(issued)
	a.emit(asm.JGE.Reg(asm.R1, asm.R2, sane), asm.Mov.Reg(asm.R3, asm.R2), asm.Sub.Reg(asm.R3, asm.R1))
	a.setLabel(sane)
	a.storeLocal(atWait, asm.R3, asm.DWord)
	a.emit(asm.Mov.Imm(asm.R3, 0), asm.JGE.Reg(asm.R2, asm.R0, done), asm.Mov.Reg(asm.R3, asm.R0), asm.Sub.Reg(asm.R3, asm.R2))
	a.setLabel(done)
	a.storeLocal(atTime, asm.R3, asm.DWord)
	a.emit(asm.Mov.Imm(asm.R1, 0))
	a.storeLocal(atKey+keyBucket, asm.R1, asm.Half)
	a.storeLocal(atKey+keyZero, asm.R1, asm.Word)
	for _, part := range []struct {
		to, from int16
		size     asm.Size
	}{{keyDevice, flyDevice, asm.Word}, {keyOp, flyOp, asm.Byte}, {keyGroup, flyGroup, asm.DWord}, {keyTask, flyTask, asm.Word},
		{keyName, flyName, asm.DWord}, {keyName + 8, flyName + 8, asm.DWord}} {
		a.load(asm.R1, asm.R8, part.from, part.size)
		a.storeLocal(atKey+part.to, asm.R1, part.size)
	}
	a.load(asm.R2, asm.R8, flyBytes, asm.Word)
	a.storeLocal(atBytes, asm.R2, asm.DWord)
	a.log2()
	a.storeLocal(atKey+keyClass, asm.R3, asm.Byte)
}

// record adds what measure has put on the stack to the device's counters and to the row.
func (a *assembler) record() {
	small, last, have := a.newLabel(), a.newLabel(), a.newLabel()
	a.load(asm.R8, asm.RFP, atKey+keyOp, asm.Byte)
	a.emit(asm.Mov.Imm(asm.R1, 1))
	a.addOf(countDone, asm.R8)
	a.load(asm.R1, asm.RFP, atBytes, asm.DWord)
	a.addOf(countDoneBytes, asm.R8)
	// The bucket has the layout of histogram.BucketOf.
	a.load(asm.R4, asm.RFP, atTime, asm.DWord)
	a.emit(asm.Mov.Reg(asm.R2, asm.R4))
	a.log2()
	a.emit(asm.JLE.Imm(asm.R3, 6, small), asm.Sub.Imm(asm.R3, 6), asm.RSh.Reg(asm.R4, asm.R3), asm.And.Imm(asm.R4, 63),
		asm.Add.Imm(asm.R3, 1), asm.LSh.Imm(asm.R3, 6), asm.Add.Reg(asm.R4, asm.R3))
	a.setLabel(small)
	a.emit(asm.JLE.Imm(asm.R4, lastBucket, last), asm.Mov.Imm(asm.R4, lastBucket))
	a.setLabel(last)
	a.storeLocal(atKey+keyBucket, asm.R4, asm.Half)
	// The map of rows in use: one is read while the other is filled.
	a.emit(asm.Mov.Imm(asm.R1, 0))
	a.storeLocal(atID, asm.R1, asm.DWord)
	a.lookup(a.maps.current, atID)
	a.emit(asm.JEq.Imm(asm.R0, 0, "dropped"), asm.Mov.Reg(asm.R7, asm.R0),
		asm.Mov.Reg(asm.R1, asm.R7), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, atKey), asm.FnMapLookupElem.Call(),
		asm.JNE.Imm(asm.R0, 0, have), asm.Mov.Imm(asm.R1, 0))
	for at := int16(0); at < rowSize; at += 8 {
		a.storeLocal(atRow+at, asm.R1, asm.DWord)
	}
	const onlyNew = 1 // BPF_NOEXIST: another processor may have created it in the meantime
	a.emit(asm.Mov.Reg(asm.R1, asm.R7), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, atKey), asm.Mov.Reg(asm.R3, asm.RFP), asm.Add.Imm(asm.R3, atRow),
		asm.Mov.Imm(asm.R4, onlyNew), asm.FnMapUpdateElem.Call(),
		asm.Mov.Reg(asm.R1, asm.R7), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, atKey), asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, "dropped"))
	a.setLabel(have)
	a.emit(asm.Mov.Imm(asm.R1, 1))
	a.addAt(asm.R0, rowCount)
	for _, part := range []struct{ to, from int16 }{{rowBytes, atBytes}, {rowTime, atTime}, {rowWait, atWait}} {
		a.load(asm.R1, asm.RFP, part.from, asm.DWord)
		a.addAt(asm.R0, part.to)
	}
	a.load(asm.R1, asm.RFP, atTime, asm.DWord)
	a.emit(asm.LoadMem(asm.R2, asm.R0, rowMax, asm.DWord), asm.JGE.Reg(asm.R2, asm.R1, "out"), asm.StoreMem(asm.R0, rowMax, asm.R1, asm.DWord), asm.Ja.Label("out"))
	a.setLabel("dropped")
	a.count(countDropped)
}

// requeued counts a request that the driver has returned.
func (a *assembler) requeued(event string) {
	a.argument(event)
	a.requestDevice()
	a.kind()
	a.emit(asm.Mov.Imm(asm.R1, 1))
	a.addOf(countRequeued, asm.R8)
}

// merged forgets a request that was merged into another.
func (a *assembler) merged(event string) {
	a.argument(event)
	a.requestDevice()
	a.kind()
	a.countMerge()
	a.storeLocal(atID, asm.R6, asm.DWord)
	a.forget()
}

// countMerge counts the merge of the I/O loaded by kind.
func (a *assembler) countMerge() {
	a.emit(asm.Mov.Imm(asm.R1, 1))
	a.addOf(countMerged, asm.R8)
	a.load(asm.R1, asm.RFP, atBytes, asm.DWord)
	a.addOf(countMergedBytes, asm.R8)
}

// bioMerged counts a bio that was merged into a request.
func (a *assembler) bioMerged(event string) {
	a.argument(event)
	a.diskOfBio()
	a.deviceOf()
	a.bioKind()
	a.countMerge()
}

// bioQueued counts an I/O submitted to the device. Devices that are built on others and have no
// requests of their own (device mapper, MD, zram) are measured by the bio.
func (a *assembler) bioQueued(event string) {
	a.argument(event)
	a.diskOfBio()
	a.deviceOf()
	a.bioKind()
	a.emit(asm.Mov.Imm(asm.R1, 1))
	a.addOf(countQueued, asm.R8)
	a.load(asm.R1, asm.RFP, atBytes, asm.DWord)
	a.addOf(countQueuedBytes, asm.R8)
	a.diskOfBio()
	a.load(asm.R1, asm.R1, a.diskQueue, asm.DWord)
	a.load(asm.R1, asm.R1, a.queueOps, asm.DWord)
	a.emit(asm.JNE.Imm(asm.R1, 0, "out"))
	a.describe(true)
	a.emit(asm.FnKtimeGetNs.Call())
	a.storeLocal(atFly+flyIssue, asm.R0, asm.DWord)
	a.remember()
}

// bioCompleted handles the completion of a bio on a device without requests.
func (a *assembler) bioCompleted(event string) {
	a.argument(event)
	a.storeLocal(atID, asm.R6, asm.DWord)
	a.diskOfBio()
	a.deviceOf()
	a.lookup(a.maps.flying, atID)
	a.emit(asm.JEq.Imm(asm.R0, 0, "out"), asm.Mov.Reg(asm.R8, asm.R0))
	a.measure()
	a.forget()
	a.record()
}
