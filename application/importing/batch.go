package importing

import "plaza/domain/crawl"

// Bounds of a batch: large enough that what a transaction costs does not count, small
// enough that others who write are not kept waiting.
const (
	batchLines = 1000
	batchBytes = 4 << 20
)

// prepared is a line that was decoded and checked: a record, or else a reject.
type prepared struct {
	crawl.RawLine
	record crawl.Record // nil: it is rejected
	reject crawl.Reject
}

// batch is what is stored in one step.
type batch struct {
	lines   []crawl.Line
	rejects []crawl.Reject
	end     crawl.Position
	bytes   int
	seen    map[crawl.Ref]bool
	begin   crawl.Position
}

func newBatch(from crawl.Position) *batch {
	return &batch{begin: from, end: from, seen: map[crawl.Ref]bool{}}
}

func (b *batch) isEmpty() bool { return b.end.Lines == b.begin.Lines }

// fits says whether the line may be stored together with the others. Of two lines with
// one record each must be stored for itself, so that the later one wins.
func (b *batch) fits(l prepared) bool {
	full := len(b.lines)+len(b.rejects) >= batchLines || b.bytes >= batchBytes
	return !full && (l.record == nil || !b.seen[l.record.Ref()])
}

func (b *batch) add(l prepared) {
	b.end = l.End
	b.bytes += len(l.Raw)
	if l.record == nil {
		b.rejects = append(b.rejects, l.reject)
		return
	}
	b.seen[l.record.Ref()] = true
	b.lines = append(b.lines, crawl.Line{Number: l.Number, Raw: l.Raw, Record: l.record})
}
