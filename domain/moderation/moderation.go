// Package moderation is about what people report to staff, and what staff hide (MOD-01, MOD-03).
//
// A person reports a thing once. The reports of a thing are one case until staff decide it, which hiding the thing does (MOD-05). A
// hidden thing is its owner's alone until staff restore it; package event has the rule for events.
package moderation

import (
	"context"
	"slices"
	"time"

	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/text"
	"plaza/domain/user"
)

// Kind is the kind of a thing.
type Kind string

// The kinds of MOD-01 and MOD-06. Staff can't hide a person, but disable their account, or hide their profile.
const (
	Event       Kind = "event"
	Comment     Kind = "comment"
	Image       Kind = "image"
	Person      Kind = "user"
	Plate       Kind = "plate"
	Profile     Kind = "profile" // names, avatar, bio, location and expertise; its ID is the uid
	Publication Kind = "publication"
	Node        Kind = "node"
	Demand      Kind = "demand"
)

// Kinds returns every kind.
func Kinds() []Kind {
	return []Kind{Event, Comment, Image, Person, Plate, Profile, Publication, Node, Demand}
}

// Hideable returns the kinds of things that staff can hide.
func Hideable() []Kind { return slices.DeleteFunc(Kinds(), func(k Kind) bool { return k == Person }) }

// Thing is what people report and staff hide.
type Thing struct {
	Kind Kind
	ID   int64
}

// Audience returns who gets the addresses of the thing's pictures: only its owner and staff those of a hidden one.
func (t Thing) Audience(isHidden bool) media.Audience {
	if !isHidden && slices.Contains([]Kind{Image, Person, Profile, Publication, Node, Demand}, t.Kind) {
		return media.Everyone
	}
	return media.Viewers
}

// HasSizes reports whether the pictures of the thing are in the sizes of media.PictureSizes. Others are small.
func (t Thing) HasSizes() bool { return t.Kind == Event || t.Kind == Image || t.Kind == Plate }

// Reason is why a person reports a thing.
type Reason string

// The reasons of MOD-01.
const (
	Spam    Reason = "spam"
	Abuse   Reason = "abuse"
	Illegal Reason = "illegal"
	Other   Reason = "other"
)

// Reasons returns every reason.
func Reasons() []Reason { return []Reason{Spam, Abuse, Illegal, Other} }

// TextLimit bounds what a person adds to a report.
var TextLimit = text.Limit{Chars: 2000}

// ReportID numbers reports.
type ReportID int64

// Report is what a person reports to staff.
type Report struct {
	ID ReportID // zero until stored
	By user.ID
	Thing
	Owner   user.ID // whose thing it is
	Case    CaseID  // zero until stored
	Reason  Reason
	Text    string
	Created time.Time
	Decided time.Time // zero: staff have not decided the case
	Outcome Outcome   // empty: as before
	Copies  Copies    // of the thing's pictures; none in what a store returns
}

// State is what became of a report, for its author (MOD-07).
type State string

const (
	Open      State = "open"
	TakenDown State = "taken_down"
	Kept      State = "dismissed"
)

// State returns what became of the report.
func (r Report) State() State {
	switch r.Outcome {
	case "":
		return Open
	case OutcomeDismissed:
		return Kept
	}
	return TakenDown
}

// AtCursor returns the place of the report in its list, whose later pages have lesser cursors.
func (r Report) AtCursor() page.Cursor { return page.Cursor{ID: int64(r.ID)} }

// NewReport returns a report by the person. Another reason than one of Reasons, or too long a text, is a fault on its field.
func NewReport(by user.ID, of Thing, why Reason, more string, now time.Time) (Report, error) {
	var wrong fault.Fields
	if !slices.Contains(Reasons(), why) {
		wrong.Add("reason", text.NoChoice(why, Reasons()...))
	}
	wrong.Add("text", TextLimit.Problem(more))
	return Report{By: by, Thing: of, Reason: why, Text: more, Created: instant.Normalise(now)}, wrong.Err()
}

// Hiding is that staff have hidden a thing.
type Hiding struct {
	Thing
	Owner  user.ID
	Reason string
	At     time.Time
}

// AtCursor returns the place of the thing in the list of its owner: what was hidden last first, ties by kind and id (GEN-18).
func (h Hiding) AtCursor() page.Cursor {
	return page.Cursor{Rank: h.At.UnixMicro(), Word: string(h.Kind), ID: -h.ID}
}

// Faults of reports and hidden things.
var (
	ErrDecided   = fault.New(fault.Conflict, "The report is decided already.")
	ErrNoReport  = fault.New(fault.NotFound, "Report not found.")
	ErrOwn       = fault.New(fault.Conflict, "You own it, or have reported it.")
	ErrNoPicture = fault.New(fault.NotFound, "No plate, image or avatar has this address.")
	ErrHidden    = fault.New(fault.Conflict, "It is hidden already.")
	ErrNotHidden = fault.New(fault.Conflict, "It is not hidden.")
	// ErrNoHiding is the fault of a hidden thing without its Hiding, which a check repairs.
	ErrNoHiding = fault.New(fault.Conflict, "Why it is hidden is not stored. An operator must run plaza check --repair first.")
)

// Turned returns whether a thing is hidden after staff have hidden or restored it. It returns ErrHidden or ErrNotHidden if
// nothing changes.
func Turned(wasHidden, isHidden bool) (bool, error) {
	switch {
	case wasHidden != isHidden:
		return isHidden, nil
	case isHidden:
		return wasHidden, ErrHidden
	}
	return wasHidden, ErrNotHidden
}

// Store stores reports, and hides things. Every implementation passes test/ports.Moderation.
type Store interface {
	// Report stores the report in the open case of the thing, and returns it with its number, and true. Without an open case it opens
	// one. It keeps the thing as it is, unless the case has kept the same, with the copies. It returns ErrUncopied if the thing has a
	// picture of which neither the report nor the case has a copy. Copies that the case does not need it queues for deletion. If the
	// person has reported the thing before, it returns that report and false, and is charged, too. Charges are as in
	// event.Repository.
	Report(ctx context.Context, r Report, charges ...ratelimit.Charge) (Report, bool, error)
	// Copied returns the copies of pictures that the open case of the thing keeps, or the refusal of a charge that its limit does
	// not admit by now. It takes nothing.
	Copied(ctx context.Context, t Thing, charges ...ratelimit.Charge) (Copies, error)
	// HasReported reports whether the person has reported the thing.
	HasReported(ctx context.Context, by user.ID, t Thing) (bool, error)
	// ReportsBy returns a page of the person's reports in the span, in its order.
	ReportsBy(ctx context.Context, by user.ID, s page.Span, r page.Request) (page.Page[Report], error)
	// Subjects returns the things as they are, also hidden ones and those that only some may see. Those that were deleted are missing.
	Subjects(ctx context.Context, things []Thing) (map[Thing]Subject, error)
	// Cases returns the open or the decided cases that the query admits, in the order of its span, with the things as they were, and the
	// newest MostNotes reports with a text.
	Cases(ctx context.Context, q Query) (page.CursorPage[Case], error)
	// Case returns the case without what it keeps, or ErrNoReport.
	Case(ctx context.Context, id CaseID) (Case, error)
	// Decide marks the case as dismissed then, by whom and for the reason that the audit record of the context has. It returns
	// ErrNoReport if the case does not exist, and ErrDecided if it is decided. What a decided case keeps is kept for KeptFor, but if
	// the owner is erased, the case is removed.
	Decide(ctx context.Context, id CaseID, then time.Time) (Case, error)
	// Pictures returns the keys of the pictures that hiding or restoring the thing moves, and whether it is hidden: those of an
	// event are its plates. It returns event.ErrNotFound, event.ErrNoComment, event.ErrNoPlate, userimage.ErrNotFound,
	// user.ErrNotFound or feed.ErrNoItem if the thing does not exist, and event.ErrNotFound if things of its kind can't be hidden.
	Pictures(ctx context.Context, t Thing) (keys []media.Key, isHidden bool, err error)
	// OfPicture returns the plate, the image or the profile that has the picture, or ErrNoPicture. That of an avatar is its largest.
	OfPicture(ctx context.Context, key media.Key) (Thing, error)
	// Hide hides the thing with its listing, counts and notification, and decides the open case of it as Decide does: of its calls at
	// once exactly one hides it. It returns ErrHidden if it is hidden, and the errors of Pictures if it does not exist.
	//
	// A hidden plate is on its event, and shown to no one. An event without anything else stays published. A hidden profile is that
	// of user.Hidden wherever the user is read, but in an export of their data. Imports leave it as it is.
	//
	// The files of the thing's pictures are at the keys of the moves by then, which it names from now on. It returns
	// media.ErrMoving, and changes nothing, if a picture of the thing is not moved, or its reservation does not stand any more. It
	// queues the former keys for deletion, due when the reservations end, and the bytes of the pictures still count.
	Hide(ctx context.Context, h Hiding, to media.Moves) error
	// Restore undoes Hide. Its notification comes back, unless it was removed meanwhile.
	// It returns ErrNotHidden if the thing is not hidden, ErrNoHiding if it is and no Hiding of it is stored, and the errors of
	// Hide if it does not exist.
	Restore(ctx context.Context, t Thing, to media.Moves) error
	// Of returns a page of what is hidden of the owner's things in the span, in its order, ties by kind, then by number.
	Of(ctx context.Context, owner user.ID, s page.Span, r page.Request) (page.Page[Hiding], error)
}
