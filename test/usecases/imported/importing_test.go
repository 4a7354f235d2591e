package imported_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/application/importing"
	"plaza/application/telemetry"
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
		textLine("node", 7), textLine("demand", 8, "category", 1),
		recordLine("howto", "category", "tea", "robot", "u1", "bundles", []int{10, 11}, "created", createdDay),
		recordLine("news", "id", "n1", "site_name", "Paper", "url", "https://paper.example.org/1", "title", "News", "released", "2026-11-01"),
	}
}

func TestADM04_records_are_stored_in_whatever_order_they_come(t *testing.T) {
	backwards := relatedLines()
	slices.Reverse(backwards)
	apart := make([][]string, len(backwards))
	for i, line := range backwards {
		apart[i] = []string{line}
	}
	for name, files := range map[string][][]string{"in order": {relatedLines()}, "backwards": {backwards}, "in many files": apart} {
		w, rejects := newImportFixture(t), make([]keptRejects, len(files))
		summary, err := w.bringAll(files, -1, rejects)
		require.NoError(t, err)
		assert.Equal(t, make([]keptRejects, len(files)), rejects, name)
		assert.Equal(t, importing.Count{New: 11}, summary.All(), name)
		assert.Equal(t, int64(11), summary.Lines, name)
		assert.Equal(t, []string{"An original", "Its translation"}, w.titles(2), name)
	}
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
	summary, err := w.importFile(t.Context(), &importedFile{name: "a", lines: lines}, r, seen)
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
	summary, _ = w.bring("c", bundleLine(5, 2), bundleLine(3, 2))
	assert.Equal(t, importing.Count{Same: 2}, summary.All())
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
		categories, _, err := w.store.Feed.Metas(t.Context(), feed.Selection{})
		require.NoError(t, err)
		parents := map[feed.CategoryID]feed.CategoryID{}
		for _, category := range categories {
			parents[category.ID] = category.Parent
		}
		assert.Equal(t, c.parents, parents, name)
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

// overTwoBatches is more lines than two batches have, and more than a batch and what is read ahead meanwhile.
const overTwoBatches = 8_100

func TestADM04_an_import_that_is_told_to_end_goes_on_where_it_was(t *testing.T) {
	w, r := newImportFixture(t), &keptRejects{}
	lines := []string{personLine("u1", 1), "nonsense", bundleLine(10, 0)}
	for n := range overTwoBatches {
		lines = append(lines, recordLine("howto", "category", fmt.Sprint(n), "robot", "u1", "created", createdDay))
	}
	ctx, stop := context.WithCancel(t.Context())
	first := &importWatcher{moved: func(so importing.Summary) {
		if so.Lines >= 4000 {
			stop()
		}
	}}
	summary, err := w.importFile(ctx, &importedFile{name: "a", lines: lines}, r, first)
	require.ErrorIs(t, err, importing.ErrInterrupted)
	stored := summary.Lines
	assert.Equal(t, int64(3+4000), stored, "a batch")
	assert.Equal(t, int64(2+4000), summary.All().New)

	again, f := &importWatcher{}, &importedFile{name: "a", lines: lines}
	summary, err = w.importFile(t.Context(), f, r, again)
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
			summary, err := w.importFile(ctx, f, &keptRejects{}, &importWatcher{})
			require.ErrorIs(t, err, importing.ErrInterrupted)
			assert.Zero(t, summary.Lines)
			summary, _ = w.bring("a", lines...)
			assert.Equal(t, int64(len(lines)), summary.Lines, "all lines come again")
		})
	}
}

// What would still run after the import would make the bubble of synctest fail.
func TestADM04_lines_are_prepared_while_a_batch_is_stored_but_not_without_end(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, read := newImportFixture(t), int64(0)
		f := &importedFile{name: "a", lines: slices.Repeat([]string{personLine("u1", 1)}, overTwoBatches)}
		w.ports.Store = &failingImports{Store: w.ports.Store, left: 1, failing: func() {
			synctest.Wait()
			read = f.at.Load()
		}}
		_, err := w.importFile(t.Context(), f, &keptRejects{}, &importWatcher{})
		require.ErrorIs(t, err, usecases.ErrInjected)
		assert.Greater(t, read, int64(6_000), "lines are read ahead of the first batch's end")
		assert.Less(t, read, int64(7_500), "but not a whole batch")
	})
}

func TestADM04_an_import_that_fails_anywhere_and_begins_again_ends_like_one_that_does_not(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var files [][]string
		for range rapid.IntRange(1, 3).Draw(r, "files") {
			files = append(files, rapid.SliceOfN(rapid.Custom(drawLine), 0, 40).Draw(r, "lines"))
		}
		damaged := rapid.IntRange(-3, len(files)-1).Draw(r, "damaged") // negative: no file
		ends := func(err error) {
			if damaged < 0 {
				require.NoError(r, err)
			} else {
				require.ErrorIs(r, err, imported.ErrDamaged)
			}
		}
		whole, wholeRejects := newImportFixture(t), make([]keptRejects, len(files))
		_, err := whole.bringAll(files, damaged, wholeRejects)
		ends(err)

		broken, brokenRejects := newImportFixture(t), make([]keptRejects, len(files))
		store := broken.ports.Store
		err = usecases.ErrInjected
		for tries := 0; errors.Is(err, usecases.ErrInjected); tries++ {
			broken.ports.Store = store
			if tries < 10 {
				broken.ports.Store = &failingImports{
					Store: store, left: rapid.IntRange(1, 12).Draw(r, "batches"), after: rapid.Bool().Draw(r, "after"),
				}
			}
			_, err = broken.bringAll(files, damaged, brokenRejects)
		}
		ends(err)
		require.Equal(r, whole.dump(), broken.dump())
		require.Equal(r, wholeRejects, brokenRejects)
	})
}

func TestADM04_another_file_of_the_same_name_is_read_from_its_beginning(t *testing.T) {
	w := newImportFixture(t)
	stored := w.ports.Store
	w.ports.Store = &failingImports{Store: stored, left: 2, after: true} // the categories of the first reading
	former := &importedFile{name: "a", lines: []string{personLine("u1", 1), categoryLine(1, 0)}}
	_, err := w.importFile(t.Context(), former, &keptRejects{}, &importWatcher{})
	require.ErrorIs(t, err, usecases.ErrInjected)
	w.ports.Store = stored
	summary, _ := w.bring("a", personLine("u2", 2), categoryLine(1, 0), categoryLine(2, 1))
	assert.Equal(t, importing.Count{New: 2, Same: 1}, summary.All())
}

func TestADM04_what_waits_for_the_rest_of_a_damaged_file_is_not_rejected(t *testing.T) {
	w, r := newImportFixture(t), &keptRejects{}
	lines := []string{categoryLine(2, 1), categoryLine(1, 0), publicationLine(1, 10, "u1", 2, "Early"), "nonsense"}
	damaged := &importedFile{name: "a", lines: lines, damage: fmt.Errorf("cut off: %w", imported.ErrDamaged)}
	summary, err := w.importFile(t.Context(), damaged, r, &importWatcher{})
	require.ErrorContains(t, err, "cut off")
	assert.Equal(t, int64(2), summary.All().New, "waiting records, too, if their needs were read")
	assert.Equal(t, int64(1), summary.Waiting)
	assert.Len(t, r.kept, 1)

	mended := &importedFile{name: "a", lines: append(lines, personLine("u1", 1), bundleLine(10, 0))}
	summary, err = w.importFile(t.Context(), mended, r, &importWatcher{})
	require.NoError(t, err)
	assert.Equal(t, importing.Count{New: 3, Same: 2}, summary.All())
	assert.Len(t, r.kept, 1)
	assert.Len(t, w.titles(2), 1)
}

func TestADM04_without_a_place_for_rejects_nothing_more_is_read(t *testing.T) {
	w := newImportFixture(t)
	full := errors.New("no space left")
	f, r := &importedFile{name: "a", lines: []string{categoryLine(1, 0), "nonsense"}}, &keptRejects{fail: full}
	_, err := w.importFile(t.Context(), f, r, &importWatcher{})
	require.ErrorIs(t, err, full)
	r.fail = nil
	summary, err := w.importFile(t.Context(), f, r, &importWatcher{})
	require.NoError(t, err)
	assert.Equal(t, int64(1), summary.All().Stored())
	assert.Len(t, r.kept, 1)
}

func TestADM04_an_import_is_recorded_as_complete_only_if_it_has_read_all_files(t *testing.T) {
	w := newImportFixture(t)
	at := usecases.Noon
	w.ports.Now = func() time.Time { at = at.Add(time.Minute); return at }
	recorded := func() imported.Completion {
		sample, err := w.store.Telemetry.Sample(t.Context(), telemetry.Query{})
		require.NoError(t, err)
		return sample.Import
	}
	ended, end := context.WithCancel(t.Context())
	end()
	f := &importedFile{name: "a", lines: []string{categoryLine(1, 0), "no record"}}
	_, err := w.importFile(ended, f, &keptRejects{}, &importWatcher{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = w.importFile(t.Context(), &importedFile{name: "b", lines: f.lines, damage: imported.ErrDamaged}, &keptRejects{}, &importWatcher{})
	require.ErrorIs(t, err, imported.ErrDamaged)
	_, err = importing.NewImporter(w.ports).DryRun(t.Context(), []importing.Source{importSource(f, nil)}, &importWatcher{})
	require.NoError(t, err)
	assert.Zero(t, recorded())
	began := at.Add(time.Minute)
	_, rejected := w.bring("a", f.lines...)
	assert.Len(t, rejected, 1, "rejected lines do not matter")
	assert.Equal(t, imported.Completion{Began: began, Ended: began.Add(time.Minute)}, recorded())
}

func TestADM04_a_cover_is_kept_once_for_each_size(t *testing.T) {
	t.Parallel()
	w, r := newImportFixture(t), &keptRejects{}
	with := func(kind string, id int, file string) string {
		return textLine(kind, id, "cover", map[string]any{"file": file})
	}
	f := &importedFile{
		name: "a",
		covers: map[string][]byte{"a.png": pictures.Plain(t, 1000, 500), "same.png": pictures.Plain(t, 1000, 500),
			"text.png": []byte("no picture")},
		lines: []string{personLine("u1", 1), with("node", 1, "a.png"), with("node", 2, "same.png"), with("demand", 1, "a.png"),
			with("node", 3, "none.png"), with("node", 4, "text.png")},
	}
	_, err := w.importFile(t.Context(), f, r, &importWatcher{})
	require.NoError(t, err)
	require.Len(t, r.kept, 2)
	assert.Contains(t, r.kept[0], "cover.file: File not found.")
	assert.Contains(t, r.kept[1], "cover.file: "+media.ErrNotAccepted.Text)

	nodes := w.feedPage(0, feed.Node)
	require.Len(t, nodes, 2)
	ofNode := nodes[0].Listable.(publication.Node).Cover
	assert.Equal(t, ofNode, nodes[1].Listable.(publication.Node).Cover)
	ofDemand := w.feedPage(0, feed.Demand)[0].Listable.(demand.Demand).Cover
	for size, picture := range map[media.Size]media.Picture{
		{Name: media.CoverSM, Width: 480, Height: 240}: ofNode, {Name: media.DemandCoverMD, Width: 720, Height: 360}: ofDemand,
	} {
		require.Len(t, picture.Sizes, 1)
		size.Key = picture.Sizes[0].Key
		assert.Equal(t, size, picture.Sizes[0])
		assert.NotEqual(t, picture.Key, size.Key, "a file of its own")
		for _, key := range picture.Keys() {
			opened, err := w.media.Open(t.Context(), key)
			require.NoError(t, err)
			require.NoError(t, opened.Close())
		}
	}
}
