package bunstore

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/user"
)

// The columns of events. A new one belongs in one of the groups that statements
// write.
var (
	eventKey = columns[event.State]{plain("id", func(e *event.State) *int64 { return (*int64)(&e.ID) })}
	// eventFixed never change.
	eventFixed = columns[event.State]{
		plain("author_id", func(e *event.State) *int64 { return (*int64)(&e.Author) }),
		moment("created", func(e *event.State) *time.Time { return &e.Created }),
	}
	// eventIndexed are parts of indexes.
	eventIndexed = columns[event.State]{
		day("day", func(e *event.State) *calendar.Date { return &e.Date }),
		optional("category_id", func(e *event.State) *int64 { return (*int64)(&e.Category) }),
		plain("permission", func(e *event.State) *int { return (*int)(&e.Permission) }),
		plain("status", func(e *event.State) *int { return (*int)(&e.Status) }),
	}
	// eventText are the text, the place found in it, and the time of the last change. None is
	// part of an index, so that they cost less to write alone.
	eventText = columns[event.State]{
		plain("title", func(e *event.State) *string { return &e.Title }),
		plain("content", func(e *event.State) *string { return &e.Content }),
		plain("html", func(e *event.State) *string { return (*string)(&e.HTML) }),
		plain("province", func(e *event.State) *string { return &e.Place.Province }),
		plain("city", func(e *event.State) *string { return &e.Place.City }),
		plain("district", func(e *event.State) *string { return &e.Place.District }),
		moment("modified", func(e *event.State) *time.Time { return &e.Modified }),
	}
	eventMutable = slices.Concat(eventIndexed, eventText)
	eventNew     = slices.Concat(eventFixed, eventMutable)
	eventAll     = slices.Concat(eventKey, eventNew)
)

// eventSteps are the statements that write events, and those that lock them.
type eventSteps struct {
	insertEvent  string // eventNew
	rewriteEvent string // $1 id, $2 revision, then eventMutable
	rewriteText  string // $1 id, $2 revision, then eventText
	lockEvent    string // $1 id
	deleteEvent  string // $1 id
	insertCounts string // $1 author of the event that was just inserted
	insertPlate  string // $1 event, $2 photo, $3 created
	deletePlate  string // $1 id
	located      string // $1 after, $2 limit
	discussionSteps
}

func newEventSteps(d dialect) eventSteps {
	rewrite := func(c columns[event.State]) string {
		count := func(of string) string { return "(SELECT n." + of + " FROM event_counts n WHERE n.event_id = $1)" }
		return d.mustMatch("UPDATE events SET "+c.set(3)+", revision = revision + 1 WHERE id = $1 AND revision = $2"+d.unlessMissed(),
			count("comments"), count("likes"))
	}
	return eventSteps{
		insertEvent:  "INSERT INTO events (" + eventNew.list() + ") " + d.values(eventNew.parameters(1)) + " RETURNING id",
		rewriteEvent: rewrite(eventMutable),
		rewriteText:  rewrite(eventText),
		lockEvent:    "SELECT id FROM events WHERE id = $1 " + d.forUpdate(),
		deleteEvent:  "DELETE FROM events WHERE id = $1",
		insertCounts: "INSERT INTO event_counts (event_id, author_id) " + d.values(d.newest("events")+", $1"),
		insertPlate:  "INSERT INTO plates (event_id, photo, created) " + d.values("COALESCE($1, "+d.newest("events")+"), $2, $3") + " RETURNING id",
		deletePlate:  "DELETE FROM plates WHERE id = $1" + d.unlessMissed(),
		// The primary key makes it cost the same from any start.
		located:         "SELECT id, title, content, province, city, district FROM events WHERE id > $1 ORDER BY id LIMIT CAST($2 AS bigint)",
		discussionSteps: newDiscussionSteps(d),
	}
}

type eventCountsRow struct {
	bun.BaseModel `bun:"table:event_counts,alias:n"`
	EventID       event.ID `bun:",pk"`
	AuthorID      user.ID
	Comments      int
	Likes         int
	Commented     dbTime
}

// storedEvent is an event as read by one statement, so that it never mixes states
// before and after a change.
type storedEvent struct {
	event.State
	event.Counts
	revision int64
}

// The counts for storedColumns: those of n, or zero.
const (
	withCounts    = "n.comments, n.likes"
	withoutCounts = "0, 0"
)

// storedColumns returns the columns of a storedEvent; e is the event.
func storedColumns(d dialect, counts string) string {
	return eventAll.of("e") + ", e.revision, " + counts + ", " + d.platesOf("e.id")
}

// targets returns the scan targets in the order of storedColumns, after others. An event that is being
// removed has no counts.
func (e *storedEvent) targets(d dialect, before ...any) []any {
	return append(eventAll.targets(&e.State, d, before...),
		&e.revision, orZeroNumber[int]{&e.Comments}, orZeroNumber[int]{&e.Likes}, (*plateList)(&e.Plates))
}

// event returns the stored event. An invalid one is an internal error.
func (e *storedEvent) event() (*event.Event, error) {
	restored, err := event.Restore(e.State)
	if err != nil {
		return nil, fmt.Errorf("read event: %v", err)
	}
	return restored, nil
}

func (e *storedEvent) entry() (event.Entry, error) {
	restored, err := e.event()
	return event.Entry{Event: restored, Counts: e.Counts, Revision: e.revision}, err
}

// eventReader returns a function that scans an event of storedColumns; columns for the
// targets before may precede them.
func eventReader(d dialect, before ...any) func(scanner) (storedEvent, error) {
	return func(scan scanner) (e storedEvent, err error) {
		err = scan(e.targets(d, before...)...)
		return e, err
	}
}

// entryReader is eventReader for the entries of the events.
func entryReader(d dialect, before ...any) func(scanner) (event.Entry, error) {
	read := eventReader(d, before...)
	return func(scan scanner) (event.Entry, error) {
		stored, err := read(scan)
		if err != nil {
			return event.Entry{}, err
		}
		return stored.entry()
	}
}

// plateList scans the list of lists of the dialects' platesOf: the ID of each plate,
// its photo and the microseconds of its instant.
type plateList []event.Plate

func (l *plateList) Scan(src any) error { return scanText(src, l.ScanBytes) }

// ScanBytes scans the text directly.
func (l *plateList) ScanBytes(text []byte) error {
	*l = nil
	if len(text) <= len("[]") {
		return nil
	}
	var rows []plateJSON
	if err := json.Unmarshal(text, &rows); err != nil {
		return fmt.Errorf("decode plates: %w", err)
	}
	for _, row := range rows {
		*l = append(*l, event.Plate(row))
	}
	return nil
}

type plateJSON event.Plate

func (p *plateJSON) UnmarshalJSON(text []byte) error {
	var created int64
	if err := json.Unmarshal(text, &[]any{&p.ID, &p.Photo, &created}); err != nil {
		return err
	}
	p.Created = time.UnixMicro(created).UTC()
	return nil
}
