package demo

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"plaza/adapters/jsonlines"
	"plaza/domain/imported"
)

// embedded has the data, which README.md describes: files of records in the format of an import with their covers, tables, and
// the pictures that the tables name.
//
//go:embed records tables pictures
var embedded embed.FS

// Files of records that the tables refer to.
const (
	peopleFile     = "people.jsonl"
	categoriesFile = "categories.jsonl"
)

// eachLine calls do with each line of the file, and with where it is. The error has the file and the number of every wrong line.
func eachLine(files fs.FS, name string, do func(where string, line []byte) error) error {
	content, err := fs.ReadFile(files, name)
	wrong, number := []error{err}, 0
	for line := range bytes.Lines(content) {
		number++
		where := fmt.Sprintf("%s:%d", name, number)
		if err := do(where, line); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", where, err))
		}
	}
	return errors.Join(wrong...)
}

// eachRow calls do with each row of the table, and with where it is. An unknown field is an error.
func eachRow[T any](files fs.FS, table string, do func(where string, row T) error) error {
	return eachLine(files, "tables/"+table+".jsonl", func(where string, line []byte) error {
		var row T
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&row); err != nil {
			return err
		}
		if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
			return errors.New("a line has one object")
		}
		return do(where, row)
	})
}

// eachRecord calls do with each record of a file of records that have no HTML, and with where it is.
func eachRecord[T imported.Record](files fs.FS, name string, do func(where string, record T) error) error {
	return eachLine(files, "records/"+name, func(where string, line []byte) error {
		draft, err := jsonlines.Decoder{}.Decode(line)
		if err != nil {
			return err
		}
		made, err := draft.Record(nil)
		if err != nil {
			return err
		}
		record, is := made.(T)
		if !is {
			return fmt.Errorf("a %T is in the wrong file", made)
		}
		return do(where, record)
	})
}

// pictureIn returns the content of the picture that a row names.
func pictureIn(files fs.FS, name string) ([]byte, error) { return fs.ReadFile(files, "pictures/"+name) }

// find returns the value that a row names.
func find[K ~string, V any](all map[K]V, what string, name K) (V, error) {
	value, known := all[name]
	if !known {
		return value, fmt.Errorf("unknown %s %q", what, name)
	}
	return value, nil
}

// duration is a duration in a row, as in "2h5m".
type duration struct{ time.Duration }

func (d *duration) UnmarshalText(text []byte) (err error) {
	d.Duration, err = time.ParseDuration(string(text))
	return err
}
