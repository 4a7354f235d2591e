package ports

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// HowTos is the suite of publication.HowTos.
func HowTos(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Put stores the how-to, as it is", putHowTo},
		{"Put replaces that of the same category and robot", replaceHowTo},
		{"a how-to of nobody is an error, and is not stored", putDanglingHowTo},
		{"Puts of one how-to at once all succeed, and one stands", putHowToAtOnce},
		{"List has the how-tos of the categories, of all when none is named", listHowTos},
		{"List is newest first, ties by category and robot", listHowTosNewest},
		{"the total counts what paging yields, and past it is NotFound", listHowTosPages},
		{"what goes in and comes out is private", howToPrivate},
		{"whoever has gone away is not served, and nothing is stored", howToGone},
	})
}

func howTo(category string, robot user.ID, at time.Time, bundles ...publication.BundleID) publication.HowTo {
	return publication.HowTo{Category: category, Robot: robot, Bundles: bundles, Created: at, Updated: at.Add(time.Second)}
}

func (w *fixtures) putHowTos(all ...publication.HowTo) {
	w.Helper()
	for _, h := range all {
		require.NoError(w, w.HowTos.Put(w.Context(), h))
	}
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

func putHowTo(w *fixtures) {
	robot := w.somebody()
	full := howTo("O'Brien \\ \"%_\" "+broad(64), robot, noon.Add(time.Microsecond), 3, 1<<40, 1, 3)
	bare := howTo("garden", robot, noon)
	w.putHowTos(full, bare)
	assert.Equal(w, []publication.HowTo{full, bare}, w.howTos(page.Request{}).Items)
}

func replaceHowTo(w *fixtures) {
	robot, other := w.somebody(), w.somebody()
	w.putHowTos(howTo("garden", robot, noon, 1, 2), howTo("garden", other, noon, 3), howTo("Garden", robot, noon.Add(-time.Hour), 4))
	w.putHowTos(howTo("garden", robot, noon.Add(time.Hour), 5))
	assert.Equal(w, []publication.HowTo{
		howTo("garden", robot, noon.Add(time.Hour), 5), howTo("garden", other, noon, 3), howTo("Garden", robot, noon.Add(-time.Hour), 4),
	}, w.howTos(page.Request{}).Items)
	w.putHowTos(howTo("garden", robot, noon.Add(time.Hour)))
	assert.Empty(w, w.howTos(page.Request{}).Items[0].Bundles)
}

func putDanglingHowTo(w *fixtures) {
	for _, nobody := range []user.ID{0, -1, w.somebody() + 1} {
		err := w.HowTos.Put(w.Context(), howTo("garden", nobody, noon))
		require.Error(w, err)
		assert.Equal(w, fault.Internal, fault.KindOf(err))
	}
	assert.Zero(w, w.howTos(page.Request{}).Total)
}

func putHowToAtOnce(w *fixtures) {
	robot := w.somebody()
	for _, err := range atOnce(many, func(i int) error {
		return w.HowTos.Put(w.Context(), howTo("garden", robot, noon.Add(time.Duration(i)*time.Second),
			publication.BundleID(i+1), publication.BundleID(i+1)))
	}) {
		require.NoError(w, err)
	}
	p := w.howTos(page.Request{})
	require.Len(w, p.Items, 1)
	b := p.Items[0].Bundles
	require.Len(w, b, 2, "no mixture of two")
	assert.Equal(w, howTo("garden", robot, noon.Add(time.Duration(b[0]-1)*time.Second), b[0], b[0]), p.Items[0])
}

func listHowTos(w *fixtures) {
	robot, other := w.somebody(), w.somebody()
	a, b, c := howTo("a", robot, noon, 1), howTo("b", robot, noon, 2), howTo("b", other, noon, 3)
	percent := howTo("%", robot, noon, 4)
	w.putHowTos(a, b, c, percent)
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
	first, second := w.somebody(), w.somebody()
	want := []publication.HowTo{
		howTo("d", first, noon.Add(2*time.Microsecond)), howTo("a", second, noon.Add(time.Microsecond)), howTo("B", second, noon),
		howTo("a", first, noon), howTo("a", second, noon.Add(-time.Microsecond)), howTo("c", first, noon.Add(-time.Microsecond)),
		howTo("c", second, noon.Add(-time.Microsecond)), howTo("é", first, noon.Add(-time.Microsecond)),
	}
	want[4].Category = "b"
	for _, at := range []int{7, 2, 0, 5, 4, 6, 1, 3} {
		w.putHowTos(want[at])
	}
	assert.Equal(w, want, w.howTos(page.Request{}).Items)
}

func listHowTosPages(w *fixtures) {
	robot := w.somebody()
	for _, category := range []string{"a", "b", "c", "d", "e"} {
		w.putHowTos(howTo(category, robot, noon), howTo(category+"'", robot, noon))
	}
	named := []string{"a", "b", "c", "d", "e"}
	var paged []publication.HowTo
	for n := range 3 {
		p := w.howTos(pageNo(n+1, 2), named...)
		assert.Equal(w, []int{5, 3, n + 1}, []int{p.Total, p.Pages(), p.Number()})
		paged = append(paged, p.Items...)
	}
	assert.Equal(w, w.howTos(page.Request{}, named...).Items, paged)
	for _, r := range []page.Request{pageNo(4, 2), pageNo(1<<40, 100)} {
		_, err := w.HowTos.List(w.Context(), named, r)
		assert.True(w, fault.Is(err, fault.NotFound), "%v", err)
	}
}

func howToPrivate(w *fixtures) {
	h := howTo("garden", w.somebody(), noon, 1, 2)
	w.putHowTos(h)
	h.Bundles[0] = 99
	for range 2 {
		got := w.howTos(page.Request{}).Items[0].Bundles
		assert.Equal(w, []publication.BundleID{1, 2}, got)
		got[0] = 99
	}
}

func howToGone(w *fixtures) {
	h := howTo("garden", w.somebody(), noon, 1)
	w.putHowTos(h)
	w.refusedGone(howToCalls)
	assert.Equal(w, []publication.HowTo{h}, w.howTos(page.Request{}).Items)
}

var howToCalls = []call{
	{"HowTos.Put", func(ctx context.Context, s Stores) error { return s.HowTos.Put(ctx, howTo("new", 1, noon)) }},
	{"HowTos.List", func(ctx context.Context, s Stores) error {
		_, err := s.HowTos.List(ctx, nil, page.Request{})
		return err
	}},
}
