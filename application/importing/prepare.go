package importing

import (
	"context"
	"errors"
	"io"
	"iter"

	"plaza/domain/fault"
	"plaza/domain/imported"
)

// errTooLong rejects a line that exceeds the maximum length.
var errTooLong = fault.New(fault.Invalid, "The line is too long.")

// preparedLines reads the file, decodes and checks its lines, and yields them in order. It ends
// with the file or with an error. Lines are not prepared while a batch is stored:
// concurrency would gain little, and would take CPU from the servers.
func (r *run) preparedLines(ctx context.Context, f *sourceFile) iter.Seq2[preparedLine, error] {
	return func(yield func(preparedLine, error) bool) {
		for {
			line, err := f.Next(ctx)
			if errors.Is(err, io.EOF) {
				return
			}
			var p preparedLine
			if err == nil {
				p, err = r.prepare(ctx, f.Source, line)
			}
			if !yield(p, err) || err != nil {
				return
			}
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
