package media

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"
)

// extensions are the file extensions of the picture types. GIF and WebP occur only in
// pictures stored before uploads were re-encoded.
var extensions = map[string]string{
	"image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif", "image/webp": ".webp",
}

// keyForm matches keys: the folder of the audience, 26 random letters and digits, and the
// extension. These characters are safe in every file system and object store.
var keyForm = regexp.MustCompile(`^(?:public|private)/[a-z2-7]{26}(\.(?:jpg|png|gif|webp))$`)

// NewKey returns a new key for a picture of the type. It fails for an unsupported type.
func NewKey(a Audience, mediaType string) (Key, error) {
	extension, known := extensions[mediaType]
	if !known {
		return "", fmt.Errorf("unsupported picture type %q", mediaType)
	}
	return KeyAt(a, strings.ToLower(rand.Text())+extension), nil
}

// Type returns the media type of the key's picture. It reports false if k does not have
// the form of a key, so no store has a picture for it.
func (k Key) Type() (mediaType string, isKey bool) {
	parts := keyForm.FindStringSubmatch(string(k))
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
