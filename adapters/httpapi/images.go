package httpapi

import (
	"fmt"

	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/application/userimages"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/text"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

type imageView struct {
	ID         userimage.ID         `json:"id"`
	User       user.ID              `json:"user"`
	Img        string               `json:"img"`
	Height     int                  `json:"img_height"`
	Width      int                  `json:"img_width"`
	Sizes      sizes                `json:"sizes"`
	CreateTime transport.Timestamp  `json:"create_time"`
	DeleteTime *transport.Timestamp `json:"delete_time"`
	Tags       []string             `json:"tags"`
}

func renderImage(k userimages.View) imageView {
	return imageView{
		ID: k.ID, User: k.Owner, Img: k.Picture.Path, Height: k.Height, Width: k.Width, Sizes: renderPicture(k.Picture).Sizes,
		CreateTime: transport.Timestamp(k.Created), DeleteTime: view.OrNever(k.Deleted), Tags: k.Tags.Names(),
	}
}

// imageBody is a new image (IMG-07).
type imageBody struct {
	Img  transport.Upload `json:"img" validate:"required"`
	Tags []string         `json:"tags"`
}

// tagsBody replaces all tags of an image (IMG-01).
type tagsBody struct {
	Tags []string `json:"tags" validate:"required"`
}

func (a *api) keepImage(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.ReadUpload[imageBody](c)
	key, readErr := c.BodyKey("image", &body, readErr)
	kept, err := a.UserImages.Upload(c.Context(), c.Actor, body.Img, body.Tags, key, readErr)
	return transport.Created(renderImage(kept)), err
}

func (a *api) retagImage(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[tagsBody](c)
	kept, err := a.UserImages.Retag(c.Context(), c.Actor, userimage.ID(c.ID), body.Tags, readErr)
	return transport.Bare(renderImage(kept)), err
}

func (a *api) deleteImage(c *transport.Call) (transport.Reply, error) {
	return withID(c, a.UserImages.Delete)
}

// keywordsIn reads a list of tags. An image has no more than MaxTags, so more
// are a problem.
func keywordsIn(q *transport.Query, name string) []string {
	words := q.List(name)
	if len(words) > userimage.MaxTags {
		q.Wrong.Add(name, fmt.Sprintf("Filter by at most %d tags.", userimage.MaxTags))
	}
	for i, word := range words {
		words[i] = text.Composed(word) // as tags are stored
	}
	return words
}

// listImages returns a user's images: all of them, or a page if the request asks for one
// (IMG-04 to IMG-06).
func (a *api) listImages(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	wanted := userimage.Query{
		Owner:    user.ID(q.PositiveInt("uid", 0)),
		Contains: keywordsIn(q, "tags__contains"),
		Overlaps: keywordsIn(q, "tags__overlap"),
	}
	if wanted.Owner == 0 {
		q.Wrong.Merge(fault.Fields{"uid": {text.Required}})
	}
	request := q.Page()
	isPaged := q.Text("page") != "" || q.Text("page_size") != "" || request.IsBehind()
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	if !isPaged {
		if err := c.Enter(a.limits, transport.ImagesWeight); err != nil {
			return transport.Reply{}, err
		}
		all := a.UserImages.All(c.Context(), wanted)
		views := func(yield func(any, error) bool) {
			all(func(kept userimages.View, err error) bool { return yield(renderImage(kept), err) })
		}
		return transport.WithETag(c.Stream(transport.StreamedList{Items: views})), nil
	}
	images, err := a.UserImages.List(c.Context(), wanted, request)
	return transport.WithETag(transport.Paged(c, page.Map(images, renderImage))), err
}
