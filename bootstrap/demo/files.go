package demo

import (
	"bytes"
	"context"
	"embed"
	"fmt"

	"plaza/adapters/jsonlines"
	"plaza/application/importing"
	"plaza/domain/imported"
)

// File is a file of records, or a cover of one.
type File struct {
	Name    string
	Content []byte
}

// embedded has the records. They cover what a client must handle:
//   - Publications have the ids of their bundles. Those without a node have the bundle's id plus
//     1000. Bundle 4 is translated from a translation. The original of 16 is a draft, so the feed
//     lists the translation. 18 appeared before its original.
//   - Some demands of each town are within five kilometres of its centre, the default distance,
//     and others are not. Two have no place. One is beside the date line.
//   - News are of days with diary events. The how-to of the neighbours has no bundles.
//
//go:embed records/*.jsonl
var embedded embed.FS

const peopleFile = "people.jsonl"

// recordFiles are the embedded files, in the order in which Load imports them.
var recordFiles = []string{peopleFile, "categories.jsonl", "publications.jsonl", "demands.jsonl", "howtos.jsonl", "news.jsonl"}

// faultyFile has two lines that an import rejects, for the back office, beside a record that is imported already.
const faultyFile = "news-2026-11-20.jsonl"

// Files returns the imported part of the demo data (ADM-04): files of records of every kind, in
// the order in which Load imports them, and the covers of the records. The result is always
// the same.
func Files() (records, pictures []File, err error) {
	for _, name := range recordFiles {
		content, err := embedded.ReadFile("records/" + name)
		if err != nil {
			return nil, nil, err
		}
		records = append(records, File{name, content})
	}
	for _, cover := range covers {
		content, err := cover.png()
		if err != nil {
			return nil, nil, err
		}
		pictures = append(pictures, File{cover.file, content})
	}
	return records, pictures, nil
}

// importRecords imports the files with their covers.
func importRecords(ctx context.Context, importer *importing.Importer, records, pictures []File) error {
	var sources []importing.Source
	for _, f := range records {
		sources = append(sources, sourceOf(f, pictures, noRejects{}))
	}
	_, err := importer.Import(ctx, sources, unwatched{})
	return err
}

// importFaulty imports the file of which lines are rejected.
func importFaulty(ctx context.Context, importer *importing.Importer) error {
	content, err := embedded.ReadFile("records/" + faultyFile)
	if err != nil {
		return err
	}
	_, err = importer.Import(ctx, []importing.Source{sourceOf(File{faultyFile, content}, nil, unwrittenRejects{})}, unwatched{})
	return err
}

func sourceOf(f File, pictures []File, rejects imported.Rejects) importing.Source {
	return importing.Source{
		File: beside{jsonlines.Standard(bytes.NewReader(f.Content), ""), pictures}, Label: f.Name,
		Rejects: func(int64) (imported.Rejects, error) { return rejects, nil },
	}
}

// unwrittenRejects writes no file of rejects. The store has what is wrong about them.
type unwrittenRejects struct{ noRejects }

func (unwrittenRejects) Keep(context.Context, []imported.Reject) error { return nil }

// noRejects makes the first reject end the import: either the files are wrong, or they
// conflict with stored data.
type noRejects struct{}

func (noRejects) Keep(_ context.Context, lines []imported.Reject) error {
	return fmt.Errorf("line %d: %s%v: %s", lines[0].Number, lines[0].Reason, lines[0].Fields, lines[0].Raw)
}

func (noRejects) Length() int64 { return 0 }
func (noRejects) Close() error  { return nil }

// unwatched is a watcher that ignores all calls.
type unwatched struct{}

func (unwatched) Progressed(importing.Source, importing.Summary) {}
func (unwatched) Rejected(importing.Source, imported.Reject)     {}
func (unwatched) Resumed(importing.Source, int64)                {}
