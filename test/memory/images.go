package memory

import (
	"cmp"
	"context"
	"iter"

	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/userimage"
)

// Images is the store as userimage.Repository.
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
