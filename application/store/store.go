// Package store gathers the ports of a store. Events need authors, and quotas count what other ports store, so a store
// implements all of them over the same data.
package store

import (
	"plaza/application/telemetry"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/block"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/imported"
	"plaza/domain/localisation"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/payment"
	"plaza/domain/personaldata"
	"plaza/domain/publication"
	"plaza/domain/quota"
	"plaza/domain/search"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
	"plaza/domain/verification"
)

// Ports are the ports of one store, within the same quotas.
type Ports struct {
	Accounts      access.Accounts
	Directory     user.Directory
	Tokens        access.Tokens
	Throttle      access.Throttle
	Codes         verification.Store
	Categories    feed.Categories
	Subscriptions subscription.Repository
	Blocks        block.Repository
	Events        event.Repository
	EventReader   event.Reader
	Discussion    event.Discussion
	Related       event.RelatedReader
	Notifications notification.Store
	Moderation    moderation.Store
	Feed          feed.Reader
	Publications  publication.Repository
	HowTos        publication.HowTos
	Translations  localisation.Cache
	Images        userimage.Repository
	Ledger        payment.Ledger
	Keys          idempotency.Keys
	Imports       imported.Store
	Deletions     media.DeletionQueue
	Room          quota.Room
	Telemetry     telemetry.Sampler
	PersonalData  personaldata.Store
	Audit         audit.Log
	Search        search.Index
}
