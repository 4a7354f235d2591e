package privacy

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"plaza/domain/audit"
	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/personaldata"
	"plaza/domain/user"
)

// Exported counts what an export contains.
type Exported struct {
	Records  int
	Pictures int
	// Missing are pictures that records name and that have no file.
	Missing []media.Key
}

// Export writes a zip of all that is stored of the user: a file of JSON for each kind, the pictures, and a README that
// explains them. The account must exist. However much the user has, it holds little in memory: records are read and
// written one after the other, and then once more for their pictures.
func (p *Privacy) Export(ctx context.Context, id user.ID, to io.Writer) (Exported, error) {
	if err := audit.CheckCopy(ctx); err != nil {
		return Exported{}, err
	}
	if _, err := p.accounts.ByID(ctx, id); err != nil {
		return Exported{}, err
	}
	e := export{Privacy: p, zip: zip.NewWriter(to), user: id, hasPictures: map[personaldata.Kind]bool{}}
	err := e.write(ctx)
	if err == nil { // one that broke is no valid zip
		err = e.zip.Close()
	}
	return e.Exported, err
}

// export is an export in progress.
type export struct {
	*Privacy
	Exported
	zip         *zip.Writer
	user        user.ID
	hasPictures map[personaldata.Kind]bool // whether records of the kind have
}

func (e *export) write(ctx context.Context) error {
	readme, err := e.create("README.txt", zip.Deflate)
	if err == nil {
		err = writeReadme(readme, e.user, e.now())
	}
	if err != nil {
		return err
	}
	for _, d := range personaldata.Kinds() {
		if err := e.writeKind(ctx, d.Kind); err != nil {
			return fmt.Errorf("export %s of user %d: %w", d.Kind, e.user, err)
		}
	}
	for _, d := range personaldata.Kinds() {
		if !e.hasPictures[d.Kind] {
			continue
		}
		if err := e.writePictures(ctx, d.Kind); err != nil {
			return fmt.Errorf("export pictures of %s of user %d: %w", d.Kind, e.user, err)
		}
	}
	return e.writeMissing()
}

func (e *export) create(name string, method uint16) (io.Writer, error) {
	return e.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: e.now().UTC()})
}

// writeKind writes the records of the kind as a JSON array, one record on a line.
func (e *export) writeKind(ctx context.Context, k personaldata.Kind) error {
	file, err := e.create(string(k)+".json", zip.Deflate)
	if err != nil {
		return err
	}
	before := "[\n"
	for stored, err := range e.data.Records(ctx, e.user, k) {
		if err != nil {
			return err
		}
		record := RecordOf(k, stored)
		line, err := jsonOf(record)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprint(file, before, line); err != nil {
			return err
		}
		before = ",\n"
		e.Exported.Records++
		e.hasPictures[k] = e.hasPictures[k] || len(record.Pictures()) > 0
	}
	end := "\n]\n"
	if before == "[\n" {
		end = "[]\n"
	}
	_, err = io.WriteString(file, end)
	return err
}

func jsonOf(r Record) (string, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	before := "{"
	for _, f := range r {
		if f.Value == nil {
			continue
		}
		if at, is := f.Value.(time.Time); is {
			f.Value = instant.Timestamp(at)
		}
		fmt.Fprintf(&b, "%s%q:", before, f.Name)
		if err := encoder.Encode(f.Value); err != nil {
			return "", err
		}
		b.Truncate(b.Len() - len("\n")) // which the encoder adds
		before = ","
	}
	return b.String() + "}", nil
}

// writePictures copies the pictures of the kind's records under their keys.
func (e *export) writePictures(ctx context.Context, k personaldata.Kind) error {
	for stored, err := range e.data.Records(ctx, e.user, k) {
		if err != nil {
			return err
		}
		for _, key := range RecordOf(k, stored).Pictures() {
			if err := e.writePicture(ctx, key); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *export) writePicture(ctx context.Context, key media.Key) (err error) {
	picture, err := e.pictures.Open(ctx, key)
	if errors.Is(err, media.ErrNotFound) {
		e.Missing = append(e.Missing, key)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, picture.Close()) }()
	file, err := e.create("pictures/"+string(key), zip.Store) // it is compressed already
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, picture); err != nil {
		return err
	}
	e.Exported.Pictures++
	return nil
}

func (e *export) writeMissing() error {
	if len(e.Missing) == 0 {
		return nil
	}
	file, err := e.create("missing_pictures.json", zip.Deflate)
	if err != nil {
		return err
	}
	return json.NewEncoder(file).Encode(e.Missing)
}

// writeReadme writes what the files of an export are, from the descriptions of the kinds.
func writeReadme(to io.Writer, id user.ID, now time.Time) error {
	w := bufio.NewWriter(to) // keeps the first error for Flush
	fmt.Fprintf(w, `All that is stored of user %d, as of %s.

Each .json file is a list of records in JSON, in UTF-8, one record on a line. Times are RFC 3339 in UTC, with six digits
of a second's fraction. Fields without a value are left out. A field that names a picture has the name of its file below
pictures/. missing_pictures.json, if there is one, lists pictures whose file is lost.

Not stored, and so not here, are passwords and the keys of tokens: only what is needed to check them. People who follow
you, and what others have written on your events, are data of theirs.
`, id, instant.Timestamp(now))
	for _, d := range personaldata.Kinds() {
		fmt.Fprintf(w, "\n%s.json\n  %s\n", d.Kind, d.About)
		for _, f := range RecordOf(d.Kind, nil) {
			fmt.Fprintf(w, "  - %s: %s\n", f.Name, f.About)
		}
	}
	return w.Flush()
}
