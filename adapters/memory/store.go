// Package memory implements the store ports in plain maps: for tests, for trying Plaza without
// a database, and as a reference for other stores.
//
// Arguments and results are private copies. One lock guards all data, so data that must stay
// consistent (an event, its listing, its counts) changes in one step. A step that fails
// changes nothing.
package memory

import (
	"context"
	"iter"
	"net/netip"
	"sync"
	"time"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/block"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/news"
	"plaza/domain/notification"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
	"plaza/domain/search"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
	"plaza/domain/verification"
)

// Store holds the data of all store ports. Each port is a separate view of it, because ports
// have methods of the same name.
type Store struct {
	lock sync.RWMutex

	accounts   table[user.ID, access.Account]
	telephones table[string, user.ID] // by E164
	members    table[user.ID, user.Member]
	bios       table[user.ID, string]
	tokens     table[access.TokenID, access.Token]
	failures   failures
	codes      codes
	spentUntil table[rateKey, time.Time] // until when; one for each account and action

	categories    table[feed.CategoryID, feed.Category]
	listings      table[item, feed.Listing]
	index         table[item, search.Entry]
	version       feed.Version // changes with every imported record
	subscriptions table[subscription.ID, subscription.Subscription]
	blocks        table[blockKey, block.Block]

	events   table[event.ID, event.State]
	comments table[event.CommentID, event.Comment]
	likes    table[event.ID, map[user.ID]bool]
	news     []news.Item

	notifications table[notification.ID, notified]
	streams       table[int64, stream]
	writes        int64 // so far
	readUpTo      table[user.ID, notification.ID]

	publications table[publication.ID, publication.Publication]
	nodes        table[publication.NodeID, publication.Node]
	texts        table[item, markup.HTML] // of publications and nodes that have one
	howTos       table[howToKey, publication.HowTo]
	translations translations
	demands      table[demand.ID, demand.Demand]
	images       table[userimage.ID, userimage.Image]
	reports      table[moderation.ReportID, moderation.Report]
	cases        table[moderation.CaseID, storedCase]
	hidden       table[moderation.Thing, moderation.Hiding]
	// hiddenProfiles has profiles as they are, of which members and bios have what is shown.
	hiddenProfiles table[user.ID, user.Profile]
	ledger         ledger
	requests       keys // Idempotency-Keys
	imports        importState
	deletions      table[media.Key, time.Time] // when each is due
	pictures       table[media.Key, countedPicture]
	pictureBytes   table[user.ID, int64] // the sum of pictures by owner
	audit          []audit.Record        // in the order of their IDs

	numbers struct {
		account, token, subscription, event, plate, comment, notification, stream, news, image, order, payment, refund, finding, report,
		reportCase, audit number
	}
}

// New returns an empty store.
func New() *Store {
	s := &Store{failures: newFailures(access.Limits()), translations: newTranslations(), requests: newKeys(), imports: newImportState()}
	l := &s.ledger
	for _, t := range []interface{ make() }{
		&s.accounts, &s.telephones, &s.codes.all, &s.codes.spent, &s.members, &s.bios, &s.hiddenProfiles, &s.tokens, &s.spentUntil,
		&s.categories, &s.listings, &s.index,
		&s.subscriptions, &s.blocks, &s.events, &s.comments,
		&s.likes, &s.notifications, &s.streams, &s.readUpTo, &s.reports, &s.cases,
		&s.hidden, &s.publications, &s.nodes, &s.texts, &s.howTos, &s.demands, &s.images,
		&s.deletions, &s.pictures, &s.pictureBytes,
		&l.orders, &l.changes, &l.nextChecks, &l.prepayments, &l.tradeNos, &l.payments, &l.journal, &l.refunds, &l.findings, &l.reconciliations,
	} {
		t.make()
	}
	return s
}

// number generates the ids of one kind. It never returns an id twice.
type number int64

func (n *number) next() int64 {
	*n++
	return int64(*n)
}

// read runs fn while no other call writes. It returns an error if the context has ended.
func read[T any](ctx context.Context, s *Store, fn func() (T, error)) (T, error) {
	if err := ctx.Err(); err != nil {
		return *new(T), err
	}
	s.lock.RLock()
	defer s.lock.RUnlock()
	return fn()
}

// snapshot yields the elements that fn returns. It calls fn first, so that the caller may use the
// store while iterating.
func snapshot[T any](ctx context.Context, s *Store, fn func() []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		all, err := read(ctx, s, func() ([]T, error) { return fn(), nil })
		if err != nil {
			yield(*new(T), err)
			return
		}
		for _, element := range all {
			if !yield(element, nil) {
				return
			}
		}
	}
}

// write runs fn while no other call reads or writes. It returns an error if the context has
// ended.
func write[T any](ctx context.Context, s *Store, fn func() (T, error)) (T, error) {
	if err := ctx.Err(); err != nil {
		return *new(T), err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.writes++
	entry := audit.Begin(ctx)
	if entry == nil {
		return fn()
	}
	return audited(s, entry, fn)
}

// exec is write for calls without a result.
func exec(ctx context.Context, s *Store, fn func() error) error {
	_, err := write(ctx, s, func() (struct{}, error) { return struct{}{}, fn() })
	return err
}

// rateKey identifies the limit of an action of an account.
type rateKey struct {
	account int64
	action  ratelimit.Action
}

// item identifies a listable item.
type item struct {
	kind feed.Kind
	id   int64
}

// blockKey is who blocks whom.
type blockKey struct{ by, whom user.ID }

// howToKey identifies a how-to.
type howToKey struct {
	category string
	robot    user.ID
}

// notified is a stored notification.
type notified struct {
	notification.Notice
	id          notification.ID
	expires     time.Time
	isWithdrawn bool // its like was taken back, or its comment is hidden
}

// countedPicture is a picture whose bytes count for the quota of its owner.
type countedPicture struct {
	owner user.ID
	bytes int64 // with those of its sizes
}

// keyID identifies an Idempotency-Key.
type keyID struct {
	user user.ID
	name string
}

// codeUse is a request for a code, or a try of one.
type codeUse struct {
	kind   verification.Use
	number verification.Number
	from   netip.Addr
	at     time.Time
}

func itemOf(id event.ID) item { return item{feed.Event, int64(id)} }

func itemOfPublication(id publication.ID) item { return item{feed.Publication, int64(id)} }

func itemOfNode(id publication.NodeID) item { return item{feed.Node, int64(id)} }

func itemOfDemand(id demand.ID) item { return item{feed.Demand, int64(id)} }
