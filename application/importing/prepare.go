package importing

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"

	"plaza/domain/fault"
	"plaza/domain/imported"
)

// errTooLong is the reason of a line of which only the beginning was read.
var errTooLong = fault.New(fault.Invalid, "The line is too long.")

// prepared reads the file, decodes and checks its lines, and yields them in their order.
// It ends with the file, or with an error. Nothing is prepared while a batch is stored:
// to have both going on would gain little, and leave no core to whoever is served
// meanwhile.
func (r *run) prepared(ctx context.Context, f *sourceFile) iter.Seq2[prepared, error] {
	return func(yield func(prepared, error) bool) {
		for {
			line, err := f.Next(ctx)
			if errors.Is(err, io.EOF) {
				return
			}
			var p prepared
			if err == nil {
				p, err = r.prepare(ctx, f.Source, line)
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// prepare makes a record of the line, or a reject.
func (r *run) prepare(ctx context.Context, s Source, line imported.RawLine) (prepared, error) {
	record, err := r.recordOf(ctx, s, line)
	if err == nil {
		return prepared{RawLine: line, record: record}, nil
	}
	f, is := fault.As(err)
	if !is || f.Kind != fault.Invalid {
		return prepared{}, err
	}
	return prepared{RawLine: line, reject: imported.Reject{RawLine: line, Reason: f.Text, Fields: f.Fields}}, nil
}

// both is one fault with the fields of two; what can't be read is not blamed for being
// absent as well.
func both(misread, broken error) error {
	wrong := fault.FieldsOf(misread)
	if len(wrong) == 0 {
		return cmp.Or(misread, broken)
	}
	wrong.Merge(fault.FieldsOf(broken))
	return wrong.Err()
}

func (r *run) recordOf(ctx context.Context, s Source, line imported.RawLine) (imported.Record, error) {
	if line.TooLong {
		return nil, errTooLong
	}
	draft, misread := r.ports.Decoder.Decode(line.Raw)
	if draft == nil {
		return nil, misread
	}
	record, err := draft.Record(r.ports.Sanitiser)
	if misread != nil || err != nil {
		return nil, both(misread, err)
	}
	if drawn, is := record.(imported.CoverRecord); is && drawn.CoverFile() != "" {
		return r.withCover(ctx, s, drawn)
	}
	return record, nil
}
