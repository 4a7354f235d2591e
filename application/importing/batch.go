package importing

import "plaza/domain/imported"

// Limits of a batch: large enough to make the cost of a transaction negligible, small enough
// not to delay other writers.
const (
	batchLines = 8000
	batchBytes = 8 << 20
)

// preparedLine is a decoded and checked line: a record or a reject.
type preparedLine struct {
	imported.RawLine
	record imported.Record // nil: the line is rejected
	reject imported.Reject
}

// batch holds the lines that are stored before the position in the file is committed.
type batch struct {
	// layers are stored in order, the lines of a layer in one step. Lines of the same
	// record are in different layers, so that the last line wins.
	layers  [][]imported.Line
	rejects []imported.Reject
	lines   int
	bytes   int
	next    map[imported.Ref]int // index of the layer for the next line of each record
	begin   imported.Position
	end     imported.Position
}

func newBatch(from imported.Position) *batch {
	return &batch{begin: from, end: from, next: map[imported.Ref]int{}}
}

func (b *batch) isEmpty() bool { return b.end.Lines == b.begin.Lines }

func (b *batch) isFull() bool { return b.lines >= batchLines || b.bytes >= batchBytes }

// mustEndBefore reports whether the batch must be stored before the line is added. Categories
// and bundles refer to records of their own kind. So a batch holds at most one line per
// category or bundle; a second line starts a new batch.
func (b *batch) mustEndBefore(l preparedLine) bool {
	if l.record == nil {
		return false
	}
	ref := l.record.Ref()
	return b.next[ref] > 0 && (ref.Kind == imported.Category || ref.Kind == imported.Bundle)
}

func (b *batch) add(l preparedLine) {
	b.end = l.End
	b.lines++
	b.bytes += len(l.Raw)
	if l.record == nil {
		b.rejects = append(b.rejects, l.reject)
		return
	}
	ref := l.record.Ref()
	layer := b.next[ref]
	b.next[ref]++
	if layer == len(b.layers) {
		b.layers = append(b.layers, nil)
	}
	b.layers[layer] = append(b.layers[layer], imported.Line{Number: l.Number, Raw: l.Raw, Record: l.record})
}
