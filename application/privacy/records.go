package privacy

import (
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/block"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/instant"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/payment"
	"plaza/domain/personaldata"
	"plaza/domain/publication"
	"plaza/domain/subscription"
	"plaza/domain/userimage"
	"plaza/domain/verification"
	"slices"
)

// Record is a record of a person as an export writes it: its fields in their order.
type Record []Field

// Field is a field of a Record.
type Field struct {
	Name  string
	About string // what the field is, for the person
	Value any    // nil: an export leaves the field out
}

// Plate is a picture of an event, in the value of a Field.
type Plate struct {
	ID      event.PlateID     `json:"id"`
	Picture media.Key         `json:"picture"`
	Created instant.Timestamp `json:"created_at"`
}

// Pictures returns the keys of the pictures that belong to the record and have a file: its values that are keys, and
// those of its plates.
func (r Record) Pictures() (all []media.Key) {
	for _, f := range r {
		switch value := f.Value.(type) {
		case media.Key:
			all = append(all, value)
		case []Plate:
			for _, p := range value {
				all = append(all, p.Picture)
			}
		}
	}
	return all
}

// formats has what makes the record of each kind.
var formats = map[personaldata.Kind]func(stored personaldata.Record) Record{
	personaldata.Account: format(func(p personaldata.Person) Record {
		a, m := p.Account, p.Member
		return Record{
			{"uid", "number of the account", a.User},
			{"phone", "phone number to log in with", a.Phone.String()},
			{"firstname", "given name", optional(m.Firstname)},
			{"lastname", "family name", optional(m.Lastname)},
			{"expertise", "main expertise", optional(m.Expertise)},
			{"location", "current region", optional(m.Location)},
			{"bio", "what you say of yourself", optional(p.Bio)},
			{"timezone", "time zone", m.Timezone},
			{"avatar", "picture", optional(m.Avatar.Key)},
			{"scopes", "what tokens of the account may do", listOf(a.Scopes)},
			{"roles", "what the account does in the back office", listOf(a.Roles)},
			{"disabled", "whether logins are refused", a.Disabled},
			{"joined_at", "when the account was opened", m.Joined},
			{"seen_at", "when you were last online", optional(m.Seen)},
			{"source", "id at the source that the account was imported from", optional(p.Source)},
		}
	}),
	// The key of a token is left out.
	personaldata.Sessions: format(func(t access.Token) Record {
		return Record{
			{"id", "number of the token", t.ID},
			{"scopes", "what the token may do", listOf(t.Scopes)},
			{"created_at", "when it was issued", t.Created},
			{"used_at", "when it was last used", t.Used},
			{"expires_at", "when it ends unless it is used", t.Expires()},
		}
	}),
	personaldata.Events: format(func(s event.State) Record {
		return Record{
			{"id", "number of the event", s.ID},
			{"event_time", "day on which it happened", s.Date.String()},
			{"title", "title", s.Title},
			{"content", "plain text", s.Content},
			{"html_content", "text as HTML", string(s.HTML)},
			{"category", "number of its category", optional(s.Category)},
			{"view_permission", "who may see it: 0 everyone, 100 contacts, 200 only you", int(s.Permission)},
			{"status", "0 a draft, 100 published", int(s.Status)},
			{"province", "place found in the text", optional(s.Place.Province)},
			{"city", "place found in the text", optional(s.Place.City)},
			{"district", "place found in the text", optional(s.Place.District)},
			{"plates", "pictures: id, picture and created_at of each", platesOf(s.Plates)},
			{"create_time", "when it was written", s.Created},
			{"last_modified", "when it was last changed", s.Modified},
			{"published_at", "when you first published it", optional(s.Published)},
		}
	}),
	personaldata.Comments: format(func(c event.Comment) Record {
		return Record{
			{"id", "number of the comment", c.ID},
			{"event", "number of the event that it is on", c.Event},
			{"content", "plain text", c.Content},
			{"create_time", "when it was written", c.Created},
			{"edited_at", "when you last edited it", optional(c.Edited)},
			{"reply_to", "number of the comment that it replies to", optional(c.ReplyTo.ID)},
		}
	}),
	personaldata.Likes: format(func(on event.ID) Record { return Record{{"event", "number of the event", on}} }),
	personaldata.Follows: format(func(s subscription.Subscription) Record {
		return Record{
			{"id", "number of the subscription", s.ID},
			{"followed_user", "uid of the person", optional(s.Followed)},
			{"followed_category", "number of the category", optional(s.Category)},
			{"created_at", "since when", s.Created},
		}
	}),
	personaldata.Blocks: format(func(b block.Block) Record {
		return Record{{"blocked_user", "uid of the person", b.Whom}, {"created_at", "since when", b.Created}}
	}),
	personaldata.Reports: format(func(r moderation.Report) Record {
		return Record{
			{"id", "number of the report", r.ID},
			{"kind", "what it is about: event, comment, image, user, plate, profile, publication, node or demand", string(r.Kind)},
			{"object", "its number", r.Thing.ID},
			{"reason", "spam, abuse, illegal or other", string(r.Reason)},
			{"text", "what you added", r.Text},
			{"created_at", "when you reported it", r.Created},
			{"decided_at", "when staff decided it", optional(r.Decided)},
		}
	}),
	personaldata.Cases: format(func(c moderation.Case) Record {
		return Record{
			{"kind", "what it is about, as in reports", string(c.Kind)},
			{"object", "its number", c.Thing.ID},
			{"decision", "hidden, dismissed or account_disabled", string(c.Outcome)},
			{"reason", "why staff decided so", c.Decision.Reason},
			{"decided_at", "when", c.At},
		}
	}),
	personaldata.Hidden: format(func(h moderation.Hiding) Record {
		return Record{
			{"kind", "event, comment, image, plate, profile, publication, node or demand", string(h.Kind)},
			{"object", "its number", h.ID},
			{"reason", "why staff have hidden it", h.Reason},
			{"hidden_at", "when", h.At},
		}
	}),
	personaldata.Notifications: format(func(n personaldata.Notification) Record {
		field := func(kinds ...notification.Kind) any {
			if !slices.Contains(kinds, n.Kind) {
				return nil
			}
			return n.Object
		}
		return Record{
			{"id", "number of the notification", n.ID},
			{"kind", "comment, reply, like, follow, hidden, restored, report_decided or order_paid", string(n.Kind)},
			{"user", "uid of the person who did it, or 0 for staff and the wallet", n.By},
			{"subject", "kind of the thing that it is about", string(n.Subject().Kind)},
			{"subject_id", "number of the thing", n.Subject().ID},
			{"note", "what staff said", n.Note},
			{"event", "number of the liked event", field(notification.Like)},
			{"comment", "number of the comment", field(notification.Comment, notification.Reply)},
			{"created_at", "when the person did it", n.Created},
		}
	}),
	// A deleted image has no file.
	personaldata.Images: format(func(i userimage.Image) Record {
		var picture any = i.Key
		if !i.Deleted.IsZero() {
			picture = string(i.Key)
		}
		return Record{
			{"id", "number of the image", i.ID},
			{"picture", "picture; gone if the image is deleted", picture},
			{"width", "pixels", i.Width},
			{"height", "pixels", i.Height},
			{"tags", "tags", listOf(i.Tags.Names())},
			{"create_time", "when it was uploaded", i.Created},
			{"delete_time", "when it was deleted", optional(i.Deleted)},
		}
	}),
	personaldata.Publications: format(func(p personaldata.Publication) Record {
		return append(Record{
			{"id", "number of the publication", p.ID},
			{"bundle", "number of its bundle", optional(p.Bundle.ID)},
			{"node", "number of its node", optional(p.Node)},
			{"type", "0 a single chapter, 100 several", int(p.Type)},
		}, contentFields(p.Content, p.HTML)...)
	}),
	personaldata.Nodes: format(func(n personaldata.Node) Record {
		return append(Record{
			{"id", "number of the node", n.ID},
			{"bundle", "number of its bundle", optional(n.Bundle)},
		}, contentFields(n.Content, n.HTML)...)
	}),
	personaldata.Demands: format(func(d demand.Demand) Record {
		var lat, lng any
		if d.Place != nil {
			lat, lng = d.Place.Lat, d.Place.Lng
		}
		return Record{
			{"id", "number of the request", d.ID},
			{"title", "title", d.Title},
			{"description", "text", d.Description},
			{"tags", "tags", listOf(d.Tags)},
			coverField(d.Cover),
			{"images", "addresses of pictures elsewhere", listOf(d.Images)},
			{"address", "address of the service", optional(d.Address)},
			{"lat", "latitude of the service, degrees", lat},
			{"lng", "longitude of the service, degrees", lng},
			{"category", "number of its category", optional(d.Category)},
			{"closed_at", "until when it can be answered", d.Closed},
			{"start_at", "when the service begins", d.Start},
			{"end_at", "when the service ends", d.End},
			{"published", "whether it is published", d.Published},
			{"deleted", "whether it is deleted", d.Deleted},
			{"created_at", "when it was written", d.Created},
			{"updated_at", "when it was last changed", d.Updated},
		}
	}),
	personaldata.HowTos: format(func(h publication.HowTo) Record {
		return Record{
			{"category", "name of its category", h.Category},
			{"bundles", "numbers of its bundles", listOf(h.Bundles)},
			{"created_at", "when it was made", h.Created},
			{"updated_at", "when it was last changed", h.Updated},
		}
	}),
	personaldata.Orders: format(func(o payment.Order) Record {
		return Record{
			{"id", "number of the order", o.ID},
			{"subject", "what was ordered", o.Subject},
			{"amount", "price in minor units of the currency", o.Amount},
			{"currency", "currency", o.Currency},
			{"state", "open, paid or closed", o.State},
			{"created_at", "when it was made", o.Created},
			{"expires_at", "until when it could be paid", o.Expires},
			{"paid_at", "when it was paid", optional(o.PaidAt)},
			{"transaction_id", "number of the payment at the wallet", optional(o.Transaction)},
		}
	}),
	personaldata.Prepayments: format(func(p personaldata.Prepayment) Record {
		return Record{
			{"order", "number of the order", p.Order},
			{"out_trade_no", "number of the request at the wallet", p.TradeNo},
			{"end_type", "0 a code to scan, 100 an app, 200 the wallet's browser, 300 another browser", p.Intent.EndType},
			{"wallet_app_type", "application at the wallet", p.Intent.App},
			{"open_id", "your id at the wallet", optional(p.Intent.OpenID)},
			{"state", "state at the wallet", p.State},
			{"created_at", "when it was made", p.Created},
		}
	}),
	personaldata.Payments: format(func(p payment.Payment) Record {
		return Record{
			{"id", "number of the payment", p.ID},
			{"order", "number of the order", p.Order},
			{"transaction_id", "number at the wallet", p.TransactionID},
			{"state", "applied: it paid the order; refund_due: it is owed to you; disputed: it is being looked into", p.State},
			{"amount", "in minor units of the currency", p.Amount},
			{"currency", "currency", p.Currency},
			{"received_at", "when the wallet reported it", p.Received},
		}
	}),
	personaldata.Refunds: format(func(r payment.Refund) Record {
		return Record{
			{"id", "number of the refund", r.ID},
			{"payment", "number of the payment", r.Payment},
			{"amount", "in minor units of the currency", r.Amount},
			{"currency", "currency", r.Currency},
			{"reason", "why it was made", r.Reason},
			{"state", "processing, succeeded, closed: nothing was returned; abnormal: it is being looked into", r.State},
			{"wallet_refund_id", "number at the wallet", optional(r.WalletID)},
			{"created_at", "when it was made", r.Created},
			{"updated_at", "when its state changed last", r.Updated},
		}
	}),
	personaldata.IdempotencyKeys: format(func(k personaldata.IdempotencyKey) Record {
		return Record{
			{"key", "as your program has sent it", k.Name},
			{"since", "when it was sent or answered", k.Since},
			{"made", "what the request made or paid", optional(k.Made)},
			{"id", "the number of that", optional(k.ID)},
		}
	}),
	personaldata.RateLimits: format(func(l personaldata.RateLimit) Record {
		return Record{
			{"action", "what is limited", l.Action},
			{"until", "when nothing counts any more", l.Until},
		}
	}),
	personaldata.FailedLogins: format(func(l personaldata.FailedLogin) Record {
		return Record{
			{"network", "address or network that it came from", l.Network},
			{"at", "when", l.At},
		}
	}),
	personaldata.LoginNetworks: format(func(n personaldata.LoginNetwork) Record {
		return Record{
			{"network", "address or network", n.Network},
			{"last_login_at", "when the last login was", n.LastLogin},
		}
	}),
	personaldata.Codes: format(func(c verification.State) Record {
		return Record{
			{"purpose", "what it is good for", c.Purpose},
			{"made_at", "when it was made", c.Made},
			{"expires_at", "until when it is good", c.Expires},
			{"tries", "how often it was tried", c.Tries},
			{"status", "live, spent, or replaced by a newer one", c.Status},
		}
	}),
	personaldata.CodeUses: format(func(u personaldata.CodeUse) Record {
		return Record{
			{"use", "requested or tried", u.Use},
			{"network", "address or network that it came from", u.Network},
			{"at", "when", u.At},
		}
	}),
	// Who did it is data of another person.
	personaldata.StaffActs: format(func(r audit.Record) Record {
		return Record{
			{"id", "number of the act", r.ID},
			{"at", "when", r.At},
			{"act", "what was done", r.Act},
			{"object", "what it was done to", r.Object.Kind},
			{"object_id", "the number of that", optional(r.Object.ID)},
		}
	}),
}

func format[V any](recordOf func(V) Record) func(personaldata.Record) Record {
	return func(stored personaldata.Record) Record {
		if stored == nil {
			return recordOf(*new(V))
		}
		return recordOf(stored.(V))
	}
}

// RecordOf returns the record of the kind. Of nil it has the fields with the values of an empty record.
func RecordOf(k personaldata.Kind, stored personaldata.Record) Record { return formats[k](stored) }

// optional returns the value, or nil for the zero value.
func optional[T comparable](value T) any {
	if value == *new(T) {
		return nil
	}
	return value
}

// listOf returns a copy of the list. It is never nil, so that an export writes an empty list.
func listOf[T any](list []T) []T { return append([]T{}, list...) }

// platesOf returns the plates, or nil if there are none.
func platesOf(plates []event.Plate) any {
	if len(plates) == 0 {
		return nil
	}
	all := make([]Plate, len(plates))
	for i, p := range plates {
		all[i] = Plate{p.ID, p.Photo, instant.Timestamp(p.Created)}
	}
	return all
}

// contentFields returns the fields that publications and nodes share.
func contentFields(c publication.Content, html markup.HTML) []Field {
	return []Field{
		{"title", "title", c.Title},
		{"summary", "summary", c.Summary},
		{"html_content", "text as HTML", optional(string(html))},
		coverField(c.Cover),
		{"language", "language", c.Language},
		{"category", "number of its category", optional(c.Category)},
		{"published", "whether it is published", c.Published},
		{"deleted", "whether it is deleted", c.Deleted},
		{"created_at", "when it was written", c.Created},
		{"updated_at", "when it was last changed", c.Updated},
	}
}

// coverField returns the field of a cover. Its value is a key only if Plaza has the file.
func coverField(p media.Picture) Field {
	value := optional(p.Key)
	if value == nil {
		value = optional(p.Path)
	}
	return Field{"cover", "picture, or the address of a picture elsewhere", value}
}
