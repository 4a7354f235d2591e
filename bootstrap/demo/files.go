package demo

import (
	"bytes"
	"context"
	"fmt"

	"plaza/adapters/jsonlines"
	"plaza/application/importing"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/imported"
)

// File is a file of records.
type File struct {
	Name    string
	Content []byte
}

// Files returns the imported part of the demo data (ADM-04): files of records of every kind, in
// the order in which Load imports them, and the covers of the records. The result is always
// the same.
func Files() (records, covers []File, err error) {
	told, err := tables()
	if err != nil {
		return nil, nil, err
	}
	return told.files, told.covers, nil
}

// fill writes the files. Call it after all users are planned.
func (p *plan) fill() {
	p.file("people.jsonl", drafts(people, p.personDraft))
	p.file("categories.jsonl", drafts(categories, func(c feed.Category) imported.Draft { return imported.CategoryDraft(c) }))
	p.file("publications.jsonl", drafts(texts, text.bundleDraft), drafts(texts, p.textDraft), drafts(parts, p.partDraft))
	var demands []imported.Draft
	for i, w := range wishes {
		demands = append(demands, p.wishDraft(demand.ID(i+1), w))
	}
	p.file("demands.jsonl", demands)
	p.file("howtos.jsonl", drafts(howTos, p.howToDraft))
	p.file("news.jsonl", p.clippings())
}

func drafts[T any](table []T, draft func(T) imported.Draft) []imported.Draft {
	all := make([]imported.Draft, len(table))
	for i, row := range table {
		all[i] = draft(row)
	}
	return all
}

// file adds a file with one line per draft.
func (p *plan) file(name string, parts ...[]imported.Draft) {
	var content bytes.Buffer
	for _, all := range parts {
		for _, draft := range all {
			line, err := jsonlines.Encode(draft)
			p.note(err)
			content.Write(append(line, '\n'))
		}
	}
	p.files = append(p.files, File{name, content.Bytes()})
}

// bring imports the files with their covers.
func bring(ctx context.Context, importer *importing.Importer, files, covers []File) error {
	var sources []importing.Source
	for _, f := range files {
		sources = append(sources, importing.Source{
			File: beside{jsonlines.Standard(bytes.NewReader(f.Content), ""), covers}, Label: f.Name,
			Rejects: func(int64) (imported.Rejects, error) { return noRejects{}, nil },
		})
	}
	_, err := importer.Import(ctx, sources, unwatched{})
	return err
}

// noRejects makes the first reject end the import: either the tables are wrong, or they
// conflict with stored data.
type noRejects struct{}

func (noRejects) Keep(_ context.Context, lines []imported.Reject) error {
	return fmt.Errorf("line %d: %s%v: %s", lines[0].Number, lines[0].Reason, lines[0].Fields, lines[0].Raw)
}

func (noRejects) Length() int64 { return 0 }
func (noRejects) Close() error  { return nil }

// unwatched is a watcher that ignores all calls.
type unwatched struct{}

func (unwatched) Moved(importing.Source, importing.Summary)  {}
func (unwatched) Rejected(importing.Source, imported.Reject) {}
func (unwatched) Resumed(importing.Source, int64)            {}
