package staff

import (
	"context"
	"encoding/json"
	"fmt"

	"plaza/adapters/bunstore/diary"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/event"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/user"
)

// subjectRow is a thing as staff see it. What a kind does not have is no column of its statement.
type subjectRow struct {
	ID         int64
	OwnerID    user.ID
	Title      string
	Content    string
	HTML       markup.HTML `bun:"html,nullzero"`
	Firstname  string
	Lastname   string
	Expertise  string
	Location   string
	Tags       []string `bun:",array"`
	EventID    int64
	EventTitle string
	Edited     engine.Time
	ReplyTo    int64 `bun:",nullzero"`
	Day        engine.Date
	Permission int
	Status     event.Status
	Plates     diary.PlateList
	Picture    media.Key
	Cover      engine.Cover
}

func (r subjectRow) subject(t moderation.Thing) moderation.Subject {
	s := moderation.Subject{
		Snapshot: moderation.Snapshot{
			Title: r.Title, Content: r.Content, HTML: r.HTML, Firstname: r.Firstname, Lastname: r.Lastname, Expertise: r.Expertise,
			Location: r.Location, Tags: r.Tags, Event: r.EventID,
		},
		Owner: r.OwnerID, Day: r.Day.Date, Permission: r.Permission, IsDraft: t.Kind == moderation.Event && r.Status == event.Draft,
		EventTitle: r.EventTitle, Edited: r.Edited.Time, ReplyTo: r.ReplyTo,
	}
	for _, p := range r.Plates {
		s.AddPicture(moderation.Thing{Kind: moderation.Plate, ID: int64(p.ID)}, p.Photo)
	}
	s.AddPicture(t, r.Picture)
	s.AddCover(media.Picture(r.Cover))
	return s
}

// reportedPeople finds the people of $1.
var reportedPeople = engine.Both(`
	SELECT u.id, u.id AS owner_id, COALESCE(h.firstname, u.firstname) AS firstname, COALESCE(h.lastname, u.lastname) AS lastname,
		COALESCE(h.bio, u.bio) AS content, COALESCE(h.location, u.location) AS location,
		COALESCE(h.expertise, u.expertise) AS expertise, COALESCE(h.avatar, u.avatar) AS cover
	FROM users u LEFT JOIN hidden_profiles h ON h.user_id = u.id WHERE u.id = ANY($1) AND u.phone NOT LIKE 'erased-%'`)

// reportedOfKind find the things of $1 of a kind.
var reportedOfKind = map[moderation.Kind]engine.Text{
	moderation.Event: engine.Both(`
		SELECT id, author_id AS owner_id, title, content, html, day, permission, status, plates FROM event_entries WHERE id = ANY($1)`),
	moderation.Comment: engine.Both(`
		SELECT c.id, c.author_id AS owner_id, c.content, c.event_id, e.title AS event_title, c.edited, c.reply_to
		FROM comments c JOIN events e ON e.id = c.event_id WHERE c.id = ANY($1)`),
	moderation.Image: engine.Both(`
		SELECT id, owner_id, tags, key AS picture FROM images WHERE id = ANY($1) AND deleted IS NULL`),
	moderation.Person:  reportedPeople,
	moderation.Profile: reportedPeople,
	moderation.Plate: engine.Both(`
		SELECT p.id, e.author_id AS owner_id, p.event_id, e.title AS event_title, p.photo AS picture
		FROM plates p JOIN events e ON e.id = p.event_id WHERE p.id = ANY($1)`),
	moderation.Publication: engine.Both(`
		SELECT p.id, p.author_id AS owner_id, p.title, p.summary AS content, p.cover, t.html
		FROM publications p LEFT JOIN publication_texts t ON t.id = p.id WHERE p.id = ANY($1) AND NOT p.deleted`),
	moderation.Node: engine.Both(`
		SELECT n.id, n.author_id AS owner_id, n.title, n.summary AS content, n.cover, t.html
		FROM nodes n LEFT JOIN node_texts t ON t.id = n.id WHERE n.id = ANY($1) AND NOT n.deleted`),
	moderation.Demand: engine.Both(`
		SELECT id, author_id AS owner_id, title, description AS content, tags, cover
		FROM demands WHERE id = ANY($1) AND NOT deleted`),
}

// hiddenAmong finds those of the things $1 of the kind $2 that are hidden.
var hiddenAmong = engine.Both("SELECT object_id AS id FROM hidden_things WHERE object_id = ANY($1) AND kind = $2")

// remarksBefore finds the $2 comments before the comment $1 on the same event, the latest first.
const remarksBefore = `
	SELECT c.id AS of, b.author_id AS by, b.content, b.created
	FROM comments c JOIN comments b ON b.event_id = c.event_id AND (b.created, b.id) < (c.created, c.id)
	WHERE c.id = $1 ORDER BY b.created DESC, b.id DESC LIMIT CAST($2 AS bigint)`

type remarkRow struct {
	Of      int64
	By      user.ID
	Content string
	Created engine.Time
}

func (v Moderation) Subjects(ctx context.Context, things []moderation.Thing) (map[moderation.Thing]moderation.Subject, error) {
	found := map[moderation.Thing]moderation.Subject{}
	ids := map[moderation.Kind][]int64{}
	for _, t := range things {
		if _, is := reportedOfKind[t.Kind]; is {
			ids[t.Kind] = append(ids[t.Kind], t.ID)
		}
	}
	var reads, more []engine.Step
	for kind, of := range ids {
		reads = append(reads, engine.Each(v.DB, func(row *subjectRow) error {
			t := moderation.Thing{Kind: kind, ID: row.ID}
			found[t] = row.subject(t)
			return nil
		}, v.DB.Pick(reportedOfKind[kind]), of))
		more = append(more, engine.Each(v.DB, func(row *subjectRow) error {
			change(found, moderation.Thing{Kind: kind, ID: row.ID}, func(s *moderation.Subject) { s.IsHidden = true })
			return nil
		}, v.DB.Pick(hiddenAmong), of, kind))
	}
	for _, id := range ids[moderation.Comment] {
		more = append(more, engine.Each(v.DB, func(row *remarkRow) error {
			change(found, moderation.Thing{Kind: moderation.Comment, ID: row.Of}, func(s *moderation.Subject) {
				s.Before = append(s.Before, moderation.Remark{By: row.By, Content: row.Content, At: row.Created.Time})
			})
			return nil
		}, remarksBefore, id, moderation.RemarksBefore))
	}
	err := v.DB.ReadRows(ctx, func() { clear(found) }, append(reads, more...)...)
	return found, err
}

// change changes the thing, if it was found.
func change(found map[moderation.Thing]moderation.Subject, t moderation.Thing, fn func(*moderation.Subject)) {
	if s, is := found[t]; is {
		fn(&s)
		found[t] = s
	}
}

// snapshotOf decodes what a case keeps of its thing, with the copies of the pictures.
func snapshotOf(content string, copies moderation.Copies) (s moderation.Snapshot, err error) {
	if err := json.Unmarshal([]byte(content), &s); err != nil {
		return s, fmt.Errorf("decode what was reported: %w", err)
	}
	for i, p := range s.Pictures {
		s.Pictures[i].Key = copies[p.Name]
	}
	return s, nil
}
