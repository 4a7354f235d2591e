package privacy

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"plaza/domain/instant"
	"plaza/domain/personaldata"
	"plaza/domain/user"
)

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
