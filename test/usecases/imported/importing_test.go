package imported_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/importing"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/publication"
	"plaza/test/pictures"
	"plaza/test/usecases"
)

// titles returns the titles of the publications in the category of the feed.
func (w *importFixture) titles(in feed.CategoryID) []string {
	w.Helper()
	titles := []string{}
	for _, item := range w.feedPage(in, feed.Publication) {
		titles = append(titles, item.Listable.(publication.Publication).Title)
	}
	slices.Sort(titles)
	return titles
}

// relatedLines returns lines of related records.
func relatedLines() []string {
	return []string{
		personLine("u1", 1), categoryLine(1, 0), categoryLine(2, 1), bundleLine(10, 0), bundleLine(11, 10),
		publicationLine(100, 10, "u1", 2, "An original"), publicationLine(101, 11, "u1", 2, "Its translation"),
		recordLine("node", "id", 7, "author", "u1", "title", "A part", "language", "en", "created", createdDay),
		recordLine("demand", "id", 8, "author", "u1", "title", "A wish", "created", createdDay, "closed", updatedDay, "start", updatedDay, "end",
			updatedDay,
			"lat", 30.27, "lng", 120.15, "category", 1),
		recordLine("howto", "category", "tea", "robot", "u1", "bundles", []int{10, 11}, "created", createdDay),
		recordLine("news", "id", "n1", "site_name", "Paper", "url", "https://paper.example.org/1", "title", "News", "released", "2026-11-01",
			"html", "<p>x</p>"),
	}
}

func TestADM04_records_are_stored_in_whatever_order_they_come(t *testing.T) {
	w := newImportFixture(t)
	summary, rejected := w.bring("a", relatedLines()...)
	assert.Empty(t, rejected)
	assert.Equal(t, importing.Count{New: 11}, summary.All())
	assert.Equal(t, int64(11), summary.Lines)
	want := w.titles(2)
	assert.Len(t, want, 2)

	backwards := newImportFixture(t)
	lines := relatedLines()
	slices.Reverse(lines)
	summary, rejected = backwards.bring("a", lines...)
	assert.Empty(t, rejected)
	assert.Equal(t, importing.Count{New: 11}, summary.All())
	assert.Equal(t, want, backwards.titles(2))

	apart := newImportFixture(t)
	var sources []importing.Source
	r := &keptRejects{}
	for n, line := range lines {
		sources = append(sources, importSource(&importedFile{name: fmt.Sprint("file ", n), lines: []string{line}}, r))
	}
	summary, err := apart.importer().Import(t.Context(), sources, &importWatcher{})
	require.NoError(t, err)
	assert.Empty(t, r.kept)
	assert.Equal(t, importing.Count{New: 11}, summary.All())
	assert.Equal(t, want, apart.titles(2))
}

func TestADM04_what_comes_again_changes_nothing_and_what_has_changed_is_followed(t *testing.T) {
	w := newImportFixture(t)
	w.bring("a", relatedLines()...)
	summary, rejected := w.bring("a", relatedLines()...)
	assert.Empty(t, rejected)
	assert.Equal(t, importing.Count{Same: 11}, summary.All())

	summary, _ = w.bring("b", publicationLine(100, 10, "u1", 1, "Moved"))
	assert.Equal(t, map[imported.Kind]importing.Count{imported.Publication: {Changed: 1}}, summary.Kinds)
	assert.Len(t, w.titles(1), 1)
	assert.Len(t, w.titles(2), 1)
}

func TestADM04_of_the_same_record_the_later_line_wins(t *testing.T) {
	for name, lines := range map[string][]string{
		"both ready": append(relatedLines(), publicationLine(5, 10, "u1", 1, "first"), publicationLine(5, 10, "u1", 2, "last")),
		"the first waits": append([]string{publicationLine(5, 10, "late", 1, "first")},
			append(relatedLines(), publicationLine(5, 10, "u1", 2, "last"), personLine("late", 2))...),
		"the last waits": append(relatedLines(), publicationLine(5, 10, "u1", 1, "first"), publicationLine(5, 10, "late", 2, "last"),
			personLine("late", 2)),
		"both wait": append(relatedLines(), publicationLine(5, 10, "late", 1, "first"), publicationLine(5, 10, "late", 2, "last"),
			personLine("late", 2)),
	} {
		w := newImportFixture(t)
		summary, rejected := w.bring("a", lines...)
		assert.Empty(t, rejected, name)
		assert.Empty(t, w.titles(1), name)
		assert.Len(t, w.titles(2), 3, name)
		assert.Equal(t, int64(len(lines)), summary.Records(), name)
	}
}

func TestADM04_what_is_wrong_is_rejected_and_the_rest_is_kept(t *testing.T) {
	w := newImportFixture(t)
	lines := append(relatedLines(),
		"nonsense", // 12
		"too long", // 13
		publicationLine(102, 10, "nobody", 2, "Of nobody"), // 14
		publicationLine(103, 99, "u1", 77, "Of no bundle"), // 15
		categoryLine(5, 6), categoryLine(6, 5), // 16, 17
		recordLine("category", "id", 9, "name", " "),          // 18
		publicationLine(104, 10, "u1", 2, "Good"),             // 19
		recordLine("publication", "id", 105, "colour", "red"), // 20
	)
	r, seen := &keptRejects{}, &importWatcher{}
	summary, err := w.importer().Import(t.Context(), []importing.Source{importSource(&importedFile{name: "a", lines: lines}, r)}, seen)
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

func TestADM04_bundles_may_come_before_their_originals_and_again(t *testing.T) {
	w := newImportFixture(t)
	w.bring("a", bundleLine(5, 0))
	summary, rejects := w.bring("b", bundleLine(3, 2), bundleLine(5, 2), bundleLine(3, 9), bundleLine(2, 1), bundleLine(3, 2),
		bundleLine(1, 0), bundleLine(6, 9))
	assert.Equal(t, []string{"3: first_original: Not found: bundle 9.; original: Not found: bundle 9.",
		"7: first_original: Not found: bundle 9.; original: Not found: bundle 9."}, rejects)
	assert.Equal(t, importing.Count{New: 3, Changed: 2}, summary.All(), "each line counts once")
	for _, run := range []struct {
		lines []string
		want  importing.Count
	}{{[]string{bundleLine(5, 2)}, importing.Count{Same: 1}}, {[]string{bundleLine(3, 2)}, importing.Count{Same: 1}}} {
		summary, _ := w.bring("c", run.lines...)
		assert.Equal(t, run.want, summary.All())
	}
}

func TestADM04_of_a_category_the_last_line_counts_that_has_a_place_in_the_tree(t *testing.T) {
	for name, c := range map[string]struct {
		lines, rejects []string
		parents        map[feed.CategoryID]feed.CategoryID
	}{
		"parents change places": {[]string{categoryLine(1, 0), categoryLine(2, 1), categoryLine(1, 2), categoryLine(2, 0)}, []string{},
			map[feed.CategoryID]feed.CategoryID{1: 2, 2: 0}},
		"no parent at last": {[]string{categoryLine(1, 0), categoryLine(1, 9)}, []string{"2: parent: Not found: category 9."},
			map[feed.CategoryID]feed.CategoryID{1: 0}},
		"no parent at first": {[]string{categoryLine(1, 9), categoryLine(1, 0), categoryLine(2, 1)}, []string{},
			map[feed.CategoryID]feed.CategoryID{1: 0, 2: 1}},
	} {
		w := newImportFixture(t)
		summary, rejects := w.bring("a", c.lines...)
		assert.ElementsMatch(t, c.rejects, rejects, name)
		assert.Equal(t, int64(len(c.lines)), summary.Records(), name)
		categories, _, err := w.store.Feed().Metas(t.Context(), feed.Selection{})
		require.NoError(t, err)
		parents := map[feed.CategoryID]feed.CategoryID{}
		for _, category := range categories {
			parents[category.ID] = category.Parent
		}
		assert.Equal(t, c.parents, parents, name)
	}
}

// someBatches are lines of which the second is no record. Those after the first three fill more than two batches.
func someBatches() []string {
	lines := []string{personLine("u1", 1), "nonsense", bundleLine(10, 0)}
	for n := range overTwoBatches {
		lines = append(lines, recordLine("howto", "category", fmt.Sprint(n), "robot", "u1", "created", createdDay))
	}
	return lines
}

func TestADM04_an_import_that_is_told_to_end_goes_on_where_it_was(t *testing.T) {
	w, lines, r := newImportFixture(t), someBatches(), &keptRejects{}
	ctx, stop := context.WithCancel(t.Context())
	first := &importWatcher{moved: func(so importing.Summary) {
		if so.Lines >= 8000 {
			stop()
		}
	}}
	summary, err := w.importer().Import(ctx, []importing.Source{importSource(&importedFile{name: "a", lines: lines}, r)}, first)
	require.ErrorIs(t, err, importing.ErrInterrupted)
	stored := summary.Lines
	assert.Equal(t, int64(3+8000), stored, "a batch")
	assert.Equal(t, int64(2+8000), summary.All().New)

	again := &importWatcher{}
	f := &importedFile{name: "a", lines: lines}
	summary, err = w.importer().Import(t.Context(), []importing.Source{importSource(f, r)}, again)
	require.NoError(t, err)
	assert.Equal(t, []int64{stored}, again.resumed, "every line that was counted was stored")
	assert.Equal(t, int(stored), f.skipped)
	assert.Equal(t, importing.Count{New: int64(len(lines)) - stored}, summary.All())
	assert.Len(t, r.kept, 1)
	assert.Empty(t, again.rejected)

	summary, _ = w.bring("a", lines...)
	assert.Equal(t, int64(len(lines)-1), summary.All().Same, "a finished import starts again")
}

// Whether the line that could not be read ends the lines, or an error does, is up to the scheduler, hence the rounds.
func TestADM04_an_import_that_is_told_to_end_while_it_reads_stores_no_part_of_a_batch(t *testing.T) {
	for range 10 {
		synctest.Test(t, func(t *testing.T) {
			w, lines := newImportFixture(t), slices.Repeat([]string{personLine("u1", 1)}, 400)
			ctx, stop := context.WithCancel(t.Context())
			f := &importedFile{name: "a", lines: lines, reading: func(line int) {
				if line == 300 {
					synctest.Wait() // until the import has taken the lines that were handed over
					stop()
				}
			}}
			summary, err := w.importer().Import(ctx, []importing.Source{importSource(f, &keptRejects{})}, &importWatcher{})
			require.ErrorIs(t, err, importing.ErrInterrupted)
			assert.Zero(t, summary.Lines)
			summary, _ = w.bring("a", lines...)
			assert.Equal(t, int64(len(lines)), summary.Lines, "all lines come again")
		})
	}
}

func TestADM04_records_that_are_stored_already_are_not_rejected_because_of_a_bad_line(t *testing.T) {
	w := newImportFixture(t)
	lines := []string{categoryLine(1, 0), categoryLine(2, 1), categoryLine(3, 2)}
	w.bring("a", lines...)
	summary, rejects := w.bring("b", categoryLine(1, 3), lines[1], lines[2])
	assert.Equal(t, []string{"1: parent: The parents form a cycle."}, rejects)
	assert.Equal(t, int64(2), summary.All().Same)
}

func TestADM04_another_file_of_the_same_name_is_read_from_its_beginning(t *testing.T) {
	w := newImportFixture(t)
	stored := w.ports.Store
	w.ports.Store = &failingImports{Store: stored, left: 2, after: true} // the categories of the first reading
	former := importSource(&importedFile{name: "a", lines: []string{personLine("u1", 1), categoryLine(1, 0)}}, &keptRejects{})
	_, err := w.importer().Import(t.Context(), []importing.Source{former}, &importWatcher{})
	require.ErrorIs(t, err, usecases.ErrInjected)
	w.ports.Store = stored
	summary, _ := w.bring("a", personLine("u2", 2), categoryLine(1, 0), categoryLine(2, 1))
	assert.Equal(t, importing.Count{New: 2, Same: 1}, summary.All())
}

func TestADM04_what_waits_for_the_rest_of_a_damaged_file_is_not_rejected(t *testing.T) {
	w := newImportFixture(t)
	lines := []string{categoryLine(2, 1), categoryLine(1, 0), publicationLine(1, 10, "u1", 2, "Early"), "nonsense"}
	r := &keptRejects{}
	damaged := &importedFile{name: "a", lines: lines, damage: fmt.Errorf("cut off: %w", imported.ErrDamaged)}
	summary, err := w.importer().Import(t.Context(), []importing.Source{importSource(damaged, r)}, &importWatcher{})
	require.ErrorContains(t, err, "cut off")
	assert.Equal(t, int64(2), summary.All().New, "waiting records, too, if their needs were read")
	assert.Equal(t, int64(1), summary.Waiting)
	assert.Len(t, r.kept, 1)

	mended := &importedFile{name: "a", lines: append(lines, personLine("u1", 1), bundleLine(10, 0))}
	summary, err = w.importer().Import(t.Context(), []importing.Source{importSource(mended, r)}, &importWatcher{})
	require.NoError(t, err)
	assert.Equal(t, importing.Count{New: 3, Same: 2}, summary.All())
	assert.Len(t, r.kept, 1)
	assert.Len(t, w.titles(2), 1)
}

func TestADM04_without_a_place_for_rejects_nothing_more_is_read(t *testing.T) {
	w := newImportFixture(t)
	full := errors.New("no space left")
	r := &keptRejects{fail: full}
	_, err := w.importer().Import(t.Context(), []importing.Source{importSource(&importedFile{name: "a",
		lines: []string{categoryLine(1, 0), "nonsense"}}, r)}, &importWatcher{})
	require.ErrorIs(t, err, full)
	r.fail = nil
	summary, err := w.importer().Import(t.Context(),
		[]importing.Source{importSource(&importedFile{name: "a", lines: []string{categoryLine(1, 0), "nonsense"}}, r)}, &importWatcher{})
	require.NoError(t, err)
	assert.Equal(t, int64(1), summary.All().Stored())
	assert.Len(t, r.kept, 1)
}

func TestADM04_a_large_cover_has_its_own_size_in_each_feed(t *testing.T) {
	t.Parallel()
	w := newImportFixture(t)
	cover := map[string]any{"file": "a.png"}
	f := &importedFile{name: "a", covers: map[string][]byte{"a.png": pictures.Plain(t, 1000, 500)}, lines: []string{
		personLine("u1", 1),
		recordLine("node", "id", 1, "author", "u1", "title", "A part", "language", "en", "created", createdDay, "cover", cover),
		recordLine("demand", "id", 1, "author", "u1", "title", "A wish", "closed", updatedDay, "start", updatedDay, "end", updatedDay, "created",
			createdDay, "cover", cover),
	}}
	r := &keptRejects{}
	_, err := w.importer().Import(t.Context(), []importing.Source{importSource(f, r)}, &importWatcher{})
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
	w := newImportFixture(t)
	with := func(id int, name string) string {
		return recordLine("node", "id", id, "author", "u1", "title", "A part", "language", "en", "created", createdDay, "cover",
			map[string]any{"file": name})
	}
	f := &importedFile{name: "a", covers: map[string][]byte{"a.png": pictures.Plain(t, 3, 2), "same.png": pictures.Plain(t, 3, 2),
		"text.png": []byte("no picture")},
		lines: []string{personLine("u1", 1), with(1, "a.png"), with(2, "same.png"), with(3, "none.png"), with(4, "text.png")}}
	r := &keptRejects{}
	summary, err := w.importer().Import(t.Context(), []importing.Source{importSource(f, r)}, &importWatcher{})
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
