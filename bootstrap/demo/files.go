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

// File is a file of records, or a cover of one.
type File struct {
	Name    string
	Content []byte
}

// recordFiles are the embedded files, in the order in which Load imports them.
var recordFiles = []string{peopleFile, categoriesFile, "publications.jsonl", "demands.jsonl", "howtos.jsonl", "news.jsonl"}

// faultyFile has two lines that an import rejects, for the back office, beside a record that is imported already.
const faultyFile = "news-2026-11-20.jsonl"

// Files returns the imported part of the demo data (ADM-04): files of records of every kind, in
// the order in which Load imports them, and the covers of the records. The result is always
// the same.
func Files() (records, pictures []File, err error) { return filesIn(embedded) }

func filesIn(files fs.FS) (records, pictures []File, err error) {
	for _, name := range recordFiles {
		content, err := fs.ReadFile(files, "records/"+name)
		if err != nil {
			return nil, nil, err
		}
		records = append(records, File{name, content})
	}
	type cover struct {
		File string `json:"file"`
		drawing
	}
	err = eachRow(files, "covers", func(_ string, c cover) error {
		content, err := c.png()
		pictures = append(pictures, File{c.File, content})
		return err
	})
	return records, pictures, err
}

// importRecords imports the files with their covers.
func importRecords(ctx context.Context, importer *importing.Importer, records, pictures []File) error {
	var sources []importing.Source
	for _, f := range records {
		sources = append(sources, sourceOf(f, pictures, noRejects{f.Name}))
	}
	_, err := importer.Import(ctx, sources, unwatched{})
	return err
}

// importFaulty imports the file of which lines are rejected.
func importFaulty(ctx context.Context, importer *importing.Importer, files fs.FS) error {
	content, err := fs.ReadFile(files, "records/"+faultyFile)
	if err != nil {
		return err
	}
	_, err = importer.Import(ctx, []importing.Source{sourceOf(File{faultyFile, content}, nil, unwrittenRejects{})}, unwatched{})
	return err
}

// beside is a file of records with the covers in the same folder.
type beside struct {
	imported.File
	pictures []File
}

func (b beside) OpenCover(name string) (io.ReadCloser, error) {
	for _, c := range b.pictures {
		if c.Name == name {
			return io.NopCloser(bytes.NewReader(c.Content)), nil
		}
	}
	return nil, imported.ErrNoFile
}

func sourceOf(f File, pictures []File, rejects imported.Rejects) importing.Source {
	return importing.Source{
		File: beside{jsonlines.Standard(bytes.NewReader(f.Content), ""), pictures}, Label: f.Name,
		Rejects: func(int64) (imported.Rejects, error) { return rejects, nil },
	}
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
