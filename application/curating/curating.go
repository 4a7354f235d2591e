// Package curating holds the use cases of keeping tagged images.
package curating

import (
	"context"
	"errors"
	"iter"
	"time"

	"plaza/domain/access"
	"plaza/domain/gallery"
	"plaza/domain/media"
	"plaza/domain/page"
)

// Curating holds what the use cases work with.
type Curating struct {
	images   gallery.Repository
	pictures media.Store
	bin      media.Bin
	studio   media.Studio
	now      func() time.Time
}

// New returns the use cases over the ports; now tells the time.
func New(images gallery.Repository, pictures media.Store, bin media.Bin, studio media.Studio, now func() time.Time) *Curating {
	return &Curating{images: images, pictures: pictures, bin: bin, studio: studio, now: now}
}

// Kept is an image with its address.
type Kept struct {
	gallery.Image
	URL string
}

func (c *Curating) kept(i gallery.Image) Kept {
	return Kept{Image: i, URL: c.pictures.URL(i.Key, media.Everyone, c.now())}
}

// Keep adds the picture to the actor's images (IMG-07). Bytes that are no
// accepted picture are a fault on img. When the image can't be kept, no file
// stays.
func (c *Curating) Keep(ctx context.Context, actor access.Actor, raw media.Raw, tags gallery.Tags) (Kept, error) {
	developed, err := c.studio.Develop(ctx, "img", raw)
	if err != nil {
		return Kept{}, err
	}
	key, err := c.pictures.Put(ctx, developed.Upload, media.Everyone)
	if err != nil {
		return Kept{}, err
	}
	image, err := c.images.Add(ctx, gallery.New(actor.ID, key, developed.Width, developed.Height, tags, c.now()))
	if err != nil {
		return Kept{}, errors.Join(err, c.pictures.Remove(context.WithoutCancel(ctx), key))
	}
	return c.kept(image), nil
}

// MayEdit is nil when the actor may change the image. Another's is Denied, a
// deleted one is NotFound (IMG-02).
func (c *Curating) MayEdit(ctx context.Context, actor access.Actor, id gallery.ID) error {
	image, err := c.images.Get(ctx, id)
	if err != nil {
		return err
	}
	return image.CheckWrite(actor.ID)
}

// Retag replaces the tags of the actor's image (IMG-01).
func (c *Curating) Retag(ctx context.Context, actor access.Actor, id gallery.ID, tags gallery.Tags) (Kept, error) {
	image, err := c.images.Change(ctx, id, func(i *gallery.Image) error {
		if err := i.CheckWrite(actor.ID); err != nil {
			return err
		}
		return i.Retag(tags)
	})
	return c.kept(image), err
}

// Delete unlists the actor's image; its file goes once that is stored (IMG-07).
func (c *Curating) Delete(ctx context.Context, actor access.Actor, id gallery.ID) error {
	image, err := c.images.Change(ctx, id, func(i *gallery.Image) error {
		if err := i.CheckWrite(actor.ID); err != nil {
			return err
		}
		i.Delete(c.now())
		return nil
	})
	if err != nil {
		return err
	}
	_ = media.Empty(context.WithoutCancel(ctx), c.pictures, c.bin, []media.Key{image.Key}) // what fails is tried again
	return nil
}

// List returns a page of what the query admits of the owner's images (IMG-04 to 06).
func (c *Curating) List(ctx context.Context, q gallery.Query, r page.Request) (page.Page[Kept], error) {
	p, err := c.images.List(ctx, q, r)
	return page.Map(p, c.kept), err
}

// All yields all that the query admits of the owner's images, one at a time (IMG-06). It
// ends with the first error.
func (c *Curating) All(ctx context.Context, q gallery.Query) iter.Seq2[Kept, error] {
	return func(yield func(Kept, error) bool) {
		for image, err := range c.images.All(ctx, q) {
			if err != nil {
				yield(Kept{}, err)
				return
			}
			if !yield(c.kept(image), nil) {
				return
			}
		}
	}
}
