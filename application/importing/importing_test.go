package importing_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/importing"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/publication"
	"plaza/test/pictures"
)

// titles returns the titles of the publications in the category of the feed.
func (w *fixture) titles(in feed.CategoryID) []string {
	w.Helper()
	titles := []string{}
	for _, item := range w.feedPage(in, feed.Publication) {
		titles = append(titles, item.Listable.(publication.Publication).Title)
	}
	slices.Sort(titles)
	return titles
}

// story returns lines of related records.
func story() []string {
	return []string{
		person("u1", 1), category(1, 0), category(2, 1), bundle(10, 0), bundle(11, 10),
		article(100, 10, "u1", 2, "An original"), article(101, 11, "u1", 2, "Its translation"),
		record("node", "id", 7, "author", "u1", "title", "A part", "language", "en", "created", day1),
		record("demand", "id", 8, "author", "u1", "title", "A wish", "created", day1, "closed", day2, "start", day2, "end", day2,
			"lat", 30.27, "lng", 120.15, "category", 1),
		record("howto", "category", "tea", "robot", "u1", "bundles", []int{10, 11}, "created", day1),
		record("news", "id", "n1", "site_name", "Paper", "url", "https://paper.example.org/1", "title", "News", "released", "2026-11-01", "html", "<p>x</p>"),
	}
}

func TestADM04_records_are_stored_in_whatever_order_they_come(t *testing.T) {
	w := newFixture(t)
	summary, rejected := w.bring("a", story()...)
	assert.Empty(t, rejected)
	assert.Equal(t, importing.Count{New: 11}, summary.All())
	assert.Equal(t, int64(11), summary.Lines)
	want := w.titles(2)
	assert.Len(t, want, 2)

	backwards := newFixture(t)
	lines := story()
	slices.Reverse(lines)
	summary, rejected = backwards.bring("a", lines...)
	assert.Empty(t, rejected)
	assert.Equal(t, importing.Count{New: 11}, summary.All())
	assert.Equal(t, want, backwards.titles(2))

	apart := newFixture(t)
	var sources []importing.Source
	r := &rejects{}
	for n, line := range lines {
		sources = append(sources, source(&file{name: fmt.Sprint("file ", n), lines: []string{line}}, r))
	}
	summary, err := apart.importer().Import(t.Context(), sources, &watcher{})
	require.NoError(t, err)
	assert.Empty(t, r.kept)
	assert.Equal(t, importing.Count{New: 11}, summary.All())
	assert.Equal(t, want, apart.titles(2))
}

func TestADM04_what_comes_again_changes_nothing_and_what_has_changed_is_followed(t *testing.T) {
	w := newFixture(t)
	w.bring("a", story()...)
	summary, rejected := w.bring("a", story()...)
	assert.Empty(t, rejected)
	assert.Equal(t, importing.Count{Same: 11}, summary.All())

	summary, _ = w.bring("b", article(100, 10, "u1", 1, "Moved"))
	assert.Equal(t, map[imported.Kind]importing.Count{imported.Publication: {Changed: 1}}, summary.Kinds)
	assert.Len(t, w.titles(1), 1)
	assert.Len(t, w.titles(2), 1)
}

func TestADM04_of_the_same_record_the_later_line_wins(t *testing.T) {
	for name, lines := range map[string][]string{
		"both ready": append(story(), article(5, 10, "u1", 1, "first"), article(5, 10, "u1", 2, "last")),
		"the first waits": append([]string{article(5, 10, "late", 1, "first")},
			append(story(), article(5, 10, "u1", 2, "last"), person("late", 2))...),
		"the last waits": append(story(), article(5, 10, "u1", 1, "first"), article(5, 10, "late", 2, "last"), person("late", 2)),
		"both wait":      append(story(), article(5, 10, "late", 1, "first"), article(5, 10, "late", 2, "last"), person("late", 2)),
	} {
		w := newFixture(t)
		summary, rejected := w.bring("a", lines...)
		assert.Empty(t, rejected, name)
		assert.Empty(t, w.titles(1), name)
		assert.Len(t, w.titles(2), 3, name)
		assert.Equal(t, int64(len(lines)), summary.Records(), name)
	}
}

func TestADM04_what_is_wrong_is_rejected_and_the_rest_is_kept(t *testing.T) {
	w := newFixture(t)
	lines := append(story(),
		"nonsense", // 12
		"too long", // 13
		article(102, 10, "nobody", 2, "Of nobody"), // 14
		article(103, 99, "u1", 77, "Of no bundle"), // 15
		category(5, 6), category(6, 5), // 16, 17
		record("category", "id", 9, "name", " "),          // 18
		article(104, 10, "u1", 2, "Good"),                 // 19
		record("publication", "id", 105, "colour", "red"), // 20
	)
	r, seen := &rejects{}, &watcher{}
	summary, err := w.importer().Import(t.Context(), []importing.Source{source(&file{name: "a", lines: lines}, r)}, seen)
	require.NoError(t, err)
	assert.Equal(t, int64(8), summary.Rejected)
	assert.Equal(t, int64(12), summary.All().New)
	assert.Len(t, w.titles(2), 3)
	assert.ElementsMatch(t, []int64{12, 13, 14, 15, 16, 17, 18, 20}, seen.rejected)
	all := fmt.Sprint(r.kept)
	for _, reason := range []string{
		"14: author: Not found: user nobody.", "15: bundle: Not found: bundle 99.; category: Not found: category 77.",
		"16: parent", "17: parent", "18: name", "colour",
	} {
		assert.Contains(t, all, reason)
	}
}

func TestADM04_an_import_that_is_told_to_end_goes_on_where_it_was(t *testing.T) {
	w := newFixture(t)
	var lines []string
	lines = append(lines, person("u1", 1), category(1, 0), bundle(10, 0), "nonsense")
	for n := range 20_000 {
		lines = append(lines, article(n+1, 10, "u1", 1, fmt.Sprint("Text ", n)))
	}
	r := &rejects{}
	ctx, stop := context.WithCancel(t.Context())
	first := &watcher{moved: func(so importing.Summary) {
		if so.Records() >= 2000 {
			stop()
		}
	}}
	summary, err := w.importer().Import(ctx, []importing.Source{source(&file{name: "a", lines: lines}, r)}, first)
	require.ErrorIs(t, err, importing.ErrInterrupted)
	assert.Less(t, summary.Records(), int64(20_000))
	stored := summary.Records()

	again := &watcher{}
	f := &file{name: "a", lines: lines}
	summary, err = w.importer().Import(t.Context(), []importing.Source{source(f, r)}, again)
	require.NoError(t, err)
	assert.Equal(t, []int64{stored}, again.resumed, "every record that was counted was stored")
	assert.Equal(t, int64(len(lines))-stored, summary.All().New)
	assert.Len(t, r.kept, 1)
	assert.Empty(t, again.rejected)

	summary, _ = w.bring("a", lines...)
	assert.Equal(t, int64(20_003), summary.All().Same, "a finished import starts again")
}

func TestADM04_another_file_of_the_same_name_is_read_from_its_beginning(t *testing.T) {
	w := newFixture(t)
	r := &rejects{}
	damaged := &file{name: "a", lines: []string{person("u1", 1), category(1, 0)}, damage: imported.ErrDamaged}
	_, err := w.importer().Import(t.Context(), []importing.Source{source(damaged, r)}, &watcher{})
	require.ErrorIs(t, err, imported.ErrDamaged)
	summary, _ := w.bring("a", category(1, 0), category(2, 1), category(3, 2))
	assert.Equal(t, importing.Count{New: 2, Same: 1}, summary.All())
}

func TestADM04_what_waits_for_the_rest_of_a_damaged_file_is_not_rejected(t *testing.T) {
	w := newFixture(t)
	lines := []string{category(2, 1), category(1, 0), article(1, 10, "u1", 2, "Early"), "nonsense"}
	r := &rejects{}
	damaged := &file{name: "a", lines: lines, damage: fmt.Errorf("cut off: %w", imported.ErrDamaged)}
	summary, err := w.importer().Import(t.Context(), []importing.Source{source(damaged, r)}, &watcher{})
	require.ErrorContains(t, err, "cut off")
	assert.Equal(t, int64(2), summary.All().New, "waiting records, too, if their needs were read")
	assert.Equal(t, int64(1), summary.Waiting)
	assert.Len(t, r.kept, 1)

	mended := &file{name: "a", lines: append(lines, person("u1", 1), bundle(10, 0))}
	summary, err = w.importer().Import(t.Context(), []importing.Source{source(mended, r)}, &watcher{})
	require.NoError(t, err)
	assert.Equal(t, 4, mended.skipped)
	assert.Equal(t, int64(3), summary.All().New)
	assert.Len(t, r.kept, 1)
	assert.Len(t, w.titles(2), 1)
}

func TestADM04_without_a_place_for_rejects_nothing_more_is_read(t *testing.T) {
	w := newFixture(t)
	full := errors.New("no space left")
	r := &rejects{fail: full}
	_, err := w.importer().Import(t.Context(), []importing.Source{source(&file{name: "a", lines: []string{category(1, 0), "nonsense"}}, r)}, &watcher{})
	require.ErrorIs(t, err, full)
	r.fail = nil
	summary, err := w.importer().Import(t.Context(), []importing.Source{source(&file{name: "a", lines: []string{category(1, 0), "nonsense"}}, r)}, &watcher{})
	require.NoError(t, err)
	assert.Equal(t, int64(1), summary.All().Stored())
	assert.Len(t, r.kept, 1)
}

func TestADM04_a_large_cover_has_its_own_size_in_each_feed(t *testing.T) {
	w := newFixture(t)
	cover := map[string]any{"file": "a.png"}
	f := &file{name: "a", covers: map[string][]byte{"a.png": pictures.Plain(t, 1000, 500)}, lines: []string{
		person("u1", 1),
		record("node", "id", 1, "author", "u1", "title", "A part", "language", "en", "created", day1, "cover", cover),
		record("demand", "id", 1, "author", "u1", "title", "A wish", "closed", day2, "start", day2, "end", day2, "created", day1, "cover", cover),
	}}
	r := &rejects{}
	_, err := w.importer().Import(t.Context(), []importing.Source{source(f, r)}, &watcher{})
	require.NoError(t, err)
	require.Empty(t, r.kept)
	for size, picture := range map[media.Size]media.Picture{
		{Name: media.CoverSM, Width: 480, Height: 240}:       w.feedPage(0, feed.Node)[0].Listable.(publication.Node).Cover,
		{Name: media.DemandCoverMD, Width: 720, Height: 360}: w.feedPage(0, feed.Demand)[0].Listable.(demand.Demand).Cover,
	} {
		require.Len(t, picture.Sizes, 1)
		key := picture.Sizes[0].Key
		assert.NotEqual(t, picture.Key, key, "a file of its own")
		size.Key = key
		assert.Equal(t, size, picture.Sizes[0])
		for _, key := range picture.Keys() {
			opened, err := w.media.Open(t.Context(), key)
			require.NoError(t, err)
			require.NoError(t, opened.Close())
		}
	}
}

func TestADM04_a_cover_is_kept_once(t *testing.T) {
	w := newFixture(t)
	with := func(id int, name string) string {
		return record("node", "id", id, "author", "u1", "title", "A part", "language", "en", "created", day1, "cover", map[string]any{"file": name})
	}
	f := &file{name: "a", covers: map[string][]byte{"a.png": pictures.Plain(t, 3, 2), "same.png": pictures.Plain(t, 3, 2), "text.png": []byte("no picture")},
		lines: []string{person("u1", 1), with(1, "a.png"), with(2, "same.png"), with(3, "none.png"), with(4, "text.png")}}
	r := &rejects{}
	summary, err := w.importer().Import(t.Context(), []importing.Source{source(f, r)}, &watcher{})
	require.NoError(t, err)
	assert.Equal(t, int64(3), summary.All().New)
	require.Len(t, r.kept, 2)
	assert.Contains(t, r.kept[0], "cover.file: File not found.")
	assert.Contains(t, r.kept[1], "cover.file: "+media.ErrNotAccepted.Text)

	items := w.feedPage(0, feed.Node)
	require.Len(t, items, 2)
	cover := items[0].Listable.(publication.Node).Cover
	assert.Equal(t, cover, items[1].Listable.(publication.Node).Cover)
	assert.Equal(t, []media.Size{{Name: media.CoverSM, Width: 3, Height: 2, Key: cover.Key}}, cover.Sizes)
	_, err = w.media.Open(t.Context(), cover.Key)
	assert.NoError(t, err)
}

func TestADM04_a_rehearsal_stores_nothing(t *testing.T) {
	w := newFixture(t)
	w.bring("before", person("u1", 1), category(1, 0))
	lines := append(story()[3:], category(2, 1), article(102, 99, "u1", 2, "Of no bundle"), category(5, 6), category(6, 5), "nonsense")
	r := &rejects{}
	seen := &watcher{}
	summary, err := w.importer().DryRun(t.Context(), []importing.Source{source(&file{name: "a", lines: lines}, r)}, seen)
	require.NoError(t, err)
	assert.Equal(t, int64(4), summary.Rejected)
	assert.Len(t, seen.rejected, 4)
	assert.Equal(t, int64(9), summary.All().New)
	assert.Empty(t, r.kept)
	categories, _, err := w.store.Feed().Metas(t.Context(), feed.Selection{})
	require.NoError(t, err)
	assert.Len(t, categories, 1)

	real, err := w.importer().Import(t.Context(), []importing.Source{source(&file{name: "a", lines: lines}, r)}, &watcher{})
	require.NoError(t, err)
	assert.Equal(t, summary.Rejected, real.Rejected)
	assert.Equal(t, summary.All().Stored(), real.All().Stored())
}
