package s3

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/minio/minio-go/v7"
)

// file is a section of an object, the whole of it.
type file struct {
	io.ReadSeeker
	io.Closer
}

func newFile(ctx context.Context, s *Store, name string, size int64) file {
	o := &object{ctx: ctx, store: s, name: name, size: size}
	return file{io.NewSectionReader(o, 0, size), o}
}

// object is an object being read. It is requested at the first read, from the offset on.
type object struct {
	ctx   context.Context // of Open; io.Reader takes none
	store *Store
	name  string
	size  int64

	body   io.ReadCloser // the rest from next on; nil: not requested
	next   int64
	cancel context.CancelFunc // cancels body's request
	closed bool
}

// ReadAt reads at least one byte, as io.SectionReader needs it to read on. The deadline applies to each call, so the
// caller may read as slowly as it likes. A truncated picture is an error.
func (o *object) ReadAt(p []byte, at int64) (int, error) {
	switch {
	case o.closed:
		return 0, fs.ErrClosed
	case o.ctx.Err() != nil:
		return 0, o.ctx.Err()
	}
	if o.body != nil && o.next != at {
		o.drop()
	}
	var ctx context.Context
	if o.body == nil {
		ctx, o.cancel = context.WithCancel(o.ctx)
	}
	alarm := time.AfterFunc(o.store.deadline, o.cancel)
	n, err := o.read(ctx, p, at)
	isLate := !alarm.Stop()
	o.next = at + int64(n)
	switch {
	case err == nil && !isLate:
		return n, nil
	case err == nil: // the deadline passed just after the answer ended
		o.drop()
		return n, nil
	case isLate:
		err = errTooLong
	}
	o.drop()
	return n, explain(o.ctx, err)
}

func (o *object) read(ctx context.Context, p []byte, at int64) (int, error) {
	if o.body == nil {
		if err := o.ask(ctx, at); err != nil {
			return 0, err
		}
	}
	n, err := o.body.Read(p)
	if errors.Is(err, io.EOF) {
		err = nil
		if at+int64(n) < o.size {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}

// ask requests the rest of the picture from the offset on.
func (o *object) ask(ctx context.Context, at int64) error {
	var options minio.GetObjectOptions
	if at > 0 {
		if err := options.SetRange(at, 0); err != nil {
			return err
		}
	}
	body, info, _, err := o.store.client.GetObject(ctx, o.store.bucket, o.name, options)
	if err != nil {
		return err
	}
	if info.Size != o.size-at {
		_ = body.Close()
		return errOtherSize
	}
	o.body = body
	return nil
}

func (o *object) drop() {
	if o.cancel != nil {
		o.cancel()
	}
	if o.body != nil {
		_ = o.body.Close()
	}
	o.body, o.cancel = nil, nil
}

func (o *object) Close() error {
	if o.closed {
		return fs.ErrClosed
	}
	o.closed = true
	o.drop()
	return nil
}
