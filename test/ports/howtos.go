package ports

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/page"
	"plaza/domain/publication"
)

// HowTos is the suite of publication.HowTos.
func HowTos(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"List has the how-tos of the categories, of all when none is named", listHowTos},
		{"List is newest first, ties by category and robot", listHowTosNewest},
	})
}

// howTos are in the form in which they are compared: no bundles are nil.
func (w *fixtures) howTos(r page.Request, categories ...string) page.Page[publication.HowTo] {
	w.Helper()
	p, err := w.HowTos.List(w.Context(), categories, r)
	require.NoError(w, err)
	return page.Map(p, func(h publication.HowTo) publication.HowTo {
		if len(h.Bundles) == 0 {
			h.Bundles = nil
		}
		return h
	})
}

func listHowTos(w *fixtures) {
	robot, other := w.newUser(), w.newUser()
	a, b, c := howTo("a", robot, noon, 1), howTo("b", robot, noon, 2), howTo("b", other, noon, 3)
	percent := howTo("%", robot, noon, 4)
	w.imports(a, b, c, percent)
	for _, q := range []struct {
		categories []string
		want       []publication.HowTo
	}{
		{nil, []publication.HowTo{percent, a, b, c}}, {[]string{"a"}, []publication.HowTo{a}}, {[]string{"b"}, []publication.HowTo{b, c}},
		{[]string{"b", "a", "b", "x"}, []publication.HowTo{a, b, c}}, {[]string{"%"}, []publication.HowTo{percent}},
		{[]string{"A"}, []publication.HowTo{}}, {[]string{"a "}, []publication.HowTo{}}, {[]string{""}, []publication.HowTo{}},
		{[]string{"'", "a,b"}, []publication.HowTo{}},
	} {
		p := w.howTos(page.Request{}, q.categories...)
		assert.Equal(w, q.want, p.Items, "%q", q.categories)
		assert.Equal(w, len(q.want), p.Total)
	}
}

func listHowTosNewest(w *fixtures) {
	first, second := w.newUser(), w.newUser()
	want := []publication.HowTo{
		howTo("d", first, noon.Add(2*time.Microsecond)), howTo("a", second, noon.Add(time.Microsecond)), howTo("B", second, noon),
		howTo("a", first, noon), howTo("a", second, noon.Add(-time.Microsecond)), howTo("c", first, noon.Add(-time.Microsecond)),
		howTo("c", second, noon.Add(-time.Microsecond)), howTo("é", first, noon.Add(-time.Microsecond)),
	}
	want[4].Category = "b"
	for _, at := range []int{7, 2, 0, 5, 4, 6, 1, 3} {
		w.imports(want[at])
	}
	assert.Equal(w, want, w.howTos(page.Request{}).Items)
}
