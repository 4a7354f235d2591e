package pictures

import (
	"context"

	"plaza/domain/media"
)

// Refuser is a processor that refuses every picture and remembers the keys that they came with.
type Refuser struct{ Keys []string }

var _ media.Processor = (*Refuser)(nil)

// Process implements media.Processor.
func (r *Refuser) Process(_ context.Context, by string, _ media.Raw, _ ...media.SizeSpec) (media.Processed, error) {
	r.Keys = append(r.Keys, by)
	return media.Processed{}, media.ErrNotAccepted
}
