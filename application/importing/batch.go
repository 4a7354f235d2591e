package importing

import "plaza/domain/imported"

// Limits of a batch: large enough to make the cost of a transaction negligible, small enough
// not to delay other writers and to fit the memory of an import: with 8,000 lines, the garbage
// collector took half of its time.
const (
	batchLines = 4000
	batchBytes = 4 << 20
)

// preparedLine is a decoded and checked line of a file: a record, a reject, or neither if this
// reading stores no records of its kind.
type preparedLine struct {
	imported.RawLine
	file   int // index
	record imported.Record
	reject *imported.Reject
}

// batch holds the lines that are stored before the progress is.
type batch struct {
	// layers are stored in order, the lines of a layer in one step. Lines of the same
	// record are in different layers, so that the last line wins.
	layers  [][]preparedLine
	rejects []imported.Reject
	lines   int
	bytes   int                  // read
	next    map[imported.Ref]int // index of the layer for the next line of each record
	end     int64                // the last line
}

func newBatch() *batch { return &batch{next: map[imported.Ref]int{}} }

// mustEndBefore reports whether the batch must be stored before the line is added: if it is full
// or already has a line of the bundle. Bundles refer to bundles, so they are stored in one layer.
func (b *batch) mustEndBefore(l preparedLine) bool {
	if b.lines >= batchLines || b.bytes >= batchBytes {
		return true
	}
	bundle, is := l.record.(imported.BundleRecord)
	return is && b.next[bundle.Ref()] > 0
}

func (b *batch) add(l preparedLine) {
	b.end = l.Number
	b.bytes += len(l.Raw)
	switch {
	case l.reject != nil:
		b.lines++
		b.rejects = append(b.rejects, *l.reject)
	case l.record != nil:
		b.lines++
		ref := l.record.Ref()
		layer := b.next[ref]
		b.next[ref]++
		if layer == len(b.layers) {
			b.layers = append(b.layers, nil)
		}
		b.layers[layer] = append(b.layers[layer], l)
	}
}
