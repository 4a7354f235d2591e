package media

import (
	"cmp"
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

// keyForm matches keys: the folder of the audience, perhaps in the trash, 26 random letters and digits, and the
// extension. The key of a size also has the name of the size and its own extension. These
// characters are safe in every file system and object store.
var keyForm = regexp.MustCompile(`^((?:trash/)?(?:public|private)/[a-z2-7]{26}(\.(?:jpg|png|gif|webp)))(?:\.(?:sm|md)(\.(?:jpg|png)))?$`)

// NewKey returns a new key for a picture of the type. It fails for an unsupported type.
func NewKey(a Audience, mediaType string) (Key, error) {
	extension, known := extensions[mediaType]
	if !known {
		return "", fmt.Errorf("unsupported picture type %q", mediaType)
	}
	return KeyAt(a, strings.ToLower(rand.Text())+extension), nil
}

// For returns the key that the picture has where pictures of the audience are.
func (k Key) For(a Audience) Key {
	if folder, name, _ := strings.Cut(string(k), "/"); folder != a.folder() {
		return KeyAt(a, name)
	}
	return k
}

// inTrash begins the keys of pictures in the trash, which have no address.
const inTrash = "trash/"

// Trash returns the key that the picture has in the trash.
func (k Key) Trash() Key { return inTrash + k }

// IsTrash reports whether k is the key of a picture in the trash.
func (k Key) IsTrash() bool { return strings.HasPrefix(string(k), inTrash) }

// Type returns the media type of the key's picture. It reports false if k does not have
// the form of a key, so no store has a picture for it.
func (k Key) Type() (mediaType string, isKey bool) {
	parts := keyForm.FindStringSubmatch(string(k))
	if parts == nil {
		return "", false
	}
	for kind, extension := range extensions {
		if extension == cmp.Or(parts[3], parts[2]) {
			return kind, true
		}
	}
	return "", false
}

// Size returns the key of the picture's size with that name and type (IMG-08).
func (k Key) Size(name, mediaType string) Key { return k + Key("."+name+extensions[mediaType]) }

// Original returns the key of the picture of which k is a size. Any other key is returned as
// it is.
func (k Key) Original() Key {
	if parts := keyForm.FindStringSubmatch(string(k)); parts != nil {
		return Key(parts[1])
	}
	return k
}

// IsSize reports whether k is the key of a size.
func (k Key) IsSize() bool { return k.Original() != k }

// SizeKeys returns the keys that the picture's size with that name may have, the likeliest
// first: a size is of the picture's own type, or the other one of a Processor.
func (k Key) SizeKeys(name string) []Key {
	jpeg, png := k.Size(name, "image/jpeg"), k.Size(name, "image/png")
	if kind, _ := k.Type(); kind == "image/jpeg" {
		return []Key{jpeg, png}
	}
	return []Key{png, jpeg}
}
