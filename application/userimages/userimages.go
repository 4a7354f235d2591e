// Package userimages holds the use cases of users' tagged images.
//
// Its tests are those of test/contract whose files begin with images.
package userimages

import (
	"cmp"
	"context"
	"iter"
	"time"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/userimage"
)

// UserImages implements the use cases.
type UserImages struct {
	images    userimage.Repository
	pictures  media.Store
	addresses media.Addresses
	deletions media.DeletionQueue
	processor media.Processor
	room      quota.Room
	keys      idempotency.Keys
	limits    ratelimit.Limits
	now       func() time.Time
}

// New returns the use cases over the ports, with the addresses of the server's pictures and the
// limits on writes; now returns the time.
func New(images userimage.Repository, pictures media.Store, addresses media.Addresses, deletions media.DeletionQueue,
	processor media.Processor, room quota.Room, keys idempotency.Keys, limits ratelimit.Limits, now func() time.Time) *UserImages {
	return &UserImages{
		images: images, pictures: pictures, addresses: addresses, deletions: deletions, processor: processor, room: room, keys: keys,
		limits: limits, now: now,
	}
}

// View is an image with its picture, whose addresses lead nowhere while staff have hidden the image.
type View struct {
	userimage.Image
	Picture media.Picture
}

func (u *UserImages) view(i userimage.Image) View {
	address := u.addresses.URL(i.Key.For(media.Everyone), media.Everyone, u.now())
	return View{Image: i, Picture: media.PictureAt(address, i.Width, i.Height)}
}

// Upload adds the picture to the actor's images (IMG-07). Bytes that are not an accepted
// picture are a fault on img. If the actor's quota of bytes is used up, nothing is decoded
// (GEN-14). If the image can't be stored, its files are removed. If the request is repeated with its
// key, Upload returns the image as it is now (GEN-13).
func (u *UserImages) Upload(
	ctx context.Context, actor access.Actor, raw media.Raw, names []string, k *idempotency.Key, readErr error,
) (View, error) {
	tags, err := userimage.ParseTags(names)
	if err := fault.Merge(readErr, err); err != nil {
		return View{}, err
	}
	return idempotency.Once(ctx, u.keys, k, u.now(), idempotency.Lease,
		func(a idempotency.Answer) (View, error) { return u.own(ctx, actor, userimage.ID(a.ID)) },
		func() (View, error) { return u.add(ctx, actor, raw, tags, k) })
}

// own returns an image of the actor that is not deleted.
func (u *UserImages) own(ctx context.Context, actor access.Actor, id userimage.ID) (View, error) {
	image, err := u.images.Get(ctx, id)
	if err == nil {
		err = image.CheckWrite(actor.ID)
	}
	if err != nil {
		return View{}, err
	}
	return u.view(image), nil
}

func (u *UserImages) add(ctx context.Context, actor access.Actor, raw media.Raw, tags userimage.Tags, k *idempotency.Key) (View, error) {
	charges := u.limits.Upload(int64(actor.ID), raw.Size(), u.now())
	if err := u.room.CheckPictures(ctx, actor.ID, charges...); err != nil {
		return View{}, err
	}
	processed, err := u.processor.Process(ctx, actor.QueueKey(), raw, media.PictureSizes...)
	if err != nil {
		return View{}, fault.OnField("img", err)
	}
	key, err := processed.StoreDerived(ctx, u.pictures, media.Everyone)
	if err != nil {
		return View{}, err
	}
	made := userimage.New(actor.ID, key, processed.Width, processed.Height, processed.Size(), tags, u.now())
	made.Completes = k
	image, err := u.images.Add(ctx, made, charges...)
	if err != nil {
		return View{}, media.Abandon(ctx, u.pictures, err, key)
	}
	return u.view(image), nil
}

// Retag replaces the tags of the actor's image (IMG-01). It returns Denied if another user
// owns it, and NotFound if it is deleted (IMG-02).
func (u *UserImages) Retag(ctx context.Context, actor access.Actor, id userimage.ID, names []string, readErr error) (View, error) {
	tags, err := userimage.ParseTags(names)
	invalid := fault.Merge(readErr, err)
	image, err := u.images.Change(ctx, id, func(i *userimage.Image) error {
		if err := cmp.Or(i.CheckWrite(actor.ID), invalid); err != nil {
			return err
		}
		return i.Retag(tags)
	})
	return u.view(image), err
}

// Delete deletes the actor's image, then removes its files (IMG-07).
func (u *UserImages) Delete(ctx context.Context, actor access.Actor, id userimage.ID) error {
	image, err := u.images.Change(ctx, id, func(i *userimage.Image) error {
		if err := i.CheckWrite(actor.ID); err != nil {
			return err
		}
		i.Delete(u.now())
		return nil
	})
	if err != nil {
		return err
	}
	_ = media.RemoveFiles(context.WithoutCancel(ctx), u.pictures, u.deletions, []media.Key{image.Key}) // the cleanup retries failures
	return nil
}

// List returns a page of the owner's images that match the query (IMG-04 to 06).
func (u *UserImages) List(ctx context.Context, q userimage.Query, r page.Request) (page.Page[View], error) {
	p, err := u.images.List(ctx, q, r)
	return page.Map(p, u.view), err
}

// All yields the owner's images that match the query (IMG-06). It ends with the first error.
func (u *UserImages) All(ctx context.Context, q userimage.Query) iter.Seq2[View, error] {
	return func(yield func(View, error) bool) {
		u.images.All(ctx, q)(func(image userimage.Image, err error) bool { return yield(u.view(image), err) })
	}
}
