package userimage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func tags(t require.TestingT, names ...string) userimage.Tags {
	all, err := userimage.ParseTags(names)
	require.NoError(t, err)
	return all
}

// refused asserts that the error is a fault on tags.
func refused(t *testing.T, err error, of any) {
	t.Helper()
	f, isFault := fault.As(err)
	require.True(t, isFault, "%v", of)
	assert.Equal(t, fault.Invalid, f.Kind)
	assert.Len(t, f.Fields["tags"], 1)
}

func TestIMG03_tags(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"b", "a", "c"}, []string{"b", "a", "c"}},
		{[]string{" a ", "a", "\ta\n", "A"}, []string{"a", "A"}},
		{[]string{"cafe\u0301", "caf\u00e9"}, []string{"caf\u00e9"}},
		{[]string{"two words", "西湖 🌊"}, []string{"two words", "西湖 🌊"}},
		{[]string{strings.Repeat("🀄", 64)}, []string{strings.Repeat("🀄", 64)}},
		{[]string{"  " + strings.Repeat("a", 64) + "  "}, []string{strings.Repeat("a", 64)}},
		{nil, []string{}},
	} {
		got := tags(t, c.names...)
		assert.Equal(t, c.want, got.Names())
		assert.Equal(t, len(c.want), got.Len())
	}
	for _, bad := range []string{"", " ", "\u200b", "a,b", ",", strings.Repeat("a", 65), "a\x00b", "\xff"} {
		_, err := userimage.ParseTags([]string{"good", bad})
		refused(t, err, bad)
	}
}

func TestIMG03_at_most_50_tags_repeated_ones_counted_once(t *testing.T) {
	var names []string
	for i := range userimage.MaxTags {
		names = append(names, fmt.Sprint(i))
	}
	assert.Equal(t, 50, tags(t, append(names, names...)...).Len())
	_, err := userimage.ParseTags(append(names, "one more"))
	refused(t, err, "51")
}

func TestTags_can_not_be_reached_into(t *testing.T) {
	names := []string{"a", "b"}
	all := tags(t, names...)
	names[0] = "spoilt"
	all.Names()[1] = "spoilt"
	assert.Equal(t, []string{"a", "b"}, all.Names())
}

func TestIMG01_the_whole_list_is_replaced_and_not_by_nothing(t *testing.T) {
	i := userimage.New(1, "public/ab/c.jpg", 640, 480, 0, tags(t, "a", "b"), noon)
	require.NoError(t, i.Retag(tags(t, "c")))
	assert.Equal(t, []string{"c"}, i.Tags.Names())
	refused(t, i.Retag(userimage.Tags{}), "nothing")
	assert.Equal(t, []string{"c"}, i.Tags.Names())
}

func TestIMG02_who_may_change_an_image(t *testing.T) {
	i := userimage.New(1, "public/ab/c.jpg", 640, 480, 0, userimage.Tags{}, noon.Add(time.Nanosecond))
	assert.Equal(t, noon, i.Created)
	assert.NoError(t, i.CheckWrite(1))
	assert.Same(t, userimage.ErrNotOwner, i.CheckWrite(2))
	i.Delete(noon.Add(time.Hour + time.Nanosecond))
	assert.Equal(t, noon.Add(time.Hour), i.Deleted)
	for who := range user.ID(3) {
		assert.Same(t, userimage.ErrNotFound, i.CheckWrite(who))
	}
}

func keywords(s string) []string {
	return slices.DeleteFunc(strings.Split(s, ","), func(word string) bool { return word == "" })
}

func TestIMG05_what_a_query_admits(t *testing.T) {
	i := userimage.New(1, "public/ab/c.jpg", 640, 480, 0, tags(t, "a", "b"), noon)
	for _, c := range []struct {
		contains, overlaps string
		want               bool
	}{
		{"", "", true}, {"a", "", true}, {"b,a", "", true}, {"a,c", "", false}, {"c", "", false},
		{"", "a", true}, {"", "c,b", true}, {"", "c,d", false},
		{"a", "b,c", true}, {"a", "c", false}, {"c", "a", false}, {"A", "", false}, {"", "ab", false},
	} {
		q := userimage.Query{Owner: 1, Contains: keywords(c.contains), Overlaps: keywords(c.overlaps)}
		assert.Equal(t, c.want, q.Admits(i), "%+v", c)
		q.Owner = 2
		assert.False(t, q.Admits(i), "another's")
	}
	i.Delete(noon)
	assert.False(t, userimage.Query{Owner: 1}.Admits(i), "deleted")
}

func TestIMG05_a_keyword_that_can_be_no_tag_is_on_no_image(t *testing.T) {
	for _, c := range []struct {
		contains, overlaps []string
		left               []string
		possible           bool
	}{
		{nil, nil, nil, true}, {[]string{"a"}, []string{"b"}, []string{"b"}, true},
		{[]string{"a", "\x00"}, nil, nil, false}, {[]string{"\xff"}, []string{"a"}, []string{"a"}, false},
		{nil, []string{"a", "\xff", "b"}, []string{"a", "b"}, true}, {nil, []string{"\x00"}, nil, false},
		{[]string{strings.Repeat("a", 65)}, nil, nil, false},
	} {
		got, possible := userimage.Query{Contains: c.contains, Overlaps: c.overlaps}.Normalise()
		assert.Equal(t, c.possible, possible, "%+v", c)
		if possible {
			assert.ElementsMatch(t, c.left, got.Overlaps, "%+v", c)
		}
	}
}

func FuzzParseTags(f *testing.F) {
	for _, b := range []string{" b", "a", "\u3000a", "a,b", "", "\u200b", "\x00", "\xff", strings.Repeat("é", 64), strings.Repeat("é", 65),
		"\u202ea", "a\u0301", "á"} {
		f.Add("a", b)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		all, err := userimage.ParseTags([]string{a, b})
		if err != nil {
			return
		}
		// Parsing parsed tags again does not change them, also as a list of keywords.
		again, err := userimage.ParseTags(all.Names())
		require.NoError(t, err)
		require.Equal(t, all, again)
		require.Equal(t, all.Names(), keywords(strings.Join(all.Names(), ",")))
	})
}
