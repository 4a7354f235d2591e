package imported_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/adapters/imaging"
	"plaza/adapters/jsonlines"
	"plaza/adapters/sanitiser"
	"plaza/application/importing"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/page"
	"plaza/domain/user"
	"plaza/test/memory"
	"plaza/test/usecases"
)

// importFixture is a memory store with an importer.
type importFixture struct {
	*testing.T
	store *memory.Store
	media *memory.Media
	ports importing.Ports
}

func newImportFixture(t *testing.T) *importFixture {
	t.Helper()
	store, media := memory.New(), memory.NewMedia("https://plaza.example", []byte("signing"))
	return &importFixture{t, store, media, importing.Ports{
		Store: store.Imports, Decoder: jsonlines.Decoder{}, Feed: store.Feed, Sanitiser: sanitiser.New("https://plaza.example/media/public/"),
		Processor: imaging.NewProcessor(1), Pictures: media, Now: func() time.Time { return usecases.Noon },
	}}
}

// failingImports is a store that fails at one call of Apply, before or after storing the batch.
type failingImports struct {
	imported.Store
	left    int
	after   bool
	failing func() // is called before it fails, if set
}

func (f *failingImports) Apply(ctx context.Context, b imported.Batch) ([]imported.Outcome, error) {
	f.left--
	if f.left != 0 {
		return f.Store.Apply(ctx, b)
	}
	if f.failing != nil {
		f.failing()
	}
	if f.after {
		if _, err := f.Store.Apply(ctx, b); err != nil {
			return nil, err
		}
	}
	return nil, usecases.ErrInjected
}

// importedFile is an imported.File of lines in memory.
type importedFile struct {
	name    string
	lines   []string
	at      atomic.Int64
	damage  error // comes instead of the end
	covers  map[string][]byte
	skipped int
	reading func(line int) // is called before each line is read, if set
}

func (f *importedFile) Name() string { return f.name }

func (f *importedFile) Version() string { return fmt.Sprint(f.lines) }

func (f *importedFile) Begin(_ context.Context, lines int64) error {
	f.at.Store(lines)
	f.skipped = int(lines)
	return nil
}

func (f *importedFile) Next(ctx context.Context) (imported.RawLine, error) {
	at := int(f.at.Load())
	if f.reading != nil {
		f.reading(at + 1)
	}
	switch {
	case ctx.Err() != nil:
		return imported.RawLine{}, ctx.Err()
	case at == len(f.lines) && f.damage != nil:
		return imported.RawLine{}, f.damage
	case at == len(f.lines):
		return imported.RawLine{}, io.EOF
	}
	return imported.RawLine{Number: f.at.Add(1), Raw: []byte(f.lines[at]), TooLong: f.lines[at] == "too long"}, nil
}

// Size is called while lines are read ahead.
func (f *importedFile) Size() (int64, int64) { return f.at.Load(), int64(len(f.lines)) }

func (f *importedFile) OpenCover(name string) (io.ReadCloser, error) {
	raw, is := f.covers[name]
	if !is {
		return nil, imported.ErrNoFile
	}
	return io.NopCloser(bytes.NewReader(raw)), nil
}

func (f *importedFile) Close() error { return nil }

// keptRejects keep their content across imports.
type keptRejects struct {
	kept []string
	fail error
}

func (r *keptRejects) open(length int64) (imported.Rejects, error) {
	r.kept = r.kept[:length]
	return r, nil
}

func (r *keptRejects) Keep(lines []imported.Reject) error {
	if r.fail != nil {
		return r.fail
	}
	for _, l := range lines {
		r.kept = append(r.kept, fmt.Sprintf("%d: %s", l.Number, rejectReason(l)))
	}
	return nil
}

func (r *keptRejects) Length() int64 { return int64(len(r.kept)) }
func (r *keptRejects) Close() error  { return nil }

func rejectReason(l imported.Reject) string {
	_, text, _ := strings.Cut((&fault.Error{Kind: fault.Invalid, Text: l.Reason, Fields: l.Fields}).Error(), " ")
	return text
}

// importWatcher records its calls, and may act on them.
type importWatcher struct {
	moved    func(importing.Summary)
	rejected []int64
	resumed  []int64
}

func (w *importWatcher) Progressed(_ importing.Source, summary importing.Summary) {
	if w.moved != nil {
		w.moved(summary)
	}
}

func (w *importWatcher) Rejected(_ importing.Source, r imported.Reject) {
	w.rejected = append(w.rejected, r.Number)
}

func (w *importWatcher) Resumed(_ importing.Source, behind int64) {
	w.resumed = append(w.resumed, behind)
}

func importSource(f *importedFile, r *keptRejects) importing.Source {
	return importing.Source{File: f, Label: f.name, Rejects: r.open}
}

// importFile imports the file.
func (w *importFixture) importFile(ctx context.Context, f *importedFile, r *keptRejects, seen *importWatcher) (importing.Summary, error) {
	w.Helper()
	return importing.NewImporter(w.ports).Import(ctx, []importing.Source{importSource(f, r)}, seen)
}

// bringAll imports files of the lines, of which the one with the index is damaged at its end.
func (w *importFixture) bringAll(files [][]string, damaged int, r []keptRejects) (importing.Summary, error) {
	w.Helper()
	var sources []importing.Source
	for n, lines := range files {
		f := &importedFile{name: fmt.Sprint("file ", n), lines: lines}
		if n == damaged {
			f.damage = fmt.Errorf("%w: cut off", imported.ErrDamaged)
		}
		sources = append(sources, importSource(f, &r[n]))
	}
	return importing.NewImporter(w.ports).Import(w.Context(), sources, &importWatcher{})
}

// bring imports the lines as one file.
func (w *importFixture) bring(name string, lines ...string) (importing.Summary, []string) {
	w.Helper()
	r := &keptRejects{}
	summary, err := w.importFile(w.Context(), &importedFile{name: name, lines: lines}, r, &importWatcher{})
	require.NoError(w, err)
	return summary, r.kept
}

// recordLine returns a line of an import: a record of the kind, with the fields as pairs of names and values.
func recordLine(kind string, fields ...any) string {
	all := map[string]any{"kind": kind}
	for i := 0; i < len(fields); i += 2 {
		all[fields[i].(string)] = fields[i+1]
	}
	line, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(line)
}

const (
	createdDay = "2026-11-01T08:00:00Z"
	updatedDay = "2026-11-02T08:00:00Z"
)

func personLine(id string, phone int) string {
	return recordLine("user", "id", id, "username", fmt.Sprintf("+86-138%08d", phone), "firstname", "F "+id, "lastname", "L", "joined",
		createdDay)
}

func categoryLine(id, parent int) string {
	return recordLine("category", "id", id, "parent", parent, "name", fmt.Sprint("C", id), "slug", fmt.Sprint("c", id))
}

func bundleLine(id, original int) string {
	return recordLine("bundle", "id", id, "first_original", original, "original", original)
}

func publicationLine(id, bundle int, author string, category int, title string) string {
	return recordLine("publication", "id", id, "bundle", bundle, "author", author, "category", category, "title", title,
		"language", "en", "created", createdDay, "updated", updatedDay)
}

// textLine returns a line of a node or a demand by u1, with further fields.
func textLine(kind string, id int, fields ...any) string {
	fields = append(fields, "id", id, "author", "u1", "title", "A text", "created", createdDay)
	if kind == "node" {
		return recordLine(kind, append(fields, "language", "en")...)
	}
	return recordLine(kind, append(fields, "closed", updatedDay, "start", updatedDay, "end", updatedDay)...)
}

// drawLine draws a line from a small set of records, many of which are repeated, early or
// missing.
func drawLine(t *rapid.T) string {
	id := func(what string, most int) int { return rapid.IntRange(1, most).Draw(t, what) }
	author := func() string { return fmt.Sprint("u", id("author", 4)) }
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0:
		return personLine(author(), id("phone", 5))
	case 1, 2:
		return categoryLine(id("category", 6), rapid.IntRange(0, 6).Draw(t, "parent"))
	case 3:
		return bundleLine(id("bundle", 4), rapid.IntRange(0, 4).Draw(t, "original"))
	case 4:
		return "nonsense"
	default:
		return publicationLine(id("publication", 8), id("bundle", 4), author(), id("category", 6), fmt.Sprint("T", id("title", 3)))
	}
}

// feedPage returns the items of a kind in a category of the feed.
func (w *importFixture) feedPage(in feed.CategoryID, kind feed.Kind) []feed.Item {
	w.Helper()
	first, err := page.New(1, page.MaxSize)
	require.NoError(w, err)
	items, err := w.store.Feed.Page(w.Context(), in, feed.Selection{Kinds: []feed.Kind{kind}}, first)
	require.NoError(w, err)
	return items.Items
}

// dump returns all stored data that is visible through the ports.
func (w *importFixture) dump() string {
	w.Helper()
	categories, metas, err := w.store.Feed.Metas(w.Context(), feed.Selection{Kinds: []feed.Kind{feed.Publication}})
	require.NoError(w, err)
	slices.SortFunc(categories, func(a, b feed.Category) int { return int(a.ID - b.ID) })
	members, err := w.store.Directory.Members(w.Context(), []user.ID{1, 2, 3, 4})
	require.NoError(w, err)
	slices.SortFunc(members, func(a, b user.Member) int { return int(a.ID - b.ID) })
	dump := fmt.Sprint(categories, metas, members)
	for _, c := range categories {
		dump += fmt.Sprint(w.feedPage(c.ID, feed.Publication))
	}
	return dump
}
