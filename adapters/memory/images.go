package memory

import (
	"cmp"
	"context"
	"iter"

	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/userimage"
)

// Images is the store as userimage.Repository.
type Images struct {
	s      *Store
	limits quota.Limits
}

// Images returns the store's images. Copies of images are private: their tags are immutable.
func (s *Store) Images() Images { return Images{s: s} }

var _ userimage.Repository = Images{}

func (v Images) Add(ctx context.Context, i userimage.Image, charges ...ratelimit.Charge) (userimage.Image, error) {
	return charged(ctx, v.s, charges, func() (userimage.Image, error) {
		if err := v.s.checkUser(i.Owner); err != nil {
			return userimage.Image{}, err
		}
		if len(v.s.undeleted[i.Owner]) >= userimage.MaxImages {
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
		v.s.putImage(i)
		return i, nil
	})
}

func (v Images) Get(ctx context.Context, id userimage.ID) (userimage.Image, error) {
	return read(ctx, v.s, func() (userimage.Image, error) {
		return v.s.image(id)
	})
}

func (v Images) Change(ctx context.Context, id userimage.ID, fn func(*userimage.Image) error) (userimage.Image, error) {
	return write(ctx, v.s, func() (userimage.Image, error) {
		old, err := v.s.image(id)
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
		delete(v.s.undeleted[old.Owner], id)
		if old.Deleted.IsZero() && !next.Deleted.IsZero() {
			v.s.queueDeletion(old.Key)
		}
		v.s.putImage(next)
		return next, nil
	})
}

func (v Images) List(ctx context.Context, q userimage.Query, p page.Request) (page.Page[userimage.Image], error) {
	return read(ctx, v.s, func() (page.Page[userimage.Image], error) {
		return pageOf(p, v.s.imagesWhere(q))
	})
}

func (v Images) All(ctx context.Context, q userimage.Query) iter.Seq2[userimage.Image, error] {
	return snapshot(ctx, v.s, func() []userimage.Image { return v.s.imagesWhere(q) })
}

func (s *Store) imagesWhere(q userimage.Query) []userimage.Image {
	var admitted []userimage.Image
	for id := range s.undeleted[q.Owner] {
		if i := s.images[id]; q.Admits(i) {
			admitted = append(admitted, i)
		}
	}
	sortFunc(admitted, func(a, b userimage.Image) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
	})
	return admitted
}

func (s *Store) putImage(i userimage.Image) {
	s.images[i.ID] = i
	if !i.Deleted.IsZero() {
		return
	}
	if s.undeleted[i.Owner] == nil {
		s.undeleted[i.Owner] = map[userimage.ID]bool{}
	}
	s.undeleted[i.Owner][i.ID] = true
}

func (s *Store) image(id userimage.ID) (userimage.Image, error) {
	i, exists := s.images[id]
	if !exists {
		return userimage.Image{}, userimage.ErrNotFound
	}
	return i, nil
}
