package pictures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"plaza/domain/admission"
	"plaza/domain/fault"
	"plaza/domain/media"
)

// queue is the key of all pictures whose sizes are made later, so that many of them wait
// behind uploads.
const queue admission.Key = "sizes"

// making are the pictures whose sizes the calls of this server make at the moment.
type making struct {
	mu sync.Mutex
	of map[media.Key]*turn
}

// turn is a call that makes the sizes of a picture. The channel is closed when it has ended.
type turn struct {
	ended chan struct{}
	err   error
}

// once calls fn, or waits until a call with the same key has ended and returns its error. If that one has not ended because its
// own context did, another call takes its turn.
func (m *making) once(ctx context.Context, of media.Key, fn func() error) error {
	for {
		m.mu.Lock()
		t, isMade := m.of[of]
		if !isMade {
			t = &turn{ended: make(chan struct{})}
			m.of[of] = t
		}
		m.mu.Unlock()
		if !isMade {
			defer m.end(of, t)
			t.err = fn()
			return t.err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.ended:
		}
		if !errors.Is(t.err, context.Canceled) && !errors.Is(t.err, context.DeadlineExceeded) {
			return t.err
		}
	}
}

func (m *making) end(of media.Key, t *turn) {
	m.mu.Lock()
	delete(m.of, of)
	m.mu.Unlock()
	close(t.ended)
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

// process returns the sizes of the stored picture. A picture that cannot be processed, because
// it was stored under former rules, stands for its sizes.
func (p *Pictures) process(ctx context.Context, of media.Key) (media.Processed, error) {
	file, err := p.store.Open(ctx, of)
	if err != nil {
		return media.Processed{}, err
	}
	defer file.Close()
	bytes, err := length(file)
	if err != nil {
		return media.Processed{}, err
	}
	processed, err := p.processor.Process(ctx, queue, raw{file, bytes}, media.PictureSizes...)
	if fault.KindOf(err) == fault.Invalid {
		processed, err = media.Processed{}, nil
		for _, s := range media.PictureSizes {
			processed.Variants = append(processed.Variants, media.Variant{Name: s.Name, Upload: media.Upload{Type: "image/png"}})
		}
	}
	return processed, err
}

// length returns the bytes of the file, which is read from its beginning after that.
func length(file io.Seeker) (int64, error) {
	bytes, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return 0, fmt.Errorf("measuring a picture: %w", err)
	}
	return bytes, nil
}

// raw is a stored picture as media.Raw.
type raw struct {
	file  io.ReadSeeker
	bytes int64
}

func (r raw) Size() int64 { return r.bytes }

func (r raw) ReadAt(b []byte, at int64) (int, error) {
	if _, err := r.file.Seek(at, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r.file, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}
