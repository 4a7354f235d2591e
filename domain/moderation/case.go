package moderation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"time"

	"plaza/domain/audit"
	"plaza/domain/calendar"
	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/user"
)

// CaseID numbers cases.
type CaseID int64

// Case is all reports of a thing until staff decide, once for all of them (MOD-05).
type Case struct {
	ID CaseID
	Thing
	Owner    user.ID        // whose thing it is
	People   map[Reason]int // how many report it for each reason
	First    time.Time      // when it was first reported
	Last     time.Time      // when it was last reported
	Versions []Version      // the thing when it was first reported, and the latest others, in the order of time
	Notes    []Report       // the newest with a text, the newest first
	Decision                // zero: staff have not decided
}

// Limits of what a list of cases shows, and of how long what a decided case keeps is kept.
const (
	MostVersions = 5
	MostNotes    = 10
	KeptFor      = 30 * 24 * time.Hour
)

// Decision is what staff decide about a case.
type Decision struct {
	Outcome Outcome // empty: they have not decided
	At      time.Time
	By      audit.Actor
	Reason  string
}

// DecisionBy returns the decision with who decides, and why, as the audit record of the context has them. Without then, the time is
// that of the record.
func DecisionBy(ctx context.Context, o Outcome, then time.Time) Decision {
	r := audit.Carried(ctx)
	return Decision{o, instant.Normalise(cmp.Or(then, r.At)), r.By, r.Reason}
}

// Outcome is what a decision does.
type Outcome string

// The outcomes of MOD-05.
const (
	OutcomeHidden    Outcome = "hidden"
	OutcomeDismissed Outcome = "dismissed"
	OutcomeDisabled  Outcome = "account_disabled"
)

// IsDecided reports whether staff have decided the case.
func (c Case) IsDecided() bool { return c.Outcome != "" }

// AtCursor returns the place of the case in a list whose latest case is the first: open cases by the first report, decided ones by
// the decision.
func (c Case) AtCursor() page.Cursor {
	if c.IsDecided() {
		return page.At(c.At, c.ID)
	}
	return page.At(c.First, c.ID)
}

// Query selects cases.
type Query struct {
	IsDecided bool
	Kind      Kind      // empty: all
	Reason    Reason    // that a report has; empty: all
	Before    time.Time // that were first reported before; zero: all
	Owner     user.ID   // whose things they are about; zero: all
	page.Span           // of the first reports of open cases, and of the decisions of others
	page.CursorRequest
}

// Picture is a picture of a thing. In JSON it is its name.
type Picture struct {
	Name string    // tells the picture from others of the thing, wherever its files are
	Key  media.Key // empty: it is lost
	URL  string    // empty as a store returns it
}

func (p Picture) MarshalText() ([]byte, error) { return []byte(p.Name), nil }

func (p *Picture) UnmarshalText(name []byte) error {
	p.Name = string(name)
	return nil
}

// Copies are the keys of copies of pictures by the names of the pictures. An empty key is that of a picture without a file.
type Copies map[string]media.Key

// ErrUncopied is the fault of a thing with new pictures while it is reported.
var ErrUncopied = fault.RetryAfter(fault.Unavailable, time.Second, "It is being changed. Try again.")

// Snapshot is what staff judge of a thing, as it is at one time. What a kind does not have is zero. The names in JSON must not change,
// because stored versions use them.
type Snapshot struct {
	Title     string      `json:"title,omitempty"`   // of an event, a publication, a node or a demand
	Content   string      `json:"content,omitempty"` // plain text, also a summary, a description, or what a person says of themselves
	HTML      markup.HTML `json:"html,omitempty"`
	Firstname string      `json:"firstname,omitempty"` // of a person, as the next three
	Lastname  string      `json:"lastname,omitempty"`
	Expertise string      `json:"expertise,omitempty"`
	Location  string      `json:"location,omitempty"`
	Tags      []string    `json:"tags,omitempty"`
	Event     int64       `json:"event,omitempty"` // that a comment or plate is on
	Pictures  []Picture   `json:"pictures,omitempty"`
}

// Digest returns what is equal for equal texts and pictures.
func (s Snapshot) Digest() [sha256.Size]byte {
	text, _ := json.Marshal(s) // JSON can represent every snapshot
	return sha256.Sum256(text)
}

// Version is a thing as it was when it was reported.
type Version struct {
	Since time.Time
	Snapshot
}

// Subject is a thing as it is, with what staff need to judge it.
type Subject struct {
	Snapshot
	Owner      user.ID
	Day        calendar.Date // of an event
	Permission int           // of an event
	IsDraft    bool          // of an event
	EventTitle string        // of the event that a comment or plate is on
	Edited     time.Time     // of a comment: when it was last edited; zero: never
	ReplyTo    int64         // of a comment: the one on the same event that it replies to, which may be gone; zero: none
	Before     []Remark      // the comments before a comment, the latest first
	IsHidden   bool
}

// Remark is a comment that another one follows.
type Remark struct {
	By      user.ID
	Content string
	At      time.Time
}

// RemarksBefore is how many comments before a comment staff see.
const RemarksBefore = 3

// Changed reports whether the thing differs now from when it was first reported. One that was deleted differs.
func (c Case) Changed(now *Subject) bool {
	return len(c.Versions) > 0 && (now == nil || now.Digest() != c.Versions[0].Digest())
}

// CheckJudge returns ErrOwn if the actor is staff whose thing it is, or who has reported it (MOD-06).
func CheckJudge(by audit.Actor, owner user.ID, hasReported bool) error {
	if by.Staff != 0 && (by.Staff == owner || hasReported) {
		return ErrOwn
	}
	return nil
}

// Uncopied returns those of the pictures that are not among the copies.
func (s Snapshot) Uncopied(copies Copies) []Picture {
	return slices.DeleteFunc(slices.Clone(s.Pictures), func(p Picture) bool { return copies[p.Name] != "" })
}

// AddPicture adds the picture of a plate or an image, if there is one.
func (s *Snapshot) AddPicture(of Thing, key media.Key) {
	if key != "" {
		s.Pictures = append(s.Pictures, Picture{Name: fmt.Sprint(of.Kind, " ", of.ID), Key: key})
	}
}

// AddCover adds an avatar or a cover that is stored. A name of its own tells it from a later one.
func (s *Snapshot) AddCover(p media.Picture) {
	if p.Key != "" {
		s.Pictures = append(s.Pictures, Picture{Name: path.Base(string(p.Key)), Key: p.Key})
	}
}
