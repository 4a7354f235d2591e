package imaging

import (
	"bytes"
	"context"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"golang.org/x/image/webp"

	"plaza/domain/fault"
	"plaza/domain/media"
)

// form is a form of pictures that is accepted.
type form struct {
	kind   string
	isForm func(raw string) bool
	header func(raw []byte) (image.Config, error)
}

// forms are all of media.Accepted. Each has its decoder here: those that other
// packages register with package image must not widen what is accepted.
var forms = []form{
	{"image/jpeg", startsWith("\xff\xd8\xff"), headerBy(jpeg.DecodeConfig)},
	{"image/png", startsWith("\x89PNG\r\n\x1a\n"), headerBy(png.DecodeConfig)},
	{"image/gif", startsWith("GIF87a", "GIF89a"), headerBy(gif.DecodeConfig)},
	{"image/webp", isWebP, headerBy(webp.DecodeConfig)},
}

// Inspector implements media.Inspector. The zero Inspector is ready.
type Inspector struct{}

// NewInspector returns the inspector.
func NewInspector() Inspector { return Inspector{} }

var _ media.Inspector = Inspector{}

// Inspect implements media.Inspector. Only the header is decoded, whose claim
// binds whoever decodes the rest.
func (Inspector) Inspect(ctx context.Context, field string, raw []byte) (media.Upload, error) {
	if err := ctx.Err(); err != nil {
		return media.Upload{}, err
	}
	if len(raw) > media.MaxBytes {
		return media.Upload{}, fault.Field(field, media.TooLarge)
	}
	head := string(raw[:min(len(raw), 12)])
	for _, f := range forms {
		if !f.isForm(head) {
			continue
		}
		c, err := f.header(raw)
		switch {
		case err != nil || c.Width <= 0 || c.Height <= 0:
			return media.Upload{}, fault.Field(field, media.NotAccepted)
		case int64(c.Width)*int64(c.Height) > media.MaxPixels:
			return media.Upload{}, fault.Field(field, media.TooManyDots)
		}
		return media.Upload{Type: f.kind, Width: c.Width, Height: c.Height, Bytes: raw}, nil
	}
	return media.Upload{}, fault.Field(field, media.NotAccepted)
}

func startsWith(prefixes ...string) func(string) bool {
	return func(raw string) bool {
		for _, prefix := range prefixes {
			if strings.HasPrefix(raw, prefix) {
				return true
			}
		}
		return false
	}
}

func isWebP(head string) bool {
	return len(head) == 12 && strings.HasPrefix(head, "RIFF") && strings.HasSuffix(head, "WEBP")
}

func headerBy(decode func(io.Reader) (image.Config, error)) func([]byte) (image.Config, error) {
	return func(raw []byte) (image.Config, error) { return decode(bytes.NewReader(raw)) }
}
