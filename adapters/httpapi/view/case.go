package view

import (
	"plaza/adapters/httpapi/transport"
	"plaza/domain/markup"
	"plaza/domain/moderation"
)

// Case is all reports of a thing until staff decide, without the thing and the people (MOD-05).
type Case struct {
	ID        moderation.CaseID         `json:"id"`
	Kind      moderation.Kind           `json:"kind"`
	Object    int64                     `json:"object"`
	OwnerID   int64                     `json:"owner_id"`
	Reasons   map[moderation.Reason]int `json:"reasons"`
	First     transport.Timestamp       `json:"first_reported_at"`
	Last      transport.Timestamp       `json:"last_reported_at"`
	Changed   bool                      `json:"changed"`
	IsHidden  bool                      `json:"is_hidden"`
	DecidedAt *transport.Timestamp      `json:"decided_at"`
	Decision  *moderation.Outcome       `json:"decision"`
	DecidedBy any                       `json:"decided_by"` // a uid, or the name of a person at the command line; null: open
	Reason    *string                   `json:"decision_reason"`
}

// OfCase returns the case, whose thing is as it is now, or nil if it was deleted.
func OfCase(c moderation.Case, now *moderation.Subject) Case {
	shown := Case{
		ID: c.ID, Kind: c.Kind, Object: c.Thing.ID, OwnerID: int64(c.Owner), Reasons: c.People, First: transport.Timestamp(c.First),
		Last: transport.Timestamp(c.Last), Changed: c.Changed(now), IsHidden: now != nil && now.IsHidden,
	}
	if c.IsDecided() {
		shown.DecidedAt, shown.Decision, shown.DecidedBy = OrNever(c.At), &c.Outcome, c.By.Name()
		shown.Reason = &c.Decision.Reason
	}
	return shown
}

// Snapshot is a thing as it was. What its kind does not have is empty.
type Snapshot struct {
	Title     string      `json:"title"`
	Content   string      `json:"content"`
	HTML      markup.HTML `json:"html_content"`
	Firstname string      `json:"firstname"`
	Lastname  string      `json:"lastname"`
	Expertise string      `json:"expertise"`
	Location  string      `json:"location"`
	Tags      []string    `json:"tags"`
	Event     *int64      `json:"event"`
	Pictures  []*string   `json:"pictures"` // null: the file is lost
}

// OfSnapshot returns the thing as it was.
func OfSnapshot(s moderation.Snapshot) Snapshot {
	shown := Snapshot{
		s.Title, s.Content, s.HTML, s.Firstname, s.Lastname, s.Expertise, s.Location, append([]string{}, s.Tags...),
		transport.Optional(s.Event, s.Event != 0), []*string{},
	}
	for _, p := range s.Pictures {
		shown.Pictures = append(shown.Pictures, OrNull(p.URL))
	}
	return shown
}

// Subject is a thing as it is. What its kind does not have is null.
type Subject struct {
	Snapshot
	Day        *string              `json:"day"`
	Permission *int                 `json:"view_permission"`
	IsDraft    *bool                `json:"is_draft"`
	EventTitle *string              `json:"event_title"`
	EditedAt   *transport.Timestamp `json:"edited_at"`
	ReplyTo    *int64               `json:"reply_to"`
	IsHidden   bool                 `json:"is_hidden"`
}

// OfSubject returns the thing of the kind as it is.
func OfSubject(k moderation.Kind, s moderation.Subject) Subject {
	isEvent := k == moderation.Event
	return Subject{
		OfSnapshot(s.Snapshot), transport.Optional(s.Day.String(), isEvent), transport.Optional(s.Permission, isEvent),
		transport.Optional(s.IsDraft, isEvent), transport.Optional(s.EventTitle, s.Event != 0), OrNever(s.Edited), OrNull(s.ReplyTo), s.IsHidden,
	}
}
