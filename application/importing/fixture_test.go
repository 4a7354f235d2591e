package importing_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/adapters/jsonlines"
	"plaza/adapters/memory"
	"plaza/adapters/sanitiser"
	"plaza/application/importing"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/page"
)

// now is when imports begin and end.
var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// fixture is a memory store with an importer.
type fixture struct {
	*testing.T
	store *memory.Store
	media *memory.Media
	ports importing.Ports
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	store, media := memory.New(), memory.NewMedia("https://plaza.example", []byte("signing"))
	return &fixture{t, store, media, importing.Ports{
		Store: store.Imports(), Decoder: jsonlines.Decoder{}, Feed: store.Feed(), Sanitiser: sanitiser.New("https://plaza.example/media/public/"),
		Processor: imaging.NewProcessor(1), Pictures: media, Now: func() time.Time { return now },
	}}
}

// file is an imported.File of lines in memory.
type file struct {
	name    string
	lines   []string
	at      int
	damage  error // comes instead of the end
	covers  map[string][]byte
	skipped int
}

func (f *file) Name() string { return f.name }

func (f *file) Skip(_ context.Context, p imported.Position) (bool, error) {
	if int(p.Lines) > len(f.lines) || string(p.Print) != f.print(int(p.Lines)) {
		return false, nil
	}
	f.at, f.skipped = int(p.Lines), int(p.Lines)
	return true, nil
}

// print is of the line right before.
func (f *file) print(lines int) string {
	if lines == 0 {
		return ""
	}
	return f.lines[lines-1]
}

func (f *file) Next(ctx context.Context) (imported.RawLine, error) {
	switch {
	case ctx.Err() != nil:
		return imported.RawLine{}, ctx.Err()
	case f.at == len(f.lines) && f.damage != nil:
		return imported.RawLine{}, f.damage
	case f.at == len(f.lines):
		return imported.RawLine{}, io.EOF
	}
	f.at++
	n := int64(f.at)
	return imported.RawLine{
		Number: n, Raw: []byte(f.lines[n-1]), TooLong: f.lines[n-1] == "too long",
		End: imported.Position{Lines: n, Print: []byte(f.print(f.at))},
	}, nil
}

func (f *file) Size() (int64, int64) { return int64(f.at), int64(len(f.lines)) }

func (f *file) OpenCover(name string) (io.ReadCloser, error) {
	raw, is := f.covers[name]
	if !is {
		return nil, imported.ErrNoFile
	}
	return io.NopCloser(bytes.NewReader(raw)), nil
}

func (f *file) Close() error { return nil }

// rejects keep their content across imports.
type rejects struct {
	kept []string
	fail error
}

func (r *rejects) open(length int64) (imported.Rejects, error) {
	r.kept = r.kept[:length]
	return r, nil
}

func (r *rejects) Keep(_ context.Context, lines []imported.Reject) error {
	if r.fail != nil {
		return r.fail
	}
	for _, l := range lines {
		r.kept = append(r.kept, fmt.Sprintf("%d: %s", l.Number, reasonOf(l)))
	}
	return nil
}

func (r *rejects) Length() int64 { return int64(len(r.kept)) }
func (r *rejects) Close() error  { return nil }

func reasonOf(l imported.Reject) string {
	_, text, _ := strings.Cut((&fault.Error{Kind: fault.Invalid, Text: l.Reason, Fields: l.Fields}).Error(), " ")
	return text
}

// watcher records its calls, and may act on them.
type watcher struct {
	moved    func(importing.Summary)
	rejected []int64
	resumed  []int64
}

func (w *watcher) Progressed(_ importing.Source, summary importing.Summary) {
	if w.moved != nil {
		w.moved(summary)
	}
}

func (w *watcher) Rejected(_ importing.Source, r imported.Reject) {
	w.rejected = append(w.rejected, r.Number)
}
func (w *watcher) Resumed(_ importing.Source, behind int64) { w.resumed = append(w.resumed, behind) }
func source(f *file, r *rejects) importing.Source {
	return importing.Source{File: f, Label: f.name, Rejects: r.open}
}

func (w *fixture) importer() *importing.Importer { return importing.NewImporter(w.ports) }

// bring imports the lines as one file.
func (w *fixture) bring(name string, lines ...string) (importing.Summary, []string) {
	w.Helper()
	r := &rejects{}
	summary, err := w.importer().Import(w.Context(), []importing.Source{source(&file{name: name, lines: lines}, r)}, &watcher{})
	require.NoError(w, err)
	return summary, r.kept
}

// record is a line.
func record(kind string, fields ...any) string {
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
	day1 = "2026-11-01T08:00:00Z"
	day2 = "2026-11-02T08:00:00Z"
)

func person(id string, phone int) string {
	return record("user", "id", id, "username", fmt.Sprintf("+86-138%08d", phone), "firstname", "F "+id, "lastname", "L", "joined", day1)
}

func category(id, parent int) string {
	if parent == 0 {
		return record("category", "id", id, "name", fmt.Sprint("C", id), "slug", fmt.Sprint("c", id))
	}
	return record("category", "id", id, "parent", parent, "name", fmt.Sprint("C", id), "slug", fmt.Sprint("c", id))
}

func bundle(id, original int) string {
	if original == 0 {
		return record("bundle", "id", id)
	}
	return record("bundle", "id", id, "first_original", original, "original", original)
}

func article(id, bundle int, author string, category int, title string) string {
	return record("publication", "id", id, "bundle", bundle, "author", author, "category", category, "title", title,
		"language", "en", "created", day1, "updated", day2)
}

// feedPage returns the items of a kind in a category of the feed.
func (w *fixture) feedPage(in feed.CategoryID, kind feed.Kind) []feed.Item {
	w.Helper()
	first, err := page.New(1, page.MaxSize)
	require.NoError(w, err)
	items, err := w.store.Feed().Page(w.Context(), in, feed.Selection{Kinds: []feed.Kind{kind}}, first)
	require.NoError(w, err)
	return items.Items
}
