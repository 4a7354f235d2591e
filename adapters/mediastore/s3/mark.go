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

// Mark implements media.Store.
func (s *Store) Mark(ctx context.Context) (string, error) {
	bounded, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	body, _, _, err := s.client.GetObject(bounded, s.bucket, s.prefix+media.MarkName, minio.GetObjectOptions{})
	if isMissing(err) {
		return "", nil
	}
	var text []byte
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(body, maxMark))
		err = errors.Join(err, body.Close())
	}
	if err != nil {
		return "", fmt.Errorf("reading the mark of the pictures: %w", explain(ctx, err))
	}
	return strings.TrimSpace(string(text)), nil
}

// SetMark implements media.Store. A store that knows no conditional writes can't exclude two first marks at once.
func (s *Store) SetMark(ctx context.Context, mark string, isFirst bool) error {
	bounded, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	options := minio.PutObjectOptions{ContentType: "text/plain"}
	if isFirst {
		options.SetMatchETagExcept("*")
	}
	err := s.send(bounded, s.prefix+media.MarkName, []byte(mark+"\n"), options)
	reply, _ := errors.AsType[minio.ErrorResponse](err)
	switch {
	case err == nil:
		return nil
	case isFirst && reply.StatusCode == http.StatusNotImplemented:
		return s.SetMark(ctx, mark, false)
	case isFirst && (reply.StatusCode == http.StatusPreconditionFailed || reply.StatusCode == http.StatusConflict):
		return media.ErrMarked
	}
	return fmt.Errorf("storing the mark of the pictures: %w", explain(ctx, err))
}
