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

var importsSteps = []promise{
	{"Progress returns the progress of the file's latest batch", progress},
	{"a batch is stored as a whole or not at all", batchFails},
	{"RememberCover remembers the picture, unless there is one already", rememberCover},
	{"of many RememberCovers at once, all return the one that is remembered", rememberCoverAtOnce},
}

// dayOfPi is nowhere, on the day of noon.
var dayOfPi = event.DayInCity{Date: pi}

func titleOf(t feed.Listable) string { return t.(demand.Demand).Title }

func progress(w *fixtures) {
	c, other := w.importer("a"), w.importer("O'Brien \\ \"%_\"\n"+broad(100))
	assert.Nil(w, c.progress())
	for _, said := range []string{"far", "\x00\xff\xfe", broad(1000), "further"} {
		c.apply(imported.Batch{Progress: []byte(said)})
		assert.Equal(w, said, string(c.progress()))
	}
	assert.Nil(w, other.progress())
	other.apply(imported.Batch{Progress: []byte("there"), Lines: other.lines(categoryRecord(1, 0), categoryRecord(3, 2))})
	assert.Equal(w, "there", string(other.progress()))
	assert.Equal(w, []int64{2}, other.waiting())
	c.apply(imported.Batch{})
	assert.Nil(w, c.progress())
}

func batchFails(w *fixtures) {
	c := w.importer("a")
	c.apply(imported.Batch{Lines: c.lines(categoryRecord(1, 0), demandRecord(9)), Progress: []byte("before")})
	for _, broken := range []imported.Record{
		categoryRecord(-1, 0), categoryRecord(0, 0), bundleRecord(0, 0, 0), publicationRecord(-1, bundleOf(1)), publicationRecord(0, bundleOf(1)), nodeRecord(0), nodeRecord(-1), demandRecord(-1), demandRecord(0),
	} {
		lines := c.lines(userRecord(writer, 1), categoryRecord(2, 1), bundleRecord(1, 0, 0), publicationRecord(1), nodeRecord(1), broken, demandRecord(1), howToRecord("garden"), newsRecord("1"), categoryRecord(5, 4))
		_, err := w.Imports.Apply(w.Context(), imported.Batch{File: "a", Lines: lines, Abandoned: []int64{2}, Progress: []byte("after")})
		require.Error(w, err, "%v", broken)
		assert.Equal(w, fault.Internal, fault.KindOf(err))
		for _, line := range lines {
			assert.Empty(w, w.knows(line.Record.Ref()))
		}
	}
	assert.Equal(w, "before", string(c.progress()))
	assert.Equal(w, []int64{2}, c.waiting())
	assert.Empty(w, w.listed())
	assert.Empty(w, w.headlines(10, dayOfPi))
	accounts, err := w.Accounts.List(w.Context(), 0, 10)
	require.NoError(w, err)
	assert.Empty(w, accounts)
	w.checkAgrees()
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
