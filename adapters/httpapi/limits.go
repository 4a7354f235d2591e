package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// limits are what clients may send and ask for at most (GEN-19). Texts are measured in characters, unless a name says bytes.
type limits struct {
	Event struct {
		Title     int `json:"title"`
		Content   int `json:"content"`
		HTMLBytes int `json:"html_bytes"`
		Plates    int `json:"plates"`
	} `json:"event"`
	Comment int `json:"comment"`
	Tags    struct {
		Count  int `json:"count"`
		Length int `json:"length"`
	} `json:"tags"`
	Image struct {
		Bytes      int      `json:"bytes"`
		Megapixels int      `json:"megapixels"`
		Formats    []string `json:"formats"`
	} `json:"image"`
	PageSize int `json:"page_size"`
	Search   int `json:"search"`
}

func (a *api) readLimits(*transport.Call) (transport.Reply, error) {
	var l limits
	l.Event.Title, l.Event.Content, l.Event.HTMLBytes = event.TitleLimit.Chars, event.ContentLimit.Chars, event.HTMLLimit.Bytes
	l.Event.Plates, l.Comment = event.MaxPlates, event.CommentLimit.Chars
	l.Tags.Count, l.Tags.Length = userimage.MaxTags, userimage.TagLimit.Chars
	l.Image.Bytes, l.Image.Megapixels, l.Image.Formats = media.MaxBytes, media.MaxPixels/1_000_000, media.Accepted
	l.PageSize, l.Search = page.MaxSize, user.NameLimit.Chars
	return transport.WithETag(transport.Data(l)), nil
}
