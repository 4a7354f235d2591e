package importing

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"plaza/domain/crawl"
	"plaza/domain/fault"
	"plaza/domain/media"
)

const coverField = "cover.file"

// withCover keeps the picture in the record's file, unless that is kept already: the
// same bytes are kept once.
func (r *run) withCover(ctx context.Context, s Source, record crawl.Illustrated) (crawl.Record, error) {
	raw, err := readCover(s, record.CoverFile())
	if err != nil {
		return nil, err
	}
	digest := crawl.Digest(sha256.Sum256(raw))
	cover, kept, err := r.ports.Intake.Cover(ctx, digest)
	if err == nil && !kept {
		cover, err = r.keepCover(ctx, digest, raw)
	}
	if err != nil {
		return nil, err
	}
	return record.WithCover(cover.Key, cover.Width, cover.Height), nil
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
	if f, is := fault.Of(err); is && len(f.Fields) == 0 {
		return fault.Field(coverField, f.Text)
	}
	return err
}

func (r *run) keepCover(ctx context.Context, digest crawl.Digest, raw []byte) (crawl.Cover, error) {
	upload, err := r.ports.Inspector.Inspect(ctx, coverField, raw)
	if err != nil {
		return crawl.Cover{}, err
	}
	key, err := r.ports.Pictures.Put(ctx, upload, media.Everyone)
	if err != nil {
		return crawl.Cover{}, err
	}
	kept, err := r.ports.Intake.RememberCover(ctx, digest, crawl.Cover{Key: key, Width: upload.Width, Height: upload.Height})
	if err != nil || kept.Key != key { // nobody knows of this one, or another was faster
		return kept, errors.Join(err, r.ports.Pictures.Remove(context.WithoutCancel(ctx), key))
	}
	return kept, nil
}
