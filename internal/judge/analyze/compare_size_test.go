package analyze

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// One command measures both sides, so both are advised the larger of the sizes that they need.
func TestBothSidesAreAdvisedOneSize(t *testing.T) {
	findings := []model.Finding{
		{Rule: "size", Next: "--size 3GiB", Evidence: map[string]any{"needed": int64(5 << 29)}},
		{Rule: "precision", Next: "longer"},
		{Rule: "size", Next: "--size 6GiB", Evidence: map[string]any{"needed": int64(11 << 29)}},
	}
	adviseOneSize(findings)
	if findings[0].Next != "--size 6GiB" || findings[1].Next != "longer" || findings[2].Next != "--size 6GiB" {
		t.Errorf("%+v", findings)
	}
}
