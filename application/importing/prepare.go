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
	aheadLines  = 256             // that are handed over at once
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
func (r *run) preparedLines(ctx context.Context, f *sourceFile) iter.Seq2[preparedLine, error] {
	return func(yield func(preparedLine, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		ahead := make(chan preparedChunk, aheadChunks)
		var preparing sync.WaitGroup
		preparing.Go(func() {
			defer close(ahead)
			r.prepareAhead(ctx, f, ahead)
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
func (r *run) prepareAhead(ctx context.Context, f *sourceFile, ahead chan<- preparedChunk) {
	for ended := false; !ended; {
		var chunk preparedChunk
		for len(chunk.lines) < aheadLines && chunk.bytes < aheadBytes && !ended {
			line, err := f.Next(ctx)
			var p preparedLine
			if err == nil {
				p, err = r.prepare(ctx, f.Source, line)
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

// prepare turns the line into a record or a reject.
func (r *run) prepare(ctx context.Context, s Source, line imported.RawLine) (preparedLine, error) {
	record, err := r.recordOf(ctx, s, line)
	if err == nil {
		return preparedLine{RawLine: line, record: record}, nil
	}
	f, is := fault.As(err)
	if !is || f.Kind != fault.Invalid {
		return preparedLine{}, err
	}
	return preparedLine{RawLine: line, reject: imported.Reject{RawLine: line, Reason: f.Text, Fields: f.Fields}}, nil
}

func (r *run) recordOf(ctx context.Context, s Source, line imported.RawLine) (imported.Record, error) {
	if line.TooLong {
		return nil, errTooLong
	}
	draft, decodeErr := r.ports.Decoder.Decode(line.Raw)
	if draft == nil {
		return nil, decodeErr
	}
	record, err := draft.Record(r.ports.Sanitiser)
	if err := fault.Merge(decodeErr, err); err != nil {
		return nil, err
	}
	if withFile, is := record.(imported.CoverRecord); is && withFile.CoverFile() != "" {
		return r.withCover(ctx, s, withFile)
	}
	return record, nil
}
