package contract

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/test/pictures"
)

var appLimitRows = []row{
	{"GEN-19 EVT-21 the limits are those that the server keeps to", limitsAreKept, oneStore},
	{"GEN-19 the limits of pictures are those that the server keeps to", imageLimitsAreKept, oneStore},
	{"GEN-19 the limits are revalidated and need no key", limitsRevalidated, oneStore},
}

const appLimits = "/api/limits/"

func limitsAreKept(t *testing.T, s *server) {
	ada := s.member(t)
	l := s.anyone().get(t, appLimits).is(200)
	text := func(limit string, more int) string { return strings.Repeat("a", l.int("data."+limit)+more) }
	wides := func(limit string, more int) string { return strings.Repeat(wide, l.int("data."+limit)+more) }
	id := ada.publishes(t, "Tea")
	fits := object{"title": wides("event.title", 0), "content": wides("event.content", 0), "html_content": text("event.html_bytes", 0)}
	ada.patch(t, eventPath(id), fits).is(200).shows(fits)
	tooLong := object{"title": wides("event.title", 1), "content": wides("event.content", 1), "html_content": text("event.html_bytes", 1)}
	ada.patch(t, eventPath(id), tooLong).invalid("title", "content", "html_content")
	ada.post(t, events, tooLong).invalid("title", "content", "html_content")
	ada.reads(t, id).shows(fits)
	ada.patch(t, eventPath(id), object{"title": "  " + text("event.title", 0) + "\n"}).is(200)
	ada.patch(t, eventPath(id), object{"html_content": strings.Repeat("&", 16<<10)}).invalid("html_content") // each is stored as five bytes
	for range l.int("data.event.plates") {
		ada.attaches(t, id)
	}
	ada.post(t, plates, object{"event": id, "photo": aPNG(t)}).invalid("photo")
	ada.post(t, comments, object{"event": id, "content": wides("comment", 0)}).is(201)
	ada.post(t, comments, object{"event": id, "content": wides("comment", 1)}).invalid("content")

	tags := make([]string, l.int("data.tags.count"))
	for i := range tags {
		tags[i] = fmt.Sprintf("%0*d", l.int("data.tags.length"), i)
	}
	photo := imagePath(ada.keeps(t, "a"))
	ada.patch(t, photo, object{"tags": tags}).is(200)
	ada.patch(t, photo, object{"tags": append(tags, "one more")}).invalid("tags")
	ada.patch(t, photo, object{"tags": []string{text("tags.length", 1)}}).invalid("tags")

	most := l.int("data.page_size")
	sameJSON(t, most, ada.get(t, fmt.Sprintf("%s?page_size=%d", events, most+1)).is(200).at("pagination.page_size"))
	ada.get(t, search+"?name="+text("search", 0)).is(200)
	ada.get(t, search+"?name="+text("search", 1)).invalid("name")
}

func imageLimitsAreKept(t *testing.T, s *server) {
	ada := s.member(t)
	l := s.anyone().get(t, appLimits).is(200)
	sent := func(raw []byte) answer { return ada.sends(t, images, form{field: "img", file: raw}) }
	dot := image.NewPaletted(image.Rect(0, 0, 9, 9), color.Palette{color.Black})
	large := pictures.PNG(t, dot)
	binary.BigEndian.PutUint32(large[16:], uint32(l.int("data.image.megapixels")*1000+1))
	binary.BigEndian.PutUint32(large[20:], 1000)
	assert.Contains(t, string(sent(large).invalid("img").body), "megapixels")
	full := pictures.JPEG(t, dot)
	full = append(full, make([]byte, l.int("data.image.bytes")-len(full))...)
	sent(full).is(201)
	ada.post(t, images, object{"img": full}).is(201)
	sent(append(full, 0)).invalid("img")
	of := map[string][]byte{
		"image/jpeg": full, "image/png": pictures.PNG(t, dot), "image/gif": pictures.GIF(t, dot), "image/webp": pictures.Made(t, "animated.webp"),
		"image/heic": pictures.Made(t, "grey.heic"), "image/avif": pictures.Made(t, "grey.avif"),
	}
	for _, format := range []string{"image/heic", "image/avif"} { // a decoder that is not yet compiled can take as long as a request may
		_, err := imaging.NewProcessor(1).Process(t.Context(), "", bytes.NewReader(of[format]))
		require.NoError(t, err)
	}
	formats := l.list("data.image.formats")
	assert.Len(t, formats, len(of))
	for _, format := range formats {
		sent(of[format.(string)]).is(201)
	}
}

func limitsRevalidated(t *testing.T, s *server) {
	first := s.anyone().get(t, appLimits).is(200)
	revalidated(t, first)
	tag := first.header.Get("ETag")
	require.NotEmpty(t, tag)
	revalidated(t, s.anyone().saying("If-None-Match", tag).get(t, appLimits).is(304))
	s.anyone().saying("If-None-Match", `"x"`).get(t, appLimits).is(200)
}
