package memory

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"plaza/domain/event"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/userimage"
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

type Images view

func (v Images) Add(ctx context.Context, i userimage.Image, charges ...ratelimit.Charge) (userimage.Image, error) {
	return charged(ctx, v.s, charges, func() (userimage.Image, error) {
		if err := v.s.checkUser(i.Owner); err != nil {
			return userimage.Image{}, err
		}
		isFull := len(v.s.images) >= userimage.MaxImages && // which costs less than to count the owner's
			v.s.images.count(func(k userimage.Image) bool { return k.Owner == i.Owner && k.Deleted.IsZero() }) >= userimage.MaxImages
		if isFull {
			return userimage.Image{}, userimage.ErrFull
		}
		if err := v.s.requests.checkHeld(i.Completes); err != nil {
			return userimage.Image{}, err
		}
		if err := v.s.countPictures(v.limits, i.Owner, map[media.Key]int64{i.Key: i.Bytes}); err != nil {
			return userimage.Image{}, err
		}
		i.Bytes = 0
		i.ID = userimage.ID(v.s.numbers.image.next())
		v.s.requests.complete(i.Completes, idempotency.Image, int64(i.ID))
		i.Completes = nil
		v.s.images[i.ID] = i
		return i, nil
	})
}

func (v Images) Get(ctx context.Context, id userimage.ID) (userimage.Image, error) {
	return read(ctx, v.s, func() (userimage.Image, error) { return v.s.images.get(id, userimage.ErrNotFound) })
}

func (v Images) Change(ctx context.Context, id userimage.ID, fn func(*userimage.Image) error) (userimage.Image, error) {
	return write(ctx, v.s, func() (userimage.Image, error) {
		old, err := v.s.images.get(id, userimage.ErrNotFound)
		if err != nil {
			return userimage.Image{}, err
		}
		next := old
		if err := cmp.Or(fn(&next), ctx.Err()); err != nil {
			return userimage.Image{}, err
		}
		if err := v.s.checkUser(next.Owner); err != nil {
			return userimage.Image{}, err
		}
		next.ID = id
		if old.Deleted.IsZero() && !next.Deleted.IsZero() {
			v.s.queueDeletion(old.Key)
			v.s.unhide(moderation.Image, int64(id))
		}
		v.s.images[id] = next
		return next, nil
	})
}

func (v Images) List(ctx context.Context, q userimage.Query, p page.Request) (page.Page[userimage.Image], error) {
	return pageOf(ctx, v.s, p, v.s.images.where(q.Admits), userimage.Image.AtCursor)
}

func (v Images) All(ctx context.Context, q userimage.Query) iter.Seq2[userimage.Image, error] {
	return snapshot(ctx, v.s, func() []userimage.Image { return sorted(v.s.images.where(q.Admits), latest(userimage.Image.AtCursor)) })
}

type DeletionQueue view

// queueDeletion queues the keys for deletion, due immediately, and gives their bytes back.
func (s *Store) queueDeletion(keys ...media.Key) {
	for _, key := range keys {
		s.giveBack(key)
		if _, is := s.deletions[key]; !is {
			s.deletions[key] = time.Time{}
		}
	}
}

func (v DeletionQueue) Claim(ctx context.Context, now, next time.Time, limit int) ([]media.Key, error) {
	return write(ctx, v.s, func() ([]media.Key, error) { return claimDue(v.s.deletions, now, next, limit), nil })
}

func (v DeletionQueue) Done(ctx context.Context, keys []media.Key) error {
	return exec(ctx, v.s, func() error {
		for _, key := range keys {
			delete(v.s.deletions, key)
		}
		return nil
	})
}

func (v DeletionQueue) Reserve(ctx context.Context, r media.Reservation) error {
	return exec(ctx, v.s, func() error {
		_, isQueued := v.s.deletions[r.Key]
		if _, isKept := v.s.pictures[r.Key]; isQueued || isKept {
			return media.ErrMoving
		}
		v.s.deletions[r.Key] = r.Until
		return nil
	})
}

func (v DeletionQueue) References(ctx context.Context) iter.Seq2[media.Reference, error] {
	return snapshot(ctx, v.s, v.s.references)
}

func (s *Store) references() (all []media.Reference) {
	add := func(of string, id any, keys ...media.Key) {
		for _, key := range keys {
			all = append(all, media.Reference{Key: key, Of: fmt.Sprint(of, " ", id)})
		}
	}
	for _, e := range s.events {
		for _, p := range e.Plates {
			add("plate", p.ID, p.Photo)
		}
	}
	for id, i := range s.images {
		if i.Deleted.IsZero() {
			add("user image", id, i.Key)
		}
	}
	for id, m := range s.members {
		add("avatar of user", id, m.Avatar.Keys()...)
	}
	for id, p := range s.hiddenProfiles {
		add("hidden avatar of user", id, p.Avatar.Keys()...)
	}
	for _, r := range s.records() {
		add(string(r.at.kind), r.at.id, r.cover.Keys()...)
	}
	for id, c := range s.cases {
		add("copy for a report", id, slices.Collect(maps.Values(c.copies))...)
	}
	for digest, p := range s.imports.covers {
		add("import", fmt.Sprintf("%x", digest[:4]), p.Keys()...)
	}
	for key := range s.deletions {
		all = append(all, media.Reference{Key: key})
	}
	return all
}

type Room view

func (v Room) CheckPictures(ctx context.Context, owner user.ID, charges ...ratelimit.Charge) error {
	used, err := read(ctx, v.s, func() (int64, error) {
		_, err := v.s.pay(charges)
		return v.s.pictureBytes[owner], err
	})
	if err != nil {
		return err
	}
	return v.limits.CheckPictures(used + 1)
}

// countPictures counts new pictures of the owner, or returns ErrPictures. The caller gives some bytes back in the same step.
func (s *Store) countPictures(l quota.Limits, owner user.ID, bytes map[media.Key]int64, givenBack ...int64) error {
	var all int64
	for _, n := range bytes {
		all += n
	}
	if all == 0 {
		return nil
	}
	after := s.pictureBytes[owner] + all
	for _, n := range givenBack {
		after -= n
	}
	if err := l.CheckPictures(after); err != nil {
		return err
	}
	for key, n := range bytes {
		s.pictures[key] = countedPicture{owner, n}
	}
	s.pictureBytes[owner] += all
	return nil
}

// giveBack gives the bytes of a picture that will be deleted back to its owner.
func (s *Store) giveBack(key media.Key) {
	was := s.pictures[key]
	s.pictureBytes[was.owner] -= was.bytes
	delete(s.pictures, key)
}

// checkDrafts returns ErrDrafts if storing next in place of replaced makes one draft too many.
func (s *Store) checkDrafts(l quota.Limits, replaced, next *event.Event) error {
	if l.Drafts == 0 || !event.AddsDraft(replaced, next) {
		return nil
	}
	return l.CheckDrafts(s.events.count(func(e event.State) bool { return e.Author == next.Author() && e.Status == event.Draft }))
}
