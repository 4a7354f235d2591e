package media_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/media"
)

func TestADM04_a_cover_at_an_address(t *testing.T) {
	const address = "https://example.org/c.jpg"
	got, err := media.CoverAt(address, media.CoverSM, 1, 65_535)
	require.NoError(t, err)
	assert.Equal(t, media.Picture{Path: address, Sizes: []media.Size{{Name: "cover_sm", Width: 1, Height: 65_535, Path: address}}}, got)
	for name, c := range map[string]struct {
		address       string
		width, height int
		wrong         []string
	}{
		"the largest":        {address, 65_535, 65_535, nil},
		"no width":           {address, 0, 1, []string{"width"}},
		"a negative width":   {address, -1, 1, []string{"width"}},
		"too wide":           {address, 65_536, 1, []string{"width"}},
		"no height":          {address, 1, 0, []string{"height"}},
		"a negative height":  {address, 1, -1, []string{"height"}},
		"too high":           {address, 1, 65_536, []string{"height"}},
		"no address":         {"", 1, 1, []string{"url"}},
		"a path":             {"/c.jpg", 1, 1, []string{"url"}},
		"a file":             {"file:///c.jpg", 1, 1, []string{"url"}},
		"everything":         {"c.jpg", 0, 65_536, []string{"url", "width", "height"}},
		"nothing is said":    {"", 0, 0, []string{"url", "width", "height"}},
		"an address to load": {"javascript:alert(1)", 1, 1, []string{"url"}},
	} {
		_, err := media.CoverAt(c.address, media.CoverSM, c.width, c.height)
		wrong := fault.FieldsOf(err)
		assert.Equal(t, len(c.wrong) == 0, err == nil, name)
		assert.Len(t, wrong, len(c.wrong), name)
		for _, field := range c.wrong {
			assert.Len(t, wrong[field], 1, "%s: %s", name, field)
		}
	}
}

func TestPLA04_a_picture_under_a_key_gets_its_address_when_it_is_shown(t *testing.T) {
	asked := 0
	address := func(key media.Key) string {
		asked++
		return fmt.Sprintf("https://plaza.example/%s?%d", key, asked)
	}
	kept := media.CoverOf("public/a", media.DemandCoverMD, 30, 20)
	assert.Equal(t, media.Picture{Key: "public/a", Sizes: []media.Size{{Name: "demand_cover_md", Width: 30, Height: 20, Key: "public/a"}}},
		kept)

	first, second := kept.At(address), kept.At(address)
	assert.NotEqual(t, first.Path, second.Path, "no address is kept")
	for _, shown := range []media.Picture{first, second, second.At(address)} {
		assert.Contains(t, shown.Path, "https://plaza.example/public/a?")
		assert.Contains(t, shown.Sizes[0].Path, "https://plaza.example/public/a?")
		assert.Equal(t, 30, shown.Sizes[0].Width)
		assert.Equal(t, media.Key("public/a"), shown.Key)
	}
	assert.Empty(t, kept.Path)
	assert.Empty(t, kept.Sizes[0].Path, "the stored picture is not changed")
}

func TestPLA04_each_size_has_the_address_of_its_own_key(t *testing.T) {
	address := func(key media.Key) string { return "at " + string(key) }
	got := media.Picture{Key: "l", Sizes: []media.Size{
		{Name: "sm", Width: 1, Height: 2, Key: "s"}, {Name: "md", Width: 3, Height: 4, Path: "elsewhere"}, {Name: "lg", Key: "l"},
	}}.At(address)
	assert.Equal(t, media.Picture{Key: "l", Path: "at l", Sizes: []media.Size{
		{Name: "sm", Width: 1, Height: 2, Key: "s", Path: "at s"}, {Name: "md", Width: 3, Height: 4, Path: "elsewhere"},
		{Name: "lg", Key: "l", Path: "at l"},
	}}, got)
}

func TestPLA04_a_picture_elsewhere_stays_where_it_is(t *testing.T) {
	elsewhere, err := media.CoverAt("https://example.org/c.jpg", media.CoverSM, 30, 20)
	require.NoError(t, err)
	for _, p := range []media.Picture{elsewhere, {}} {
		var got media.Picture
		assert.Zero(t, testing.AllocsPerRun(1000, func() {
			got = p.At(func(media.Key) string { panic("it has no key") })
		}), "nothing is copied")
		assert.Equal(t, p, got)
	}
}
