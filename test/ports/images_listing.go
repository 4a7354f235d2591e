package ports

import (
	"cmp"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// imagesOf are those of the images that the query admits, in order.
func imagesOf(all []userimage.Image, q userimage.Query) []userimage.Image {
	admitted := []userimage.Image{}
	for _, i := range all {
		if q.Admits(i) {
			admitted = append(admitted, i)
		}
	}
	slices.SortFunc(admitted, func(a, b userimage.Image) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
	})
	return admitted
}

func listImagesWhole(w *fixtures) {
	owner := w.newUser()
	assert.Empty(w, w.pictures(userimage.Query{Owner: owner}))
	for range page.MaxSize + 5 {
		w.picture(owner, noon)
	}
	assert.Len(w, w.pictures(userimage.Query{Owner: owner}), page.MaxSize+5)
}

func listImagesEnds(w *fixtures) {
	owner := w.newUser()
	for range 3 {
		w.picture(owner, noon)
	}
	seen := 0
	for _, err := range w.Images.All(w.Context(), userimage.Query{Owner: owner}) {
		require.NoError(w, err)
		if seen++; seen == 2 {
			break
		}
	}
	assert.Equal(w, 2, seen)
	assert.Len(w, w.pictures(userimage.Query{Owner: owner}), 3, "the store goes on")
}

func listImagesPages(w *fixtures) {
	owner := w.newUser()
	for range 5 {
		w.picture(owner, noon, "a")
		w.picture(owner, noon)
	}
	q := userimage.Query{Owner: owner, Contains: []string{"a"}}
	assert.Equal(w, w.pictures(q), w.pagedImages(q, 2))
	p, err := w.Images.List(w.Context(), q, page.Request{})
	require.NoError(w, err)
	assert.Equal(w, page.DefaultSize, p.Request.Size(), "the zero request is a page as well")
	for _, r := range []page.Request{pageNo(4, 2), pageNo(1<<40, 100)} {
		_, err := w.Images.List(w.Context(), q, r)
		assert.True(w, fault.Is(err, fault.NotFound), "%v", err)
	}
}

// pagedImages is the whole list, asked for page by page.
func (w *fixtures) pagedImages(q userimage.Query, size int) []userimage.Image {
	w.Helper()
	all := []userimage.Image{}
	for n := 1; ; n++ {
		p, err := w.Images.List(w.Context(), q, pageNo(n, size))
		require.NoError(w, err)
		all = append(all, p.Items...)
		if _, more := p.Request.Next(p.Total); !more {
			assert.Len(w, all, p.Total)
			return all
		}
		assert.Len(w, p.Items, size)
	}
}

func listImagesRandom(w *fixtures) {
	names := []string{"a", "b", "c", "d"}
	w.eachSeed(func(w *fixtures, c random) {
		some := func() []string {
			return slices.DeleteFunc(slices.Clone(names), func(string) bool { return c.IntN(2) == 0 })
		}
		people := []user.ID{w.newUser(), w.newUser()}
		var all []userimage.Image
		for range 40 {
			i := w.picture(pick(c, people...), noon.Add(time.Duration(c.IntN(4))*time.Microsecond), some()...)
			if c.IntN(5) == 0 {
				i = w.changeOf(i.ID, discard)
			}
			all = append(all, i)
		}
		for range 30 {
			q := userimage.Query{Owner: pick(c, people...), Contains: some(), Overlaps: some()}
			require.Equal(w, imagesOf(all, q), w.pagedImages(q, 1+c.IntN(7)), "%+v", q)
		}
	})
}
