package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"

	"plaza/domain/media"
)

// maxMark is larger than any mark, in bytes.
const maxMark = 1 << 10

// Mark implements media.Store. A store that knows no conditional writes can't exclude two first marks at once.
func (s *Store) Mark(ctx context.Context, first string) (string, error) {
	mark, err := s.storedMark(ctx)
	if err != nil || mark != "" || first == "" {
		return mark, err
	}
	var absent minio.PutObjectOptions
	absent.SetMatchETagExcept("*")
	switch status, err := s.putMark(ctx, first, absent); status {
	case http.StatusNotImplemented:
		return first, s.SetMark(ctx, first)
	case http.StatusPreconditionFailed, http.StatusConflict:
		return s.storedMark(ctx)
	default:
		return first, err
	}
}

func (s *Store) storedMark(ctx context.Context) (string, error) {
	bounded, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	body, _, _, err := s.client.GetObject(bounded, s.bucket, s.prefix+media.MarkName, minio.GetObjectOptions{})
	if isMissing(err) {
		return "", nil
	}
	if err == nil {
		defer body.Close()
		var text []byte
		if text, err = io.ReadAll(io.LimitReader(body, maxMark)); err == nil {
			return strings.TrimSpace(string(text)), nil
		}
	}
	return "", fmt.Errorf("reading the mark of the pictures: %w", explain(ctx, err))
}

func (s *Store) SetMark(ctx context.Context, mark string) error {
	_, err := s.putMark(ctx, mark, minio.PutObjectOptions{})
	return err
}

// putMark stores the mark, or returns the status with which the store refuses it.
func (s *Store) putMark(ctx context.Context, mark string, options minio.PutObjectOptions) (status int, err error) {
	bounded, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	options.ContentType = "text/plain"
	if err = s.send(bounded, s.prefix+media.MarkName, []byte(mark+"\n"), options); err == nil {
		return 0, nil
	}
	reply, _ := errors.AsType[minio.ErrorResponse](err)
	return reply.StatusCode, fmt.Errorf("storing the mark of the pictures: %w", explain(ctx, err))
}
