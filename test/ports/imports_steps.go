package ports

import (
	"context"
	"fmt"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
)

var intakeSteps = []promise{
	{"Progress is what the file's latest delivery said", progress},
	{"a delivery is stored as a whole, or nothing of it", deliveryFails},
	{"RememberCover remembers the picture, unless there is one already", rememberCover},
	{"of many RememberCovers at once, all return the one that is remembered", rememberCoverAtOnce},
	{"whoever has gone away is not served, and nothing is stored", intakeGone},
}

// spotOfPi is nowhere, on the day of noon.
var spotOfPi = event.DayInCity{Date: pi}

func titleOf(t feed.Listable) string { return t.(demand.Demand).Title }

func progress(w *fixtures) {
	c, other := w.crawler("a"), w.crawler("O'Brien \\ \"%_\"\n"+broad(100))
	assert.Nil(w, c.progress())
	for _, said := range []string{"far", "\x00\xff\xfe", broad(1000), "further"} {
		c.take(imported.Batch{Progress: []byte(said)})
		assert.Equal(w, said, string(c.progress()))
	}
	assert.Nil(w, other.progress())
	other.take(imported.Batch{Progress: []byte("there"), Lines: other.lines(shelf(1, 0), shelf(3, 2))})
	assert.Equal(w, "there", string(other.progress()))
	assert.Equal(w, []int64{2}, other.waits())
	c.take(imported.Batch{})
	assert.Nil(w, c.progress())
}

func deliveryFails(w *fixtures) {
	c := w.crawler("a")
	c.take(imported.Batch{Lines: c.lines(shelf(1, 0), wish(9)), Progress: []byte("before")})
	for _, broken := range []imported.Record{
		shelf(-1, 0), shelf(0, 0), binding(0, 0, 0), text(-1, bundleOf(1)), text(0, bundleOf(1)), part(0), part(-1), wish(-1), wish(0),
	} {
		lines := c.lines(person(writer, 1), shelf(2, 1), binding(1, 0, 0), text(1), part(1), broken, wish(1), guide("garden"), clipping("1"), shelf(5, 4))
		_, err := w.Imports.Apply(w.Context(), imported.Batch{File: "a", Lines: lines, Abandoned: []int64{2}, Progress: []byte("after")})
		require.Error(w, err, "%v", broken)
		assert.Equal(w, fault.Internal, fault.KindOf(err))
		for _, line := range lines {
			assert.Empty(w, w.knows(line.Record.Ref()))
		}
	}
	assert.Equal(w, "before", string(c.progress()))
	assert.Equal(w, []int64{2}, c.waits())
	assert.Empty(w, w.listed())
	assert.Empty(w, w.headlines(10, spotOfPi))
	accounts, err := w.Accounts.List(w.Context(), 0, 10)
	require.NoError(w, err)
	assert.Empty(w, accounts)
	w.sound()
}

func rememberCover(w *fixtures) {
	d := imported.Digest{0, 1, 0xff, 31: 7}
	_, is, err := w.Imports.Cover(w.Context(), d)
	require.NoError(w, err)
	assert.False(w, is)
	want := media.Picture{Key: "public/0a1b2c", Sizes: []media.Size{{Name: "cover_sm", Width: 65_535, Height: 1, Key: "public/0a1b2d"}}}
	for _, c := range []media.Picture{want, {Key: "public/other"}} {
		got, err := w.Imports.RememberCover(w.Context(), d, c)
		require.NoError(w, err)
		assert.Equal(w, want, got)
		got, is, err = w.Imports.Cover(w.Context(), d)
		require.NoError(w, err)
		assert.True(w, is)
		assert.Equal(w, want, got)
	}
	_, is, err = w.Imports.Cover(w.Context(), imported.Digest{})
	require.NoError(w, err)
	assert.False(w, is)
}

func rememberCoverAtOnce(w *fixtures) {
	covers := atOnce(many, func(i int) media.Picture {
		c, err := w.Imports.RememberCover(w.Context(), imported.Digest{1}, media.Picture{Key: media.Key(fmt.Sprint("public/0a1b2c", i))})
		assert.NoError(w, err)
		return c
	})
	for _, c := range covers {
		assert.Equal(w, covers[0], c)
	}
	got, _, err := w.Imports.Cover(context.Background(), imported.Digest{1})
	require.NoError(w, err)
	assert.Equal(w, covers[0], got)
}

func intakeGone(w *fixtures) {
	c := w.crawler("standing")
	c.take(imported.Batch{Lines: c.lines(wish(1)), Progress: []byte("far")})
	w.refusedGone(intakeCalls)
	assert.Equal(w, "far", string(c.progress()))
	assert.Equal(w, []int64{1}, c.waits())
	assert.Nil(w, w.crawler("new").progress())
	assert.Empty(w, w.crawler("new").waits())
	assert.Empty(w, w.categoriesAt(newcomer))
	_, is, err := w.Imports.Cover(w.Context(), imported.Digest{1})
	require.NoError(w, err)
	assert.False(w, is)
}
