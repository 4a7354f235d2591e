package transport

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/singleflight"

	"plaza/domain/feed"
)

// keptJSON is a tagged JSON response that is kept as it was encoded, and as it was first
// compressed in each coding.
type keptJSON struct {
	raw     []byte
	sum     [sha256.Size]byte
	in      map[coding]func() []byte // the content in each coding
	version feed.Version             // that it shows
}

func newKeptJSON(content any, state feed.Version) (*keptJSON, error) {
	var buf bytes.Buffer
	if err := writeJSON(&buf, content); err != nil {
		return nil, fmt.Errorf("encoding a response: %w", err)
	}
	raw := bytes.Clone(buf.Bytes())
	compressed := func(c coding) func() []byte {
		return sync.OnceValue(func() []byte { return bytes.Clone(c.compress(new(bytes.Buffer), raw)) })
	}
	in := map[coding]func() []byte{identity: func() []byte { return raw }, gzipped: compressed(gzipped), zstandard: compressed(zstandard)}
	return &keptJSON{raw, sha256.Sum256(raw), in, state}, nil
}

// size returns how many bytes the content takes at most, with its compressed forms.
func (k *keptJSON) size() int { return 2 * len(k.raw) }

// Bounds of what is kept, in bytes.
const (
	maxKeptReplies = 32 << 20 // all of it
	maxKeptReply   = 1 << 20  // one response
)

// KeptReplies keeps responses by their names. What is kept is served only while the version
// of the feed that it shows is current, so it is never older than the database.
//
// The memory is in two halves. When the newer half is full it becomes the older one, whose
// responses are dropped. A response of the older half that is used returns to the newer one. An LRU of a library would count
// responses where this counts bytes, or run goroutines of its own.
type KeptReplies struct {
	encoding singleflight.Group // by name and version

	mu           sync.Mutex
	newer, older map[string]*keptJSON
	size         int // of newer
}

func NewKeptReplies() *KeptReplies { return &KeptReplies{newer: map[string]*keptJSON{}} }

// find returns the response of the name that shows the version, or nil.
func (k *KeptReplies) find(name string, v feed.Version) *keptJSON {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, isNew := k.newer[name]
	if !isNew {
		if found = k.older[name]; found != nil {
			delete(k.older, name)
			k.put(name, found)
		}
	}
	if found == nil || found.version != v {
		return nil
	}
	return found
}

// add keeps the response, in place of an earlier one of the name.
func (k *KeptReplies) add(name string, r *keptJSON) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.older, name)
	if old := k.newer[name]; old != nil {
		k.size -= old.size()
	}
	k.put(name, r)
}

func (k *KeptReplies) put(name string, r *keptJSON) {
	k.newer[name] = r
	k.size += r.size()
	if k.size > maxKeptReplies/2 {
		k.older, k.newer, k.size = k.newer, map[string]*keptJSON{}, 0
	}
}

// Once returns the kept response of the name that shows the version, or the tagged reply that fn
// returns. fn reports whether its reply depends on nothing but the name and the version: then it
// is kept. Calls for the same version share one call of fn.
func (k *KeptReplies) Once(
	ctx context.Context, name string, v feed.Version, fn func() (r Reply, isConstant bool, err error),
) (Reply, error) {
	if found := k.find(name, v); found != nil {
		return Bare(found), nil
	}
	for {
		made, err, isShared := k.encoding.Do(fmt.Sprint(name, " ", v), func() (any, error) {
			return k.encodeAndKeep(name, v, fn)
		})
		if isShared && ctx.Err() == nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
			continue // the context of another call has ended
		}
		if err != nil {
			return Reply{}, err
		}
		return made.(Reply), nil
	}
}

// encodeAndKeep calls fn, unless a reply has been kept meanwhile, and keeps its reply if that
// is constant.
func (k *KeptReplies) encodeAndKeep(name string, v feed.Version, fn func() (Reply, bool, error)) (Reply, error) {
	if found := k.find(name, v); found != nil {
		return Bare(found), nil
	}
	r, isConstant, err := fn()
	if err != nil || !isConstant {
		return WithETag(r), err
	}
	made, err := newKeptJSON(r.Content, v)
	if err != nil {
		return Reply{}, err
	}
	if made.size() <= maxKeptReply {
		k.add(name, made)
	}
	return Bare(made), nil
}
