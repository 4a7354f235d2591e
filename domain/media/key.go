package media

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"
)

// extensions are how keys tell the types of their pictures. GIF and WebP are those of
// pictures that were stored before all were made anew.
var extensions = map[string]string{
	"image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif", "image/webp": ".webp",
}

// form is what keys look like: the folder of their audience, 26 letters and digits at
// random, and the extension. No file system and no store takes offence at any of it.
var form = regexp.MustCompile(`^(?:public|private)/[a-z2-7]{26}(\.(?:jpg|png|gif|webp))$`)

// NewKey makes a key for a picture of the type. It is an error when that is no type of a
// picture.
func NewKey(a Audience, mediaType string) (Key, error) {
	extension, known := extensions[mediaType]
	if !known {
		return "", fmt.Errorf("%q is no type of a picture", mediaType)
	}
	return KeyAt(a, strings.ToLower(rand.Text())+extension), nil
}

// Type reads the media type off the key; false when it has not the form of one, so that
// no store has a picture for it.
func (k Key) Type() (mediaType string, isKey bool) {
	parts := form.FindStringSubmatch(string(k))
	if parts == nil {
		return "", false
	}
	for kind, extension := range extensions {
		if extension == parts[1] {
			return kind, true
		}
	}
	return "", false
}
