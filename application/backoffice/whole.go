package backoffice

import (
	"context"
	"strconv"
	"strings"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// Section is the newest of a list.
type Section struct {
	List    string
	Lines   []Line
	HasMore bool
}

// sectionSize is how many lines of a list a Section has.
const sectionSize = 5

// Sections returns the newest of the person's lists with the names. No line has the name of its user, who is the person, but acts
// have those of who did them.
func (b *BackOffice) Sections(ctx context.Context, actor access.Actor, of user.ID, names ...string) (all []Section, err error) {
	for _, name := range names {
		p, err := lists[name](b, ctx, ListQuery{User: of, Actor: actor}, page.Behind(page.Cursor{}, sectionSize).Paged())
		if err != nil {
			return nil, err
		}
		all = append(all, Section{name, p.Items, p.Next != (page.Cursor{})})
	}
	return all, nil
}

// Event is an event as staff see it, whoever else may see it.
type Event struct {
	event.State
	AuthorName string // empty: they were erased
	Plates     []Line
	Comments   page.Page[Line] // with hidden ones, the newest first
}

// Event returns the event with a page of its comments, or event.ErrNotFound.
func (b *BackOffice) Event(ctx context.Context, id event.ID, r page.Request) (e Event, err error) {
	entry, err := b.ports.Written.Get(ctx, id)
	if err != nil {
		return e, err
	}
	e.State = entry.State()
	for _, p := range e.State.Plates {
		e.Plates = append(e.Plates, Line{
			Kind: audit.Plate, ID: int64(p.ID), State: hiddenIf(p.Hidden), At: p.Created, Picture: b.picture(p.Photo),
		})
	}
	names, err := b.Names(ctx, e.Author)
	if e.AuthorName = names[e.Author]; err != nil {
		return e, err
	}
	e.Comments, err = b.List(ctx, "comments", ListQuery{On: id}, r)
	return e, err
}

// Comment returns the comment, or event.ErrNoComment.
func (b *BackOffice) Comment(ctx context.Context, id event.CommentID) (event.Comment, error) {
	return b.ports.Discussion.Comment(ctx, id)
}

// FindMoney returns what the text finds: an order by its number, a payment by its number at the wallet if the actor may see it, and
// people by a telephone, a uid or a name.
func (b *BackOffice) FindMoney(ctx context.Context, actor access.Actor, text string) (found []Line, err error) {
	if id, notNumber := strconv.ParseInt(strings.TrimPrefix(text, "#"), 10, 64); notNumber == nil {
		o, err := b.ports.Ledger.Order(ctx, payment.OrderID(id))
		if err == nil {
			found = append(found, lineOfOrder(o))
		} else if !fault.Is(err, fault.NotFound) {
			return nil, err
		}
	}
	if actor.May(access.Money) {
		paid, err := b.payments(ctx, ListQuery{Transaction: text}, page.Request{})
		if found = append(found, paid.Items...); err != nil {
			return nil, err
		}
	}
	people, err := b.Find(ctx, PeopleQuery{Typed: text})
	for _, p := range people.Items {
		found = append(found, Line{Kind: audit.Account, ID: int64(p.ID), User: p.ID, Name: p.Username, Text: p.Phone.String(), At: p.Joined})
	}
	if err != nil && (!fault.Is(err, fault.Invalid) || len(found) == 0) { // else the text is no number, uid or name
		return nil, err
	}
	return b.named(ctx, found)
}
