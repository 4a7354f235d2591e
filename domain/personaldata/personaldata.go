// Package personaldata says what is stored of a person, what an export of it contains, and what an erasure does to it.
//
// Everything that a person has belongs to one Kind. An export writes every kind. An erasure removes a kind, or blanks
// what tells who the person was and keeps the rest, because others need it: amounts, times and the wallet's numbers of
// payments, and the row of the account, to which they refer. That others follow or block a person is data
// of theirs: an export leaves it out, and an erasure ends it.
package personaldata

import (
	"context"
	"iter"
	"time"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/block"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/payment"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
	"plaza/domain/verification"
)

// Kind is a kind of records of a person. Its value is the name of the kind's file in an export.
type Kind string

// The kinds.
const (
	Sessions        Kind = "sessions"
	Comments        Kind = "comments"
	Likes           Kind = "likes"
	Events          Kind = "events"
	Follows         Kind = "follows"
	Blocks          Kind = "blocks"
	Notifications   Kind = "notifications"
	Reports         Kind = "reports"
	Hidden          Kind = "hidden"
	Images          Kind = "images"
	Publications    Kind = "publications"
	Nodes           Kind = "nodes"
	Demands         Kind = "demands"
	HowTos          Kind = "howtos"
	Refunds         Kind = "refunds"
	Payments        Kind = "payments"
	Prepayments     Kind = "prepayments"
	Orders          Kind = "orders"
	IdempotencyKeys Kind = "idempotency_keys"
	RateLimits      Kind = "rate_limits"
	FailedLogins    Kind = "failed_logins"
	LoginNetworks   Kind = "login_networks"
	Codes           Kind = "codes"
	CodeUses        Kind = "code_uses"
	StaffActs       Kind = "staff_acts"
	Account         Kind = "account"
)

// Treatment is what an erasure does to records.
type Treatment string

// The treatments.
const (
	Removed Treatment = "removed"
	Blanked Treatment = "blanked" // the record stays without what tells who the person was
	Kept    Treatment = "kept"    // the record tells nothing of the person
)

// Description describes a kind.
type Description struct {
	Kind    Kind
	About   string // what the records are, for the person
	Erasure Treatment
	Fields  Record // a record without values
}

// Kinds returns all kinds in the order of an erasure. The account is the last: until it is blanked, an erasure that was
// interrupted finds all that is left.
func Kinds() []Description {
	return []Description{
		{Sessions, "Logins and tokens that are valid or expired, without their keys.", Removed, NewSessionRecord(access.Token{})},
		{Comments, "Your comments, also on events of others.", Removed, NewCommentRecord(event.Comment{})},
		{Likes, "Events that you like.", Removed, NewLikeRecord(0)},
		{Events, "Diary events, drafts included, with their plates.", Removed, NewEventRecord(event.State{})},
		{Follows, "People and categories that you follow. People who follow you are not listed: that is data of theirs.", Removed,
			NewFollowRecord(subscription.Subscription{})},
		{Blocks, "People whom you block. People who block you are not listed: that is data of theirs.", Removed, NewBlockRecord(block.Block{})},
		{Notifications, "What others did that concerns you, kept for 90 days.", Removed, NewNotificationRecord(0, notification.Notice{})},
		{Reports, "What you have reported to staff.", Removed, NewReportRecord(moderation.Report{})},
		{Images, "Images that you have uploaded, with their tags, deleted ones included. The files of deleted ones are gone.", Removed,
			NewImageRecord(userimage.Image{})},
		// It goes with what is hidden: a hidden thing has its reason as long as it is stored.
		{Hidden, "What staff have hidden of yours, and why.", Removed, NewHiddenRecord(moderation.Hiding{})},
		{Publications, "Imported publications of which you are the author.", Removed, NewPublicationRecord(publication.Publication{}, "")},
		{Nodes, "Imported parts of publications of which you are the author.", Removed, NewNodeRecord(publication.Node{}, "")},
		{Demands, "Imported service requests of which you are the author.", Removed, NewDemandRecord(demand.Demand{})},
		{HowTos, "Imported lists of bundles under your account.", Removed, NewHowToRecord(publication.HowTo{})},
		// For the accounts, amounts, states, times and the wallet's numbers remain of what follows. A refund without an
		// outcome, and an open order, stay as they are until they have one or are closed.
		{Refunds, "Refunds of your payments.", Blanked, NewRefundRecord(payment.Refund{})},
		{Payments, "Payments that the wallet has reported for your orders.", Kept, NewPaymentRecord(payment.Payment{})},
		{Prepayments, "Requests to pay an order that were sent to the wallet.", Blanked, NewPrepaymentRecord(0, payment.Prepayment{})},
		{Orders, "Orders.", Blanked, NewOrderRecord(payment.Order{})},
		{IdempotencyKeys, "Idempotency-Keys of requests, kept for a day.", Removed, NewIdempotencyKeyRecord("", time.Time{}, "", 0)},
		{RateLimits, "Until when what you wrote counts for a limit.", Removed, NewRateLimitRecord("", time.Time{})},
		{FailedLogins, "Failed logins with your phone number, kept for an hour.", Removed, NewFailedLoginRecord("", time.Time{})},
		{LoginNetworks, "Networks from which you have logged in, kept for 30 days.", Removed, NewLoginNetworkRecord("", time.Time{})},
		{Codes, "One-time codes that were made for your phone number, without their digits, kept for a day.", Removed,
			NewCodeRecord(verification.State{})},
		{CodeUses, "Requests for such codes, and tries of them, kept for a day.", Removed, NewCodeUseRecord("", "", time.Time{})},
		// The record of the act remains, with the uid. Its reason is blanked, also if the person was the one who acted.
		{StaffActs, "What staff did that concerns you or what is yours.", Blanked, NewStaffActRecord(audit.Record{})},
		// The uid and the time of joining remain, and the id at the source of an imported account, so that an import does
		// not bring it back.
		{Account, "Your account and profile.", Blanked, NewAccountRecord(access.Account{}, user.Member{}, "")},
	}
}

// Store reads and erases what is stored of a person. Every implementation passes test/ports.PersonalData.
type Store interface {
	// Records yields the user's records of the kind in the order of their keys. It must not hold all of them in memory.
	// Records that are added or removed meanwhile may be missing. An unknown user has none. It ends with the first
	// error.
	Records(ctx context.Context, id user.ID, k Kind) iter.Seq2[Record, error]
	// Remaining returns how many records of the kind Erase still has to remove or to blank.
	Remaining(ctx context.Context, id user.ID, k Kind) (int, error)
	// Erase treats at most limit of these records as Kinds says, together with all that derives from them: counts,
	// listings, totals, and the queue of pictures to delete. It returns how many; zero if none remain. Of Follows it
	// also removes those of others who follow the user, of Blocks also those by others of the user, of Notifications also those
	// of what the user did, of Reports also
	// those of what is the user's, and of StaffActs it also blanks the reasons of what the user did as staff. It must not change
	// open orders, nor prepayments that may
	// still be paid.
	//
	// Erasing the Account frees the phone number and removes the password, the names, the avatar and the presence.
	// The account stays, as user.Phone.IsErased tells, and is disabled. user.Directory does not know the user any more,
	// the user can't be followed, and imported.Store stores neither the user nor records of the user as author.
	Erase(ctx context.Context, id user.ID, k Kind, limit int) (int, error)
	// Charge takes the charges, which are as in event.Repository.
	Charge(ctx context.Context, charges ...ratelimit.Charge) error
}
