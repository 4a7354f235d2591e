// Package personaldata says what is stored of a person, and what an erasure does to it. Package privacy exports it.
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
	"plaza/domain/idempotency"
	"plaza/domain/markup"
	"plaza/domain/notification"
	"plaza/domain/payment"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// Kind is a kind of records of a person. Its value is the name of the kind's file in an export.
type Kind string

// The kinds, with the types of their records.
const (
	Sessions        Kind = "sessions"         // access.Token, without its key
	Comments        Kind = "comments"         // event.Comment
	Likes           Kind = "likes"            // event.ID
	Events          Kind = "events"           // event.State
	Follows         Kind = "follows"          // subscription.Subscription
	Blocks          Kind = "blocks"           // block.Block
	Notifications   Kind = "notifications"    // Notification
	Reports         Kind = "reports"          // moderation.Report
	Cases           Kind = "cases"            // moderation.Case, without its reports and what it keeps
	Hidden          Kind = "hidden"           // moderation.Hiding
	Images          Kind = "images"           // userimage.Image
	Publications    Kind = "publications"     // Publication
	Nodes           Kind = "nodes"            // Node
	Demands         Kind = "demands"          // demand.Demand
	HowTos          Kind = "howtos"           // publication.HowTo
	Refunds         Kind = "refunds"          // payment.Refund
	Payments        Kind = "payments"         // payment.Payment
	Prepayments     Kind = "prepayments"      // Prepayment
	Orders          Kind = "orders"           // payment.Order
	IdempotencyKeys Kind = "idempotency_keys" // IdempotencyKey
	RateLimits      Kind = "rate_limits"      // RateLimit
	FailedLogins    Kind = "failed_logins"    // FailedLogin
	LoginNetworks   Kind = "login_networks"   // LoginNetwork
	Codes           Kind = "codes"            // verification.State
	CodeUses        Kind = "code_uses"        // CodeUse
	StaffActs       Kind = "staff_acts"       // audit.Record
	Account         Kind = "account"          // Person
)

// Record is what is stored of a person in one place: a value of the type that the constant of its kind names.
type Record any

// The records that are more than one value of another package.
type (
	// Person is an account with its profile, and its id at the source that it was imported from.
	Person struct {
		Account access.Account // without its password
		Member  user.Member
		Bio     string
		Source  string
	}
	Notification struct {
		ID notification.ID
		notification.Notice
	}
	Publication struct {
		publication.Publication
		HTML markup.HTML
	}
	Node struct {
		publication.Node
		HTML markup.HTML
	}
	Prepayment struct {
		Order payment.OrderID
		payment.Prepayment
	}
	// IdempotencyKey is the Idempotency-Key of a request that made the object; Made and ID are zero before it has.
	IdempotencyKey struct {
		Name  string
		Since time.Time
		Made  idempotency.Kind
		ID    int64
	}
	RateLimit struct {
		Action ratelimit.Action
		Until  time.Time
	}
	FailedLogin struct {
		Network string
		At      time.Time
	}
	LoginNetwork struct {
		Network   string
		LastLogin time.Time
	}
	// CodeUse is a request for a code, or a try of one, from the network.
	CodeUse struct {
		Use     verification.Use
		Network string
		At      time.Time
	}
)

// Treatment is what an erasure does to records.
type Treatment string

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
}

// Kinds returns all kinds in the order of an erasure. The account is the last: until it is blanked, an erasure that was
// interrupted finds all that is left.
func Kinds() []Description {
	return []Description{
		{Sessions, "Logins and tokens that are valid or expired, without their keys.", Removed},
		{Comments, "Your comments, also on events of others.", Removed},
		{Likes, "Events that you like.", Removed},
		{Events, "Diary events, drafts included, with their plates.", Removed},
		{Follows, "People and categories that you follow. People who follow you are not listed: that is data of theirs.", Removed},
		{Blocks, "People whom you block. People who block you are not listed: that is data of theirs.", Removed},
		{Notifications, "What others did that concerns you, kept for 90 days.", Removed},
		{Reports, "What you have reported to staff.", Removed},
		// An open case stays, with what it keeps, until staff have decided it. Then it goes.
		{Cases, "What others reported of yours, and how staff have decided. Who reported it is data of theirs.", Removed},
		{Images, "Images that you have uploaded, with their tags, deleted ones included. The files of deleted ones are gone.", Removed},
		// It goes with what is hidden: a hidden thing has its reason as long as it is stored.
		{Hidden, "What staff have hidden of yours, and why.", Removed},
		{Publications, "Imported publications of which you are the author.", Removed},
		{Nodes, "Imported parts of publications of which you are the author.", Removed},
		{Demands, "Imported service requests of which you are the author.", Removed},
		{HowTos, "Imported lists of bundles under your account.", Removed},
		// For the accounts, amounts, states, times and the wallet's numbers remain of what follows. A refund without an
		// outcome, and an open order, stay as they are until they have one or are closed.
		{Refunds, "Refunds of your payments.", Blanked},
		{Payments, "Payments that the wallet has reported for your orders.", Kept},
		{Prepayments, "Requests to pay an order that were sent to the wallet.", Blanked},
		{Orders, "Orders.", Blanked},
		{IdempotencyKeys, "Idempotency-Keys of requests, kept for a day.", Removed},
		{RateLimits, "Until when what you wrote counts for a limit.", Removed},
		{FailedLogins, "Failed logins with your phone number, kept for an hour.", Removed},
		{LoginNetworks, "Networks from which you have logged in, kept for 30 days.", Removed},
		{Codes, "One-time codes that were made for your phone number, without their digits, kept for a day.", Removed},
		{CodeUses, "Requests for such codes, and tries of them, kept for a day.", Removed},
		// The record of the act remains, with the uid. Its reason is blanked, also if the person was the one who acted.
		{StaffActs, "What staff did that concerns you or what is yours.", Blanked},
		// The uid and the time of joining remain, and the id at the source of an imported account, so that an import does
		// not bring it back.
		{Account, "Your account and profile.", Blanked},
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
	// listings, totals, and the queue of pictures to delete. It returns how many; zero if none remain.
	//
	// Of Follows and Blocks, Erase also removes those by others of the user. Of Notifications it also removes those of what
	// the user did, and with Cases their reports. Of StaffActs it also blanks the reasons of what the user did
	// as staff. It must not change open orders, open cases, nor prepayments that may still be paid.
	//
	// Erasing the Account frees the phone number and removes the password, the names, the avatar and the presence.
	// The account stays, as user.Phone.IsErased tells, and is disabled. user.Directory does not know the user any more,
	// the user can't be followed, and imported.Store stores neither the user nor records of the user as author.
	Erase(ctx context.Context, id user.ID, k Kind, limit int) (int, error)
	// Charge takes the charges, which are as in event.Repository.
	Charge(ctx context.Context, charges ...ratelimit.Charge) error
}
