package personaldata

import (
	"strings"
	"time"

	"plaza/domain/access"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// The records in the form of an export. The tag about describes a field for the person.

// AccountRecord is an account with its profile.
type AccountRecord struct {
	UID       user.ID        `json:"uid" about:"number of the account"`
	Phone     string         `json:"phone" about:"phone number to log in with"`
	Firstname string         `json:"firstname,omitzero" about:"given name"`
	Lastname  string         `json:"lastname,omitzero" about:"family name"`
	Expertise string         `json:"expertise,omitzero" about:"main expertise"`
	Location  string         `json:"location,omitzero" about:"current region"`
	Timezone  string         `json:"timezone" about:"time zone"`
	Avatar    media.Key      `json:"avatar,omitzero" about:"picture"`
	Scopes    []access.Scope `json:"scopes" about:"what tokens of the account may do"`
	Staff     bool           `json:"staff" about:"whether the account may use the back office"`
	Disabled  bool           `json:"disabled" about:"whether logins are refused"`
	Joined    time.Time      `json:"joined_at" about:"when the account was opened"`
	Seen      time.Time      `json:"seen_at,omitzero" about:"when you were last online"`
	Source    string         `json:"source,omitzero" about:"id at the source that the account was imported from"`
}

// NewAccountRecord returns the record of an account, its member and its id at the source.
func NewAccountRecord(a access.Account, m user.Member, source string) AccountRecord {
	return AccountRecord{
		UID: a.User, Phone: a.Phone.String(), Firstname: m.Firstname, Lastname: m.Lastname, Expertise: m.Expertise,
		Location: m.Location, Timezone: m.Timezone, Avatar: m.Avatar.Key, Scopes: append([]access.Scope{}, a.Scopes...),
		Staff: a.Staff, Disabled: a.Disabled, Joined: m.Joined, Seen: m.Seen, Source: source,
	}
}

// Pictures implements Illustrated: the avatar in its largest size.
func (r AccountRecord) Pictures() []media.Key { return keys(r.Avatar) }

// SessionRecord is a token, without its key.
type SessionRecord struct {
	ID      access.TokenID `json:"id" about:"number of the token"`
	Scopes  []access.Scope `json:"scopes" about:"what the token may do"`
	Created time.Time      `json:"created_at" about:"when it was issued"`
	Used    time.Time      `json:"used_at" about:"when it was last used"`
	Expires time.Time      `json:"expires_at" about:"when it ends unless it is used"`
}

// NewSessionRecord returns the record of a token.
func NewSessionRecord(t access.Token) SessionRecord {
	return SessionRecord{t.ID, append([]access.Scope{}, t.Scopes...), t.Created, t.Used, t.Expires()}
}

// EventRecord is a diary event.
type EventRecord struct {
	ID         event.ID        `json:"id" about:"number of the event"`
	Day        string          `json:"event_time" about:"day on which it happened"`
	Title      string          `json:"title" about:"title"`
	Content    string          `json:"content" about:"plain text"`
	HTML       string          `json:"html_content" about:"text as HTML"`
	Category   feed.CategoryID `json:"category,omitzero" about:"number of its category"`
	Permission int             `json:"view_permission" about:"who may see it: 0 everyone, 100 contacts, 200 only you"`
	Status     int             `json:"status" about:"0 a draft, 100 published"`
	Province   string          `json:"province,omitzero" about:"place found in the text"`
	City       string          `json:"city,omitzero" about:"place found in the text"`
	District   string          `json:"district,omitzero" about:"place found in the text"`
	Plates     []PlateRecord   `json:"plates,omitempty" about:"pictures: id, picture and created_at of each"`
	Created    time.Time       `json:"create_time" about:"when it was written"`
	Modified   time.Time       `json:"last_modified" about:"when it was last changed"`
}

// PlateRecord is a picture of an event.
type PlateRecord struct {
	ID      event.PlateID `json:"id"`
	Picture media.Key     `json:"picture"`
	Created time.Time     `json:"created_at"`
}

// NewEventRecord returns the record of an event.
func NewEventRecord(s event.State) EventRecord {
	r := EventRecord{
		ID: s.ID, Day: s.Date.String(), Title: s.Title, Content: s.Content, HTML: string(s.HTML), Category: s.Category,
		Permission: int(s.Permission), Status: int(s.Status), Province: s.Place.Province, City: s.Place.City,
		District: s.Place.District, Created: s.Created, Modified: s.Modified,
	}
	for _, p := range s.Plates {
		r.Plates = append(r.Plates, PlateRecord{p.ID, p.Photo, p.Created})
	}
	return r
}

// Pictures implements Illustrated: the plates.
func (r EventRecord) Pictures() (all []media.Key) {
	for _, p := range r.Plates {
		all = append(all, p.Picture)
	}
	return all
}

// CommentRecord is a comment.
type CommentRecord struct {
	ID      event.CommentID `json:"id" about:"number of the comment"`
	Event   event.ID        `json:"event" about:"number of the event that it is on"`
	Content string          `json:"content" about:"plain text"`
	Created time.Time       `json:"create_time" about:"when it was written"`
}

// NewCommentRecord returns the record of a comment.
func NewCommentRecord(c event.Comment) CommentRecord {
	return CommentRecord{c.ID, c.Event, c.Content, c.Created}
}

// LikeRecord is an event that the person likes.
type LikeRecord struct {
	Event event.ID `json:"event" about:"number of the event"`
}

// FollowRecord is a person or a category that the person follows.
type FollowRecord struct {
	ID       subscription.ID `json:"id" about:"number of the subscription"`
	User     user.ID         `json:"followed_user,omitzero" about:"uid of the person"`
	Category feed.CategoryID `json:"followed_category,omitzero" about:"number of the category"`
	Created  time.Time       `json:"created_at" about:"since when"`
}

// NewFollowRecord returns the record of a subscription.
func NewFollowRecord(s subscription.Subscription) FollowRecord {
	return FollowRecord{s.ID, s.Followed, s.Category, s.Created}
}

// ImageRecord is an uploaded image.
type ImageRecord struct {
	ID      userimage.ID `json:"id" about:"number of the image"`
	Picture media.Key    `json:"picture" about:"picture; gone if the image is deleted"`
	Width   int          `json:"width" about:"pixels"`
	Height  int          `json:"height" about:"pixels"`
	Tags    []string     `json:"tags" about:"tags"`
	Created time.Time    `json:"create_time" about:"when it was uploaded"`
	Deleted time.Time    `json:"delete_time,omitzero" about:"when it was deleted"`
}

// NewImageRecord returns the record of an image.
func NewImageRecord(i userimage.Image) ImageRecord {
	return ImageRecord{i.ID, i.Key, i.Width, i.Height, append([]string{}, i.Tags.Names()...), i.Created, i.Deleted}
}

// Pictures implements Illustrated: the image, unless it is deleted.
func (r ImageRecord) Pictures() []media.Key {
	if !r.Deleted.IsZero() {
		return nil
	}
	return keys(r.Picture)
}

// TextRecord has the fields that publications and nodes share.
type TextRecord struct {
	Title     string          `json:"title" about:"title"`
	Summary   string          `json:"summary" about:"summary"`
	Cover     string          `json:"cover,omitzero" about:"picture, or the address of a picture elsewhere"`
	Language  string          `json:"language" about:"language"`
	Category  feed.CategoryID `json:"category,omitzero" about:"number of its category"`
	Published bool            `json:"published" about:"whether it is published"`
	Deleted   bool            `json:"deleted" about:"whether it is deleted"`
	Created   time.Time       `json:"created_at" about:"when it was written"`
	Updated   time.Time       `json:"updated_at" about:"when it was last changed"`
}

func newTextRecord(c publication.Content) TextRecord {
	return TextRecord{c.Title, c.Summary, coverOf(c.Cover), c.Language, c.Category, c.Published, c.Deleted, c.Created, c.Updated}
}

// Pictures implements Illustrated: the cover, if Plaza has its file.
func (r TextRecord) Pictures() []media.Key { return coverKeys(r.Cover) }

// PublicationRecord is a publication.
type PublicationRecord struct {
	ID     publication.ID       `json:"id" about:"number of the publication"`
	Bundle publication.BundleID `json:"bundle,omitzero" about:"number of its bundle"`
	Node   publication.NodeID   `json:"node,omitzero" about:"number of its node"`
	Type   int                  `json:"type" about:"0 a single chapter, 100 several"`
	TextRecord
}

// NewPublicationRecord returns the record of a publication.
func NewPublicationRecord(p publication.Publication) PublicationRecord {
	return PublicationRecord{p.ID, p.Bundle.ID, p.Node, int(p.Type), newTextRecord(p.Content)}
}

// NodeRecord is a node.
type NodeRecord struct {
	ID     publication.NodeID   `json:"id" about:"number of the node"`
	Bundle publication.BundleID `json:"bundle,omitzero" about:"number of its bundle"`
	TextRecord
}

// NewNodeRecord returns the record of a node.
func NewNodeRecord(n publication.Node) NodeRecord {
	return NodeRecord{n.ID, n.Bundle, newTextRecord(n.Content)}
}

// DemandRecord is a service request.
type DemandRecord struct {
	ID          demand.ID       `json:"id" about:"number of the request"`
	Title       string          `json:"title" about:"title"`
	Description string          `json:"description" about:"text"`
	Tags        []string        `json:"tags" about:"tags"`
	Cover       string          `json:"cover,omitzero" about:"picture, or the address of a picture elsewhere"`
	Images      []string        `json:"images" about:"addresses of pictures elsewhere"`
	Address     string          `json:"address,omitzero" about:"address of the service"`
	Lat         float64         `json:"lat,omitzero" about:"latitude of the service, degrees"`
	Lng         float64         `json:"lng,omitzero" about:"longitude of the service, degrees"`
	Category    feed.CategoryID `json:"category,omitzero" about:"number of its category"`
	Closed      time.Time       `json:"closed_at" about:"until when it can be answered"`
	Start       time.Time       `json:"start_at" about:"when the service begins"`
	End         time.Time       `json:"end_at" about:"when the service ends"`
	Published   bool            `json:"published" about:"whether it is published"`
	Deleted     bool            `json:"deleted" about:"whether it is deleted"`
	Created     time.Time       `json:"created_at" about:"when it was written"`
	Updated     time.Time       `json:"updated_at" about:"when it was last changed"`
}

// NewDemandRecord returns the record of a demand.
func NewDemandRecord(d demand.Demand) DemandRecord {
	r := DemandRecord{
		ID: d.ID, Title: d.Title, Description: d.Description, Tags: append([]string{}, d.Tags...), Cover: coverOf(d.Cover),
		Images: append([]string{}, d.Images...), Address: d.Address, Category: d.Category, Closed: d.Closed, Start: d.Start,
		End: d.End, Published: d.Published, Deleted: d.Deleted, Created: d.Created, Updated: d.Updated,
	}
	if d.Place != nil {
		r.Lat, r.Lng = d.Place.Lat, d.Place.Lng
	}
	return r
}

// Pictures implements Illustrated: the cover, if Plaza has its file.
func (r DemandRecord) Pictures() []media.Key { return coverKeys(r.Cover) }

// HowToRecord is an imported how-to.
type HowToRecord struct {
	Category string                 `json:"category" about:"name of its category"`
	Bundles  []publication.BundleID `json:"bundles" about:"numbers of its bundles"`
	Created  time.Time              `json:"created_at" about:"when it was made"`
	Updated  time.Time              `json:"updated_at" about:"when it was last changed"`
}

// NewHowToRecord returns the record of a how-to.
func NewHowToRecord(h publication.HowTo) HowToRecord {
	return HowToRecord{h.Category, append([]publication.BundleID{}, h.Bundles...), h.Created, h.Updated}
}

// OrderRecord is an order.
type OrderRecord struct {
	ID          payment.OrderID `json:"id" about:"number of the order"`
	Subject     string          `json:"subject" about:"what was ordered"`
	Amount      int64           `json:"amount" about:"price in minor units of the currency"`
	Currency    string          `json:"currency" about:"currency"`
	State       payment.State   `json:"state" about:"open, paid or closed"`
	Created     time.Time       `json:"created_at" about:"when it was made"`
	Expires     time.Time       `json:"expires_at" about:"until when it could be paid"`
	Paid        time.Time       `json:"paid_at,omitzero" about:"when it was paid"`
	Transaction string          `json:"transaction_id,omitzero" about:"number of the payment at the wallet"`
}

// NewOrderRecord returns the record of an order.
func NewOrderRecord(o payment.Order) OrderRecord {
	return OrderRecord{o.ID, o.Subject, o.Amount, o.Currency, o.State, o.Created, o.Expires, o.PaidAt, o.Transaction}
}

// PrepaymentRecord is a request to pay that was sent to the wallet.
type PrepaymentRecord struct {
	Order   payment.OrderID         `json:"order" about:"number of the order"`
	TradeNo payment.TradeNo         `json:"out_trade_no" about:"number of the request at the wallet"`
	EndType payment.EndType         `json:"end_type" about:"0 a code to scan, 100 an app, 200 the wallet's browser, 300 another browser"`
	App     payment.WalletApp       `json:"wallet_app_type" about:"application at the wallet"`
	OpenID  string                  `json:"open_id,omitzero" about:"your id at the wallet"`
	State   payment.PrepaymentState `json:"state" about:"state at the wallet"`
	Created time.Time               `json:"created_at" about:"when it was made"`
}

// NewPrepaymentRecord returns the record of a prepayment of the order.
func NewPrepaymentRecord(of payment.OrderID, p payment.Prepayment) PrepaymentRecord {
	return PrepaymentRecord{of, p.TradeNo, p.Intent.EndType, p.Intent.App, p.Intent.OpenID, p.State, p.Created}
}

// PaymentRecord is a payment.
type PaymentRecord struct {
	ID          payment.PaymentID    `json:"id" about:"number of the payment"`
	Order       payment.OrderID      `json:"order" about:"number of the order"`
	Transaction string               `json:"transaction_id" about:"number at the wallet"`
	State       payment.PaymentState `json:"state" about:"applied: it paid the order; refund_due: it is owed to you; disputed: it is being looked into"`
	Amount      int64                `json:"amount" about:"in minor units of the currency"`
	Currency    string               `json:"currency" about:"currency"`
	Received    time.Time            `json:"received_at" about:"when the wallet reported it"`
}

// NewPaymentRecord returns the record of a payment.
func NewPaymentRecord(p payment.Payment) PaymentRecord {
	return PaymentRecord{p.ID, p.Order, p.TransactionID, p.State, p.Amount, p.Currency, p.Received}
}

// RefundRecord is a refund of a payment.
type RefundRecord struct {
	ID       payment.RefundID    `json:"id" about:"number of the refund"`
	Payment  payment.PaymentID   `json:"payment" about:"number of the payment"`
	Amount   int64               `json:"amount" about:"in minor units of the currency"`
	Currency string              `json:"currency" about:"currency"`
	Reason   string              `json:"reason" about:"why it was made"`
	State    payment.RefundState `json:"state" about:"processing, succeeded, closed: nothing was returned; abnormal: it is being looked into"`
	WalletID string              `json:"wallet_refund_id,omitzero" about:"number at the wallet"`
	Created  time.Time           `json:"created_at" about:"when it was made"`
	Updated  time.Time           `json:"updated_at" about:"when its state changed last"`
}

// NewRefundRecord returns the record of a refund.
func NewRefundRecord(r payment.Refund) RefundRecord {
	return RefundRecord{r.ID, r.Payment, r.Amount, r.Currency, r.Reason, r.State, r.WalletID, r.Created, r.Updated}
}

// IdempotencyKeyRecord is the Idempotency-Key of a request.
type IdempotencyKeyRecord struct {
	Name  string           `json:"key" about:"as your program has sent it"`
	Since time.Time        `json:"since" about:"when it was sent or answered"`
	Made  idempotency.Kind `json:"made,omitzero" about:"what the request made or paid"`
	ID    int64            `json:"id,omitzero" about:"the number of that"`
}

// RateLimitRecord is the state of a limit.
type RateLimitRecord struct {
	Action ratelimit.Action `json:"action" about:"what is limited"`
	Until  time.Time        `json:"until" about:"when nothing counts any more"`
}

// FailedLoginRecord is a failed login.
type FailedLoginRecord struct {
	Network string    `json:"network" about:"address or network that it came from"`
	At      time.Time `json:"at" about:"when"`
}

// LoginNetworkRecord is a network with a recent login.
type LoginNetworkRecord struct {
	Network string    `json:"network" about:"address or network"`
	Last    time.Time `json:"last_login_at" about:"when the last login was"`
}

func keys(k media.Key) []media.Key {
	if k == "" {
		return nil
	}
	return []media.Key{k}
}

// coverOf returns the key of the picture, or its address elsewhere.
func coverOf(p media.Picture) string {
	if p.Key != "" {
		return string(p.Key)
	}
	return p.Path
}

func coverKeys(cover string) []media.Key {
	if cover == "" || strings.Contains(cover, ":") { // an address
		return nil
	}
	return []media.Key{media.Key(cover)}
}
