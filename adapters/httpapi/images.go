package httpapi

import (
	"fmt"
	"iter"

	"plaza/application/userimages"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/text"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// imageView is an image of a user.
type imageView struct {
	ID         userimage.ID `json:"id"`
	User       user.ID      `json:"user"`
	Img        string       `json:"img"`
	Height     int          `json:"img_height"`
	Width      int          `json:"img_width"`
	CreateTime timestamp    `json:"create_time"`
	DeleteTime *timestamp   `json:"delete_time"`
	Tags       []string     `json:"tags"`
}

func renderImage(k userimages.View) imageView {
	return imageView{
		ID: k.ID, User: k.Owner, Img: k.URL, Height: k.Height, Width: k.Width,
		CreateTime: timestamp(k.Created), DeleteTime: orNever(k.Deleted), Tags: listed(k.Tags.Names()),
	}
}

// imageBody is a new image (IMG-07).
type imageBody struct {
	Img  upload   `json:"img" validate:"required"`
	Tags []string `json:"tags"`
}

func (b *imageBody) content() idempotency.Request {
	var sent sentFields
	for _, tag := range b.Tags {
		sent.text("tags", &tag)
	}
	return idempotency.Request{Operation: "image", Fields: sent, File: b.Img.reader()}
}

// tagsBody replaces all tags of an image (IMG-01).
type tagsBody struct {
	Tags []string `json:"tags" validate:"required"`
}

func (a *api) keepImage(c *call) (reply, error) {
	body, readErr := readUpload[imageBody](c)
	key, readErr := c.idempotencyKey(body.content, readErr)
	kept, err := a.UserImages.Upload(c.ctx(), c.actor, body.Img, body.Tags, key, readErr)
	return created(renderImage(kept)), err
}

func (a *api) retagImage(c *call) (reply, error) {
	id, err := pathID[userimage.ID](c)
	if err != nil {
		return reply{}, err
	}
	body, readErr := read[tagsBody](c)
	kept, err := a.UserImages.Retag(c.ctx(), c.actor, id, body.Tags, readErr)
	return bare(renderImage(kept)), err
}

func (a *api) deleteImage(c *call) (reply, error) {
	id, err := pathID[userimage.ID](c)
	if err != nil {
		return reply{}, err
	}
	return noContent(), a.UserImages.Delete(c.ctx(), c.actor, id)
}

// keywords reads a list of tags. An image has no more than MaxTags, so more
// are a problem.
func (q *query) keywords(name string) []string {
	words := q.list(name)
	if len(words) > userimage.MaxTags {
		q.wrong.Add(name, fmt.Sprintf("Filter by at most %d tags.", userimage.MaxTags))
	}
	for i, word := range words {
		words[i] = text.Composed(word) // as tags are stored
	}
	return words
}

// listImages returns a user's images: all of them, or a page if the request asks for one
// (IMG-04 to IMG-06).
func (a *api) listImages(c *call) (reply, error) {
	q := c.query()
	wanted := userimage.Query{
		Owner:    user.ID(q.positiveInt("uid", 0)),
		Contains: q.keywords("tags__contains"),
		Overlaps: q.keywords("tags__overlap"),
	}
	if wanted.Owner == 0 {
		q.wrong.Merge(fault.Fields{"uid": {text.Required}})
	}
	isPaged, request := q.text("page") != "" || q.text("page_size") != "", q.page()
	if err := q.err(); err != nil {
		return reply{}, err
	}
	if !isPaged {
		if err := c.enter(a.limits, imagesWeight); err != nil {
			return reply{}, err
		}
		return tag(bare(streamedList{items: imageViews(a.UserImages.All(c.ctx(), wanted)), limits: a.limits, onEncoded: c.leave})), nil
	}
	images, err := a.UserImages.List(c.ctx(), wanted, request)
	return tag(paged(page.Map(images, renderImage))), err
}

func imageViews(all iter.Seq2[userimages.View, error]) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for kept, err := range all {
			if !yield(renderImage(kept), err) {
				return
			}
		}
	}
}
