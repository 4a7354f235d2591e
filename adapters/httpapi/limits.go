package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/text"
	"plaza/domain/userimage"
)

// limits are what clients may send and ask for at most (GEN-19). Texts are measured in characters, unless a name says bytes.
var limits = map[string]any{
	"event": map[string]int{
		"title": event.TitleLimit.Chars, "content": event.ContentLimit.Chars, "html_bytes": event.HTMLLimit.Bytes, "plates": event.MaxPlates,
	},
	"comment":   event.CommentLimit.Chars,
	"tags":      map[string]int{"count": userimage.MaxTags, "length": userimage.TagLimit.Chars},
	"image":     map[string]any{"bytes": media.MaxBytes, "megapixels": media.MaxPixels / 1_000_000, "formats": media.Accepted},
	"page_size": page.MaxSize,
	"search":    text.SearchLimit.Chars,
}

func (a *api) readLimits(*transport.Call) (transport.Reply, error) {
	return transport.WithETag(transport.Data(limits)), nil
}
