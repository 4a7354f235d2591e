// Package pictures holds the use cases that serve stored pictures and their sizes.
//
// Its tests are those of test/usecases/people whose files begin with its name.
package pictures

import (
	"context"
	"errors"
	"slices"
	"time"

	"plaza/domain/media"
)

// Pictures implements the use cases.
type Pictures struct {
	store     media.Store
	addresses media.Addresses
	now       func() time.Time
}

// New returns the use cases over the ports, with the addresses of the server's pictures; now
// returns the time.
func New(store media.Store, addresses media.Addresses, now func() time.Time) *Pictures {
	return &Pictures{store: store, addresses: addresses, now: now}
}

// Served is a picture to be sent. The caller must close its file.
type Served struct {
	media.File
	Key media.Key // of the picture or its size, whose content never changes
	// Location is the address from which the client fetches the picture instead, if the store
	// has one of its own. There is no file then.
	Location string
}

// Public returns the picture for everyone with the name, in the size (IMG-08). Without a size
// it is the picture itself.
func (p *Pictures) Public(ctx context.Context, name, size string) (Served, error) {
	return p.serve(ctx, media.Everyone, name, size, p.now())
}

// Private returns the picture of a signed address, in the size, and how long the address
// remains valid. A forged or expired address is ErrNotFound (PLA-04).
func (p *Pictures) Private(ctx context.Context, name, size, expires, signature string) (Served, time.Duration, error) {
	now := p.now()
	until, err := p.addresses.Check(media.KeyAt(media.Viewers, name), expires, signature, now)
	if err != nil {
		return Served{}, 0, media.ErrNotFound
	}
	// The address of the store is signed as of then, so that it expires with this one.
	served, err := p.serve(ctx, media.Viewers, name, size, until.Add(-media.AddressLife))
	return served, until.Sub(now), err
}

// serve looks in the folder of the audience only. Sizes have no names of their own.
func (p *Pictures) serve(ctx context.Context, a media.Audience, name, size string, signed time.Time) (Served, error) {
	key := media.KeyAt(a, name)
	if key.IsSize() {
		return Served{}, media.ErrNotFound
	}
	if size == "" {
		if location := p.location(key, a, signed); location != "" {
			return Served{Key: key, Location: location}, nil
		}
		file, err := p.store.Open(ctx, key)
		return Served{File: file, Key: key}, err
	}
	if !slices.ContainsFunc(media.PictureSizes, func(s media.SizeSpec) bool { return s.Name == size }) {
		return Served{}, media.ErrNotFound
	}
	served, err := p.size(ctx, key, size)
	if err != nil {
		return Served{}, err
	}
	if served.Location = p.location(served.Key, a, signed); served.Location != "" {
		return Served{Key: served.Key, Location: served.Location}, served.Close()
	}
	return served, nil
}

// location returns the store's own address of the picture, or "" if this server sends it.
func (p *Pictures) location(key media.Key, a media.Audience, signed time.Time) string {
	if address := p.store.URL(key, a, signed); address != p.addresses.URL(key, a, signed) {
		return address
	}
	return ""
}

// size opens the size of the picture. If its file is empty, the size is the picture itself.
func (p *Pictures) size(ctx context.Context, of media.Key, name string) (Served, error) {
	for _, key := range of.SizeKeys(name) {
		file, err := p.store.Open(ctx, key)
		if errors.Is(err, media.ErrNotFound) {
			continue
		}
		if err != nil {
			return Served{}, err
		}
		if file.Bytes > 0 {
			return Served{File: file, Key: key}, nil
		}
		if err := file.Close(); err != nil {
			return Served{}, err
		}
		file, err = p.store.Open(ctx, of)
		return Served{File: file, Key: of}, err
	}
	return Served{}, media.ErrNotFound
}
