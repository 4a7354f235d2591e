package importing

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync"

	"plaza/domain/fault"
	"plaza/domain/imported"
)

// errTooLong rejects a line that exceeds the maximum length.
var errTooLong = fault.New(fault.Invalid, "The line is too long.")

// Lines are prepared ahead of the batch that is being stored, at most about three quarters of what a
// batch has.
const (
	aheadLines  = 128             // that are handed over at once
	aheadBytes  = batchBytes / 32 // after which fewer lines are handed over
	aheadChunks = 24
)

// preparedChunk has prepared lines in the order of the file. After err no chunk follows.
type preparedChunk struct {
	lines []preparedLine
	bytes int
	err   error
}

// preparedLines reads the file, decodes and checks its lines, and yields them in order. It ends
// with the file or with an error. Lines are prepared while a database server stores a batch. An
// import still takes one core at most, because the command gives it no more.
func (r *run) preparedLines(ctx context.Context, n int) iter.Seq2[preparedLine, error] {
	return func(yield func(preparedLine, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		ahead := make(chan preparedChunk, aheadChunks)
		at := r.at // what is stored meanwhile changes it
		var preparing sync.WaitGroup
		preparing.Go(func() {
			defer close(ahead)
			r.prepareAhead(ctx, n, at, ahead)
		})
		defer preparing.Wait() // nothing else may use the file until then
		defer stop()
		for chunk := range ahead {
			for _, line := range chunk.lines {
				if !yield(line, nil) {
					return
				}
			}
			if chunk.err != nil {
				yield(preparedLine{}, chunk.err)
				return
			}
		}
	}
}

// prepareAhead sends the lines of the file until it ends, an error occurs or the context ends.
func (r *run) prepareAhead(ctx context.Context, n int, at progress, ahead chan<- preparedChunk) {
	for ended := false; !ended; {
		var chunk preparedChunk
		for len(chunk.lines) < aheadLines && chunk.bytes < aheadBytes && !ended {
			line, err := r.files[n].Next(ctx)
			var p preparedLine
			if err == nil {
				p, err = r.prepare(ctx, n, at, line)
			}
			if err != nil {
				if ended = true; !errors.Is(err, io.EOF) {
					chunk.err = err
				}
				break
			}
			chunk.lines, chunk.bytes = append(chunk.lines, p), chunk.bytes+len(line.Raw)
		}
		select {
		case ahead <- chunk:
		case <-ctx.Done():
			return
		}
	}
}

// prepare turns the line into a record or a reject, or into neither.
func (r *run) prepare(ctx context.Context, n int, at progress, line imported.RawLine) (preparedLine, error) {
	p := preparedLine{RawLine: line, file: n}
	draft, err := r.decode(at, line)
	_, isBundle := draft.(imported.BundleDraft)
	if draft != nil {
		p.record, err = r.recordOf(ctx, n, draft, err)
	}
	if err == nil {
		return p, nil
	}
	f, is := fault.As(err)
	if !is || f.Kind != fault.Invalid {
		return preparedLine{}, err
	}
	p.record = nil
	if at.Reading == 1 || draft != nil && !isBundle { // otherwise it was rejected in the first reading
		p.reject = &imported.Reject{RawLine: line, Reason: f.Text, Fields: f.Fields}
	}
	return p, nil
}

func (r *run) decode(at progress, line imported.RawLine) (imported.Draft, error) {
	if line.TooLong {
		return nil, errTooLong
	}
	return r.ports.Decoder.Decode(line.Raw, at.wanted()...)
}

// recordOf returns the record of the draft, or all that is wrong with it.
func (r *run) recordOf(ctx context.Context, n int, draft imported.Draft, decodeErr error) (imported.Record, error) {
	record, err := draft.Record(r.ports.Sanitiser)
	if err := fault.Merge(decodeErr, err); err != nil {
		return nil, err
	}
	if withFile, is := record.(imported.CoverRecord); is && withFile.CoverFile() != "" {
		return r.withCover(ctx, r.files[n].Source, withFile)
	}
	return record, nil
}
