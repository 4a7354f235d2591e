package pictures

import (
	"context"
	"errors"
	"io"

	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/media"
)

// queue is the key of all plates that are measured, so that many of them wait behind uploads.
const queue = "measure"

// MeasureBatch is how many plates Measure reads at once.
const MeasureBatch = 100

// Measure stores the dimensions of the plates that were stored without them (PLA-05). A plate whose picture is missing or can't be
// decoded stays as it is.
func (p *Pictures) Measure(ctx context.Context) error {
	for after, more := event.PlateID(0), true; more; {
		plates, err := p.events.Unmeasured(ctx, after, MeasureBatch)
		for i := 0; i < len(plates) && err == nil; i++ {
			var processed media.Processed
			if processed, err = p.process(ctx, plates[i].Photo); errors.Is(err, media.ErrNotFound) || fault.KindOf(err) == fault.Invalid {
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

// process decodes the stored picture.
func (p *Pictures) process(ctx context.Context, of media.Key) (media.Processed, error) {
	file, err := p.store.Open(ctx, of)
	if err != nil {
		return media.Processed{}, err
	}
	defer file.Close()
	return p.processor.Process(ctx, queue, raw{file})
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
