package s3

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/minio/minio-go/v7"
)

// file is an object that is being read: not before somebody reads, and from where they do.
type file struct {
	ctx    context.Context // of whoever opened it: io.Reader takes none
	store  *Store
	object string
	size   int64
	at     int64 // where the next Read begins

	body   io.ReadCloser // what follows from next on; nil: nothing has been asked for
	next   int64
	cancel context.CancelFunc // ends the request that body is the answer to
	closed bool
}

var (
	errBefore = errors.New("s3: a place before the beginning of the picture")
	errWhence = errors.New("s3: a place that is counted from nowhere")
)

// Seek implements io.Seeker. It asks the store for nothing.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.size
	default:
		return 0, errWhence
	}
	if offset < 0 {
		return 0, errBefore
	}
	f.at = offset
	return offset, nil
}

// Read implements io.Reader. The deadline is that of each Read, so a picture may be read as
// slowly as its reader likes. A picture that is cut short is an error.
func (f *file) Read(p []byte) (int, error) {
	switch {
	case f.closed:
		return 0, fs.ErrClosed
	case f.ctx.Err() != nil:
		return 0, f.ctx.Err()
	case f.at >= f.size:
		return 0, io.EOF
	case len(p) == 0:
		return 0, nil
	}
	if f.body != nil && f.next != f.at {
		f.drop()
	}
	var ctx context.Context
	if f.body == nil {
		ctx, f.cancel = context.WithCancel(f.ctx)
	}
	alarm := time.AfterFunc(f.store.deadline, f.cancel)
	n, err := f.read(ctx, p)
	isLate := !alarm.Stop()
	f.at += int64(n)
	f.next = f.at
	switch {
	case err == nil && !isLate:
		return n, nil
	case err == nil: // the alarm went off a moment too late: only the answer has ended
		f.drop()
		return n, nil
	case isLate:
		err = errTooLong
	}
	f.drop()
	return n, explain(f.ctx, err)
}

func (f *file) read(ctx context.Context, p []byte) (int, error) {
	if f.body == nil {
		if err := f.ask(ctx); err != nil {
			return 0, err
		}
	}
	left := f.size - f.at
	n, err := f.body.Read(p[:min(int64(len(p)), left)])
	if errors.Is(err, io.EOF) {
		err = nil
		if int64(n) < left {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}

// ask begins an answer that has the rest of the picture.
func (f *file) ask(ctx context.Context) error {
	var options minio.GetObjectOptions
	if f.at > 0 {
		if err := options.SetRange(f.at, 0); err != nil {
			return err
		}
	}
	body, info, _, err := f.store.client.GetObject(ctx, f.store.bucket, f.object, options)
	if err != nil {
		return err
	}
	if info.Size != f.size-f.at {
		_ = body.Close()
		return errOtherSize
	}
	f.body = body
	return nil
}

func (f *file) drop() {
	if f.cancel != nil {
		f.cancel()
	}
	if f.body != nil {
		_ = f.body.Close()
	}
	f.body, f.cancel = nil, nil
}

// Close implements io.Closer.
func (f *file) Close() error {
	if f.closed {
		return fs.ErrClosed
	}
	f.closed = true
	f.drop()
	return nil
}
