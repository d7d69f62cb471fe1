package trace

import (
	"bytes"
	"errors"
	"testing"
	"unsafe"

	"github.com/cilium/ebpf/btf"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// The layout read here must match what the programs write.
func TestLayoutOfRows(t *testing.T) {
	if unsafe.Sizeof(rowKey{}) != keySize || unsafe.Offsetof(rowKey{}.Bucket) != keyBucket || unsafe.Offsetof(rowKey{}.Op) != keyOp ||
		unsafe.Offsetof(rowKey{}.Class) != keyClass || unsafe.Offsetof(rowKey{}.Group) != keyGroup || unsafe.Offsetof(rowKey{}.Task) != keyTask || unsafe.Offsetof(rowKey{}.Name) != keyName {
		t.Error("a row's key")
	}
	if unsafe.Sizeof(rowValue{}) != rowSize || unsafe.Offsetof(rowValue{}.Max) != rowMax || unsafe.Offsetof(rowValue{}.Wait) != rowWait {
		t.Error("a row's numbers")
	}
	if opCount > opRoom || atOwner < -512 {
		t.Error("the programs have no room for their operations, or on their stack")
	}
	if histogram.BucketOf(1<<63) != lastBucket {
		t.Errorf("the last bucket is %d", histogram.BucketOf(1<<63))
	}
}

// A kernel whose types lack something required is refused with a message, not with a crash.
func TestAKernelWithoutTheTypesIsRefused(t *testing.T) {
	empty, err := btf.NewBuilder([]btf.Type{&btf.Int{Name: "int", Size: 4}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := empty.Marshal(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := btf.LoadSpecFromReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if l, err := newLayout(spec); err == nil {
		t.Errorf("%+v", l)
	}
	if got := bpfRefusal(errors.Join(errNoTypes, err)); got.Class != model.Refused || got.Hint == "" {
		t.Errorf("%+v", got)
	}
}
