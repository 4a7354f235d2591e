package s3

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/minio/minio-go/v7"
)

// file is an object being read. It requests the object at the first Read, from the current
// offset.
type file struct {
	ctx    context.Context // of Open; io.Reader takes none
	store  *Store
	object string
	size   int64
	at     int64 // offset of the next Read

	body   io.ReadCloser // the rest from next on; nil: not requested
	next   int64
	cancel context.CancelFunc // cancels body's request
	closed bool
}

var (
	errBefore = errors.New("s3: negative offset")
	errWhence = errors.New("s3: invalid whence")
)

// Seek implements io.Seeker. It sends no request.
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

// Read implements io.Reader. The deadline applies to each Read, so the caller may read as
// slowly as it likes. A truncated picture is an error.
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
	case err == nil: // the deadline passed just after the answer ended
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

// ask requests the rest of the picture.
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
