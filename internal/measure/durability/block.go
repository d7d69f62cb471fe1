package durability

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
)

// A block begins with a header, ends with a CRC-32C of everything before it, and is filled in between
// with incompressible bytes that differ for every write.
const (
	magic     = "LOADLINE"
	headBytes = 8 + volumeBytes + 8 + 8
	crcBytes  = 4
	// volumeBytes is the length of the random ID that the ledger assigns to the target.
	volumeBytes = 16
	// sector is the smallest unit that storage writes atomically, in bytes.
	sector = 512
)

// volumeID identifies one test on one target.
type volumeID [volumeBytes]byte

func (v volumeID) String() string { return hex.EncodeToString(v[:]) }

// MarshalText and UnmarshalText keep the ID readable in the ledger.
func (v volumeID) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

func (v *volumeID) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != volumeBytes {
		return fmt.Errorf("%q is not the id of a volume", text)
	}
	_, err := hex.Decode(v[:], text)
	return err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode fills p with the content of write number seq to the block at offset.
func encode(p []byte, volume volumeID, offset int64, seq uint64) {
	head := append([]byte(magic), volume[:]...)
	head = binary.BigEndian.AppendUint64(head, uint64(offset))
	head = binary.BigEndian.AppendUint64(head, seq)
	copy(p, head)
	body := p[headBytes : len(p)-crcBytes]
	_, _ = rand.NewChaCha8(sha256.Sum256(head)).Read(body) // never fails
	binary.BigEndian.PutUint32(p[len(p)-crcBytes:], crc32.Checksum(p[:len(p)-crcBytes], castagnoli))
}

// head is the decoded header of a block.
type head struct {
	volume volumeID
	offset int64
	seq    uint64
	// whole is true if the checksum matches.
	whole bool
}

// decode reads a block; ok is false if it was not written by Loadline.
func decode(p []byte) (h head, ok bool) {
	if len(p) < headBytes+crcBytes || string(p[:8]) != magic {
		return h, false
	}
	copy(h.volume[:], p[8:])
	h.offset = int64(binary.BigEndian.Uint64(p[8+volumeBytes:]))
	h.seq = binary.BigEndian.Uint64(p[16+volumeBytes:])
	h.whole = binary.BigEndian.Uint32(p[len(p)-crcBytes:]) == crc32.Checksum(p[:len(p)-crcBytes], castagnoli)
	return h, true
}

// fingerprintLength is the length of the longest fingerprint in characters.
const fingerprintLength = 24

// fingerprint identifies what a block held before the test: "0" if only zeros, otherwise 96 bits of
// its SHA-256.
func fingerprint(p []byte) string {
	if len(bytes.Trim(p, "\x00")) == 0 {
		return "0"
	}
	sum := sha256.Sum256(p)
	return hex.EncodeToString(sum[:fingerprintLength/2])
}

// pieces describes which write each run of sectors in a torn block came from: "sectors 0–2 of write
// 7, 3–7 of write 6". It tries the writes from high down to low; sectors that match none are reported
// as such.
func pieces(p []byte, volume volumeID, offset int64, low, high uint64) string {
	owner := make([]string, len(p)/sector)
	for i := range owner {
		owner[i] = "of nothing that was written"
		if fingerprint(p[i*sector:(i+1)*sector]) == "0" {
			owner[i] = "zero"
		}
	}
	want := make([]byte, len(p))
	const most = 64 // trying older writes is not worth the time
	for seq, tried := high, 0; seq >= max(low, 1) && tried < most; seq, tried = seq-1, tried+1 {
		encode(want, volume, offset, seq)
		for i := range owner {
			if bytes.Equal(want[i*sector:(i+1)*sector], p[i*sector:(i+1)*sector]) {
				owner[i] = fmt.Sprintf("of write %d", seq)
			}
		}
	}
	words := ""
	for from := 0; from < len(owner); {
		to := from
		for to+1 < len(owner) && owner[to+1] == owner[from] {
			to++
		}
		if words != "" {
			words += ", "
		}
		if to == from {
			words += fmt.Sprintf("sector %d %s", from, owner[from])
		} else {
			words += fmt.Sprintf("sectors %d–%d %s", from, to, owner[from])
		}
		from = to + 1
	}
	return words
}
