package memory

import (
	"bytes"
	"context"
	"io"
	"iter"
	"sync"
	"time"

	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/secret"
)

// Media is a media.Store in a map.
type Media struct {
	media.Addresses
	lock     sync.RWMutex
	pictures map[media.Key]picture
	mark     string
}

type picture struct {
	kind     string
	content  []byte
	modified time.Time
}

// NewMedia returns an empty store of pictures. Their URLs begin with publicURL and are signed with the key.
func NewMedia(publicURL string, key []byte) *Media {
	return &Media{
		Addresses: media.NewAddresses(publicURL, secret.New(string(key))),
		pictures:  map[media.Key]picture{},
	}
}

func (m *Media) Put(ctx context.Context, key media.Key, content []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	kind, isKey := key.Type()
	if !isKey {
		return media.ErrNoKey
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	m.pictures[key] = picture{kind, bytes.Clone(content), instant.Normalise(time.Now())}
	return nil
}

func (m *Media) Open(ctx context.Context, key media.Key) (media.File, error) {
	if err := ctx.Err(); err != nil {
		return media.File{}, err
	}
	m.lock.RLock()
	defer m.lock.RUnlock()
	p, exists := m.pictures[key]
	if !exists {
		return media.File{}, media.ErrNotFound
	}
	content := opened{bytes.NewReader(p.content)}
	return media.File{ReadSeekCloser: content, Type: p.kind, Bytes: int64(len(p.content)), Modified: p.modified}, nil
}

func (m *Media) Remove(ctx context.Context, key media.Key) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	delete(m.pictures, key)
	return nil
}

// All implements media.Store. It yields the pictures that were stored when it began, so that
// the caller may remove pictures while iterating.
func (m *Media) All(ctx context.Context) iter.Seq2[media.Stored, error] {
	return func(yield func(media.Stored, error) bool) {
		for _, picture := range m.all() {
			if err := ctx.Err(); err != nil {
				yield(media.Stored{}, err)
				return
			}
			if !yield(picture, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(media.Stored{}, err)
		}
	}
}

func (m *Media) all() []media.Stored {
	m.lock.RLock()
	defer m.lock.RUnlock()
	all := make([]media.Stored, 0, len(m.pictures))
	for key, p := range m.pictures {
		if !key.IsTrash() {
			all = append(all, media.Stored{Key: key, Since: p.modified})
		}
	}
	return all
}

func (m *Media) Mark(ctx context.Context, first string) (string, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.mark == "" && ctx.Err() == nil {
		m.mark = first
	}
	return m.mark, ctx.Err()
}

func (m *Media) SetMark(ctx context.Context, mark string) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	if ctx.Err() == nil {
		m.mark = mark
	}
	return ctx.Err()
}

// opened is one reader of stored bytes, which never change.
type opened struct{ io.ReadSeeker }

func (opened) Close() error { return nil }
