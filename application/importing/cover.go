package importing

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"

	"plaza/domain/fault"
	"plaza/domain/imported"
	"plaza/domain/media"
)

const coverField = "cover.file"

// withCover stores the picture in the record's cover file and returns the record with it. A
// picture with the same bytes and sizes is stored only once.
func (r *run) withCover(ctx context.Context, s Source, record imported.CoverRecord) (imported.Record, error) {
	raw, err := readCover(s, record.CoverFile())
	if err != nil {
		return nil, err
	}
	sizes := record.CoverSizes()
	digest := imported.Digest(sha256.Sum256(fmt.Appendf(raw, "%v", sizes)))
	cover, stored, err := r.ports.Store.Cover(ctx, digest)
	if err == nil && !stored {
		cover, err = r.storeCover(ctx, digest, raw, sizes)
	}
	if err != nil {
		return nil, err
	}
	return record.WithCover(cover), nil
}

// readCover reads the file. A file larger than media.MaxBytes is a fault.
func readCover(s Source, name string) ([]byte, error) {
	file, err := s.OpenCover(name)
	if err != nil {
		if f, is := fault.As(err); is {
			return nil, fault.Field(coverField, f.Text)
		}
		return nil, err
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, media.MaxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read cover %s: %w", name, err)
	case len(raw) > media.MaxBytes:
		return nil, fault.OnField(coverField, media.ErrTooLarge)
	}
	return raw, nil
}

func (r *run) storeCover(ctx context.Context, digest imported.Digest, raw []byte, sizes []media.SizeSpec) (media.Picture, error) {
	processed, err := r.ports.Processor.Process(ctx, "import", bytes.NewReader(raw), sizes...)
	if err != nil {
		return media.Picture{}, fault.OnField(coverField, err)
	}
	picture, err := processed.Store(ctx, r.ports.Pictures, media.Everyone)
	if err != nil {
		return media.Picture{}, err
	}
	stored, err := r.ports.Store.RememberCover(ctx, digest, picture)
	if err != nil {
		return stored, media.Abandon(ctx, r.ports.Pictures, err, picture.Keys()...)
	}
	if stored.Key != picture.Key { // another import stored the same picture first
		return stored, picture.Discard(context.WithoutCancel(ctx), r.ports.Pictures)
	}
	return stored, nil
}
