package media_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
)

func TestPLA04_keys_tell_the_audience_and_the_type_and_nothing_else(t *testing.T) {
	for kind, extension := range map[string]string{
		"image/jpeg": `\.jpg`, "image/png": `\.png`, "image/gif": `\.gif`, "image/webp": `\.webp`,
	} {
		for a, folder := range map[media.Audience]string{media.Everyone: "public", media.Viewers: "private"} {
			key, err := media.NewKey(a, kind)
			require.NoError(t, err)
			assert.Regexp(t, "^"+folder+"/[a-z2-7]{26}"+extension+"$", string(key))
			got, isKey := key.Type()
			assert.True(t, isKey)
			assert.Equal(t, kind, got)
			other, err := media.NewKey(a, kind)
			require.NoError(t, err)
			assert.NotEqual(t, key, other)
		}
	}
	for _, kind := range []string{"", "text/html", "image/svg+xml", "IMAGE/PNG", ".png"} {
		key, err := media.NewKey(media.Everyone, kind)
		assert.Error(t, err, kind)
		assert.Empty(t, key)
	}
}

func TestPLA04_what_has_not_the_form_of_a_key_has_no_type(t *testing.T) {
	name := strings.Repeat("a", 26)
	_, isKey := media.Key("public/" + name + ".png").Type()
	require.True(t, isKey)
	for _, key := range []string{
		"", name, name + ".png", "public/" + name, "/public/" + name + ".png", "public//" + name + ".png", "public/" + name + "a.png",
		"public/" + name[1:] + ".png", "public/" + name + ".svg", "public/" + name + ".png\n", "public/" + name + "xpng",
		"Public/" + name + ".png", "public/" + strings.ToUpper(name) + ".png", "others/" + name + ".png", "public/" + name[2:] + "/x.png",
		"public/" + name[2:] + "...png", "public/public/" + name + ".png", "public/" + name + ".png.png", "public/" + name[1:] + "1.png",
	} {
		kind, isKey := media.Key(key).Type()
		assert.False(t, isKey, "%q", key)
		assert.Empty(t, kind)
	}
}

func TestIMG08_the_key_of_a_size_leads_to_its_picture(t *testing.T) {
	name := "private/" + strings.Repeat("a", 26)
	for key, sizes := range map[media.Key][]media.Key{
		media.Key(name + ".jpg"):  {media.Key(name + ".jpg.sm.jpg"), media.Key(name + ".jpg.sm.png")},
		media.Key(name + ".webp"): {media.Key(name + ".webp.sm.png"), media.Key(name + ".webp.sm.jpg")},
	} {
		assert.Equal(t, sizes, key.SizeKeys("sm"))
		assert.False(t, key.IsSize())
		for i, size := range sizes {
			assert.True(t, size.IsSize())
			assert.Equal(t, key, size.Original())
			kind, _ := size.Type()
			assert.Equal(t, kind == "image/jpeg", strings.HasSuffix(string(size), ".jpg"), i)
		}
	}
	for _, strange := range []string{
		name + ".jpg.xl.jpg", name + ".jpg.sm", name + ".jpg.sm.gif", name + ".jpg.sm.jpg.sm.jpg", name + ".jpg..jpg", name + ".sm.jpg",
	} {
		_, isKey := media.Key(strange).Type()
		assert.False(t, isKey, strange)
		assert.False(t, media.Key(strange).IsSize(), strange)
	}
}
