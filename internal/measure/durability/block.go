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

// A block begins with a head, ends with a CRC-32C of all that is before, and is
// filled in between with bytes that do not compress and are unlike those of any
// other write.
const (
	magic     = "LOADLINE"
	headBytes = 8 + volumeBytes + 8 + 8
	crcBytes  = 4
	// volumeBytes is the length of the id that the ledger draws for the target.
	volumeBytes = 16
	// sector is the smallest piece that storage writes whole.
	sector = 512
)

// volumeID names one test on one target.
type volumeID [volumeBytes]byte

func (v volumeID) String() string { return hex.EncodeToString(v[:]) }

// MarshalText and UnmarshalText keep the id readable in the ledger.
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

// head is what a block says of itself.
type head struct {
	volume volumeID
	offset int64
	seq    uint64
	// whole tells that the checksum fits.
	whole bool
}

// decode reads a block; ok is false when it is none of Loadline's.
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

// fingerprint identifies what a block held before the test: "0" for nothing but
// zeros, otherwise 96 bits of its SHA-256.
func fingerprint(p []byte) string {
	if len(bytes.Trim(p, "\x00")) == 0 {
		return "0"
	}
	sum := sha256.Sum256(p)
	return hex.EncodeToString(sum[:fingerprintLength/2])
}

// pieces tells of which write each run of sectors of a torn block is: "sectors
// 0–2 of write 7, 3–7 of write 6". Writes from low to high are tried, the newest
// first; what fits none is "unknown".
func pieces(p []byte, volume volumeID, offset int64, low, high uint64) string {
	owner := make([]string, len(p)/sector)
	for i := range owner {
		owner[i] = "of nothing that was written"
		if fingerprint(p[i*sector:(i+1)*sector]) == "0" {
			owner[i] = "zero"
		}
	}
	want := make([]byte, len(p))
	const most = 64 // older writes than that are not worth the time
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
