package importing

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"plaza/domain/fault"
	"plaza/domain/imported"
	"plaza/domain/media"
)

const coverField = "cover.file"

// withCover keeps the picture in the record's file, unless that is kept already: the
// same bytes are kept once, in the same sizes.
func (r *run) withCover(ctx context.Context, s Source, record imported.CoverRecord) (imported.Record, error) {
	raw, err := readCover(s, record.CoverFile())
	if err != nil {
		return nil, err
	}
	frames := record.CoverSizes()
	digest := imported.Digest(sha256.Sum256(fmt.Appendf(raw, "%v", frames)))
	cover, kept, err := r.ports.Store.Cover(ctx, digest)
	if err == nil && !kept {
		cover, err = r.keepCover(ctx, digest, raw, frames)
	}
	if err != nil {
		return nil, err
	}
	return record.WithCover(cover), nil
}

// readCover reads the file, and no more of it than a picture may have.
func readCover(s Source, name string) ([]byte, error) {
	file, err := s.OpenCover(name)
	if err != nil {
		return nil, onCover(err)
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, media.MaxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the cover %s: %w", name, err)
	case len(raw) > media.MaxBytes:
		return nil, fault.Field(coverField, media.TooLarge)
	}
	return raw, nil
}

// onCover makes a fault of the file one of the field that names it.
func onCover(err error) error {
	if f, is := fault.As(err); is && len(f.Fields) == 0 {
		return fault.Field(coverField, f.Text)
	}
	return err
}

func (r *run) keepCover(ctx context.Context, digest imported.Digest, raw []byte, frames []media.SizeSpec) (media.Picture, error) {
	developed, err := r.ports.Processor.Process(ctx, coverField, bytes.NewReader(raw), frames...)
	if err != nil {
		return media.Picture{}, err
	}
	picture, err := developed.Store(ctx, r.ports.Pictures, media.Everyone)
	if err != nil {
		return media.Picture{}, err
	}
	kept, err := r.ports.Store.RememberCover(ctx, digest, picture)
	if err != nil || kept.Key != picture.Key { // nobody knows of this one, or another was faster
		return kept, errors.Join(err, picture.Discard(context.WithoutCancel(ctx), r.ports.Pictures))
	}
	return kept, nil
}
