package pictures

import (
	"context"
	"errors"
	"io"

	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/media"
)

// queue is the key of all pictures whose sizes are made later, so that many of them wait
// behind uploads.
const queue = "sizes"

// turn is a call that makes the sizes of a picture. The channel is closed when it has ended.
type turn struct {
	ended chan struct{}
	err   error
}

// once calls fn, or waits until a call for the same picture has ended and returns its error. If that one has not ended because
// its own context did, another call takes its turn.
func (p *Pictures) once(ctx context.Context, of media.Key, fn func() error) error {
	own := &turn{ended: make(chan struct{})}
	for {
		making, isMade := p.making.LoadOrStore(of, own)
		if !isMade {
			defer close(own.ended)
			defer p.making.Delete(of)
			own.err = fn()
			return own.err
		}
		other := making.(*turn)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-other.ended:
		}
		if !errors.Is(other.err, context.Canceled) && !errors.Is(other.err, context.DeadlineExceeded) {
			return other.err
		}
	}
}

// makeSizes makes the sizes of a picture that was stored without them. Servers that do it at
// once store the same, and it is counted once.
func (p *Pictures) makeSizes(ctx context.Context, of media.Key) error {
	processed, err := p.process(ctx, of)
	if err != nil {
		return err
	}
	var bytes int64
	for _, v := range processed.Variants {
		bytes += int64(len(v.Bytes))
	}
	// They are counted first: what is counted and not stored is stored by the next request.
	if err := p.room.CountSizes(ctx, of, bytes); err != nil {
		return err
	}
	if err := processed.StoreSizes(ctx, p.store, of); err != nil {
		return err
	}
	file, err := p.store.Open(ctx, of)
	if errors.Is(err, media.ErrNotFound) { // it was removed meanwhile, perhaps before its sizes were stored
		return errors.Join(err, media.RemoveSizes(context.WithoutCancel(ctx), p.store, of))
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// MeasureBatch is how many plates Measure reads at once.
const MeasureBatch = 100

// Measure stores the dimensions of the plates that were stored without them (PLA-05). A plate whose picture is missing or can't be
// decoded stays as it is.
func (p *Pictures) Measure(ctx context.Context) error {
	for after, more := event.PlateID(0), true; more; {
		plates, err := p.events.Unmeasured(ctx, after, MeasureBatch)
		for i := 0; i < len(plates) && err == nil; i++ {
			var processed media.Processed
			if processed, err = p.process(ctx, plates[i].Photo); errors.Is(err, media.ErrNotFound) {
				err = nil
			}
			if processed.Width > 0 {
				plates[i].Width, plates[i].Height = processed.Width, processed.Height
				err = p.events.Measure(ctx, plates[i])
			}
			after = plates[i].ID
		}
		if err != nil {
			return err
		}
		more = len(plates) == MeasureBatch
	}
	return nil
}

// process returns the sizes of the stored picture. A picture that cannot be processed, because
// it was stored under former rules, stands for its sizes.
func (p *Pictures) process(ctx context.Context, of media.Key) (media.Processed, error) {
	file, err := p.store.Open(ctx, of)
	if err != nil {
		return media.Processed{}, err
	}
	defer file.Close()
	processed, err := p.processor.Process(ctx, queue, raw{file}, media.PictureSizes...)
	if fault.KindOf(err) == fault.Invalid {
		processed, err = media.Processed{}, nil
		for _, s := range media.PictureSizes {
			processed.Variants = append(processed.Variants, media.Variant{Name: s.Name, Upload: media.Upload{Type: "image/png"}})
		}
	}
	return processed, err
}

// raw is a stored picture as media.Raw.
type raw struct{ media.File }

func (r raw) Size() int64 { return r.Bytes }

func (r raw) ReadAt(b []byte, at int64) (int, error) {
	if _, err := r.Seek(at, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}
