package importing

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
	"sync"

	"plaza/domain/crawl"
	"plaza/domain/fault"
)

// Bounds of a portion: what one worker prepares at a time.
const (
	portionLines = 128
	portionBytes = 1 << 20
)

// errTooLong is the reason of a line of which only the beginning was read.
var errTooLong = fault.New(fault.Invalid, "The line is too long.")

// portion is a run of lines, being prepared.
type portion struct {
	lines []crawl.RawLine
	done  chan struct{} // closed when prepared and err are there
	got   []prepared
	err   error
}

// prepared reads the file, has its lines decoded and checked on all cores, and yields
// them in their order. It ends with the file, or with an error; when it ends, nobody
// works on the file any more.
func (r *run) prepared(ctx context.Context, f *imported) iter.Seq2[prepared, error] {
	return func(yield func(prepared, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		var all sync.WaitGroup
		defer all.Wait()
		defer stop()
		workers := runtime.GOMAXPROCS(0)
		work, inOrder := make(chan *portion), make(chan *portion, 2*workers)
		var failed error
		all.Go(func() {
			defer close(inOrder)
			defer close(work)
			failed = portions(ctx, f, func(p *portion) bool { return send(ctx, inOrder, p) && send(ctx, work, p) })
		})
		for range workers {
			all.Go(func() {
				for p := range work {
					p.got, p.err = r.prepareAll(ctx, f, p.lines)
					close(p.done)
				}
			})
		}
		for p := range inOrder {
			select {
			case <-p.done:
			case <-ctx.Done():
				return
			}
			for _, line := range p.got {
				if !yield(line, nil) {
					return
				}
			}
			if p.err != nil {
				yield(prepared{}, p.err)
				return
			}
		}
		if failed != nil {
			yield(prepared{}, failed)
		}
	}
}

func send[T any](ctx context.Context, to chan<- T, what T) bool {
	select {
	case to <- what:
		return true
	case <-ctx.Done():
		return false
	}
}

// portions reads the file to its end and gives every portion to put, until that wants no
// more.
func portions(ctx context.Context, f *imported, put func(*portion) bool) error {
	for {
		p, bytes := &portion{done: make(chan struct{})}, 0
		var err error
		for len(p.lines) < portionLines && bytes < portionBytes {
			var line crawl.RawLine
			if line, err = f.Next(ctx); err != nil {
				break
			}
			bytes += len(line.Raw)
			p.lines = append(p.lines, line)
		}
		if len(p.lines) > 0 && !put(p) {
			return ctx.Err()
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// prepareAll prepares the lines up to the first where something else than the line is
// at fault.
func (r *run) prepareAll(ctx context.Context, f *imported, lines []crawl.RawLine) ([]prepared, error) {
	got := make([]prepared, 0, len(lines))
	for _, line := range lines {
		p, err := r.prepare(ctx, f.Source, line)
		if err != nil {
			return got, err
		}
		got = append(got, p)
	}
	return got, nil
}

// prepare makes a record of the line, or a reject.
func (r *run) prepare(ctx context.Context, s Source, line crawl.RawLine) (prepared, error) {
	record, err := r.recordOf(ctx, s, line)
	if err == nil {
		return prepared{RawLine: line, record: record}, nil
	}
	f, is := fault.Of(err)
	if !is || f.Kind != fault.Invalid {
		return prepared{}, err
	}
	return prepared{RawLine: line, reject: crawl.Reject{RawLine: line, Reason: f.Text, Fields: f.Fields}}, nil
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

func (r *run) recordOf(ctx context.Context, s Source, line crawl.RawLine) (crawl.Record, error) {
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
	if drawn, is := record.(crawl.Illustrated); is && drawn.CoverFile() != "" {
		return r.withCover(ctx, s, drawn)
	}
	return record, nil
}
