package importing

import "plaza/domain/imported"

// Bounds of a batch: large enough that what a transaction costs does not count, small
// enough that others who write are not kept waiting.
const (
	batchLines = 8000
	batchBytes = 8 << 20
)

// prepared is a line that was decoded and checked: a record, or else a reject.
type prepared struct {
	imported.RawLine
	record imported.Record // nil: it is rejected
	reject imported.Reject
}

// batch is what is stored before it is noted how far the file has been read.
type batch struct {
	// layers are the lines in the order in which they are stored, those of a layer at
	// once. Of several with one record each is in a layer of its own, so that the last
	// one wins.
	layers  [][]imported.Line
	rejects []imported.Reject
	lines   int
	bytes   int
	next    map[imported.Ref]int // the layer for the next line of each record
	begin   imported.Position
	end     imported.Position
}

func newBatch(from imported.Position) *batch {
	return &batch{begin: from, end: from, next: map[imported.Ref]int{}}
}

func (b *batch) isEmpty() bool { return b.end.Lines == b.begin.Lines }

func (b *batch) isFull() bool { return b.lines >= batchLines || b.bytes >= batchBytes }

func (b *batch) add(l prepared) {
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
