package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"

	"plaza/adapters/jsonlines"
	"plaza/application/importing"
	"plaza/domain/imported"
)

// recordFiles are the embedded files, in the order in which Load imports them.
var recordFiles = []string{peopleFile, categoriesFile, "publications.jsonl", "demands.jsonl", "howtos.jsonl", "news.jsonl"}

// faultyFile has two lines that an import rejects, for the back office, beside a record that is imported already.
const faultyFile = "news-2026-11-20.jsonl"

// Files returns the imported part of the demo data (ADM-04): files of records of every kind, in
// the order in which Load imports them, and the covers of the records.
func Files() (folder fs.FS, records, covers []string) {
	folder, _ = fs.Sub(embedded, "records") // which is a path
	covers, _ = fs.Glob(folder, "*.png")    // which is a pattern
	return folder, recordFiles, covers
}

// importRecords imports the records with their covers, and then those of which lines are rejected.
func importRecords(ctx context.Context, importer *importing.Importer, files fs.FS) error {
	var sources []importing.Source
	for _, name := range recordFiles {
		source, err := sourceOf(files, name, noRejects{name})
		if err != nil {
			return err
		}
		sources = append(sources, source)
	}
	if _, err := importer.Import(ctx, sources, unwatched{}); err != nil {
		return err
	}
	faulty, err := sourceOf(files, faultyFile, unwrittenRejects{})
	if err == nil {
		_, err = importer.Import(ctx, []importing.Source{faulty}, unwatched{})
	}
	return err
}

// beside is a file of records with the covers in the same folder.
type beside struct {
	imported.File
	files fs.FS
}

func (b beside) OpenCover(name string) (io.ReadCloser, error) {
	cover, err := b.files.Open("records/" + name)
	if err != nil {
		return nil, imported.ErrNoFile
	}
	return cover, nil
}

func sourceOf(files fs.FS, name string, rejects imported.Rejects) (importing.Source, error) {
	content, err := fs.ReadFile(files, "records/"+name)
	return importing.Source{
		File: beside{jsonlines.Standard(bytes.NewReader(content), ""), files}, Label: name,
		Rejects: func(int64) (imported.Rejects, error) { return rejects, nil },
	}, err
}

// unwrittenRejects writes no file of rejects. The store has what is wrong about them.
type unwrittenRejects struct{ noRejects }

func (unwrittenRejects) Keep([]imported.Reject) error { return nil }

// noRejects makes the first reject end the import: either the files are wrong, or they
// conflict with stored data.
type noRejects struct{ file string }

func (r noRejects) Keep(lines []imported.Reject) error {
	return fmt.Errorf("records/%s:%d: %s%v: %s", r.file, lines[0].Number, lines[0].Reason, lines[0].Fields, lines[0].Raw)
}

func (noRejects) Length() int64 { return 0 }
func (noRejects) Close() error  { return nil }

// unwatched is a watcher that ignores all calls.
type unwatched struct{}

func (unwatched) Progressed(importing.Source, importing.Summary) {}
func (unwatched) Rejected(importing.Source, imported.Reject)     {}
func (unwatched) Resumed(importing.Source, int64)                {}
