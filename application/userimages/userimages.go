// Package curating holds the use cases of keeping tagged images.
package userimages

import (
	"context"
	"errors"
	"iter"
	"time"

	"plaza/domain/access"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/userimage"
)

// UserImages holds what the use cases work with.
type UserImages struct {
	images   userimage.Repository
	pictures media.Store
	bin      media.DeletionQueue
	studio   media.Processor
	now      func() time.Time
}

// New returns the use cases over the ports; now tells the time.
func New(images userimage.Repository, pictures media.Store, bin media.DeletionQueue, studio media.Processor, now func() time.Time) *UserImages {
	return &UserImages{images: images, pictures: pictures, bin: bin, studio: studio, now: now}
}

// View is an image with its address.
type View struct {
	userimage.Image
	URL string
}

func (c *UserImages) view(i userimage.Image) View {
	return View{Image: i, URL: c.pictures.URL(i.Key, media.Everyone, c.now())}
}

// Upload adds the picture to the actor's images (IMG-07). Bytes that are no
// accepted picture are a fault on img. When the image can't be kept, no file
// stays.
func (c *UserImages) Upload(ctx context.Context, actor access.Actor, raw media.Raw, tags userimage.Tags) (View, error) {
	developed, err := c.studio.Process(ctx, "img", raw)
	if err != nil {
		return View{}, err
	}
	key, err := c.pictures.Put(ctx, developed.Upload, media.Everyone)
	if err != nil {
		return View{}, err
	}
	image, err := c.images.Add(ctx, userimage.New(actor.ID, key, developed.Width, developed.Height, tags, c.now()))
	if err != nil {
		return View{}, errors.Join(err, c.pictures.Remove(context.WithoutCancel(ctx), key))
	}
	return c.view(image), nil
}

// MayEdit is nil when the actor may change the image. Another's is Denied, a
// deleted one is NotFound (IMG-02).
func (c *UserImages) MayEdit(ctx context.Context, actor access.Actor, id userimage.ID) error {
	image, err := c.images.Get(ctx, id)
	if err != nil {
		return err
	}
	return image.CheckWrite(actor.ID)
}

// Retag replaces the tags of the actor's image (IMG-01).
func (c *UserImages) Retag(ctx context.Context, actor access.Actor, id userimage.ID, tags userimage.Tags) (View, error) {
	image, err := c.images.Change(ctx, id, func(i *userimage.Image) error {
		if err := i.CheckWrite(actor.ID); err != nil {
			return err
		}
		return i.Retag(tags)
	})
	return c.view(image), err
}

// Delete unlists the actor's image; its file goes once that is stored (IMG-07).
func (c *UserImages) Delete(ctx context.Context, actor access.Actor, id userimage.ID) error {
	image, err := c.images.Change(ctx, id, func(i *userimage.Image) error {
		if err := i.CheckWrite(actor.ID); err != nil {
			return err
		}
		i.Delete(c.now())
		return nil
	})
	if err != nil {
		return err
	}
	_ = media.RemoveFiles(context.WithoutCancel(ctx), c.pictures, c.bin, []media.Key{image.Key}) // what fails is tried again
	return nil
}

// List returns a page of what the query admits of the owner's images (IMG-04 to 06).
func (c *UserImages) List(ctx context.Context, q userimage.Query, r page.Request) (page.Page[View], error) {
	p, err := c.images.List(ctx, q, r)
	return page.Map(p, c.view), err
}

// All yields all that the query admits of the owner's images, one at a time (IMG-06). It
// ends with the first error.
func (c *UserImages) All(ctx context.Context, q userimage.Query) iter.Seq2[View, error] {
	return func(yield func(View, error) bool) {
		for image, err := range c.images.All(ctx, q) {
			if err != nil {
				yield(View{}, err)
				return
			}
			if !yield(c.view(image), nil) {
				return
			}
		}
	}
}
