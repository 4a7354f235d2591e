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
	"sort"
	"sync"
	"time"

	"plaza/domain/access"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/news"
	"plaza/domain/publication"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Store holds the data of all store ports. Each port is a separate view of it, because ports
// have methods of the same name.
type Store struct {
	lock sync.RWMutex

	accounts   map[user.ID]access.Account
	phones     map[user.Phone]user.ID
	members    map[user.ID]user.Member
	seen       map[user.ID]time.Time
	tokens     map[access.TokenID]access.Token
	used       map[access.TokenID]time.Time
	keys       map[access.KeyHash]access.TokenID
	failures   failures
	spentUntil map[rateKey]time.Time // until when; one for each account and action

	categories    map[feed.CategoryID]feed.Category
	listings      map[item]feed.Listing
	version       feed.Version // changes with every imported record
	subscriptions map[subscription.ID]subscription.Subscription
	follows       map[follow]subscription.ID

	events    map[event.ID]event.State
	comments  map[event.ID][]event.Comment
	commented map[event.CommentID]event.ID
	likes     map[event.ID]map[user.ID]bool
	news      []news.Item

	publications map[publication.ID]publication.Publication
	nodes        map[publication.NodeID]publication.Node
	howTos       map[howToKey]publication.HowTo
	translations translations
	demands      map[demand.ID]demand.Demand
	images       map[userimage.ID]userimage.Image
	undeleted    map[user.ID]map[userimage.ID]bool // images by owner, without deleted ones
	ledger       ledger
	requests     keys // Idempotency-Keys
	imports      importState
	deletions    map[media.Key]time.Time // when each is due
	pictures     map[media.Key]countedPicture
	pictureBytes map[user.ID]int64 // the sum of pictures by owner

	numbers struct{ account, token, subscription, event, plate, comment, news, image, order, payment, refund, finding number }
}

// New returns an empty store.
func New() *Store {
	return &Store{
		accounts:   map[user.ID]access.Account{},
		phones:     map[user.Phone]user.ID{},
		members:    map[user.ID]user.Member{},
		seen:       map[user.ID]time.Time{},
		tokens:     map[access.TokenID]access.Token{},
		used:       map[access.TokenID]time.Time{},
		keys:       map[access.KeyHash]access.TokenID{},
		failures:   newFailures(access.Limits()),
		spentUntil: map[rateKey]time.Time{},

		categories:    map[feed.CategoryID]feed.Category{},
		listings:      map[item]feed.Listing{},
		subscriptions: map[subscription.ID]subscription.Subscription{},
		follows:       map[follow]subscription.ID{},

		events:    map[event.ID]event.State{},
		comments:  map[event.ID][]event.Comment{},
		commented: map[event.CommentID]event.ID{},
		likes:     map[event.ID]map[user.ID]bool{},

		publications: map[publication.ID]publication.Publication{},
		nodes:        map[publication.NodeID]publication.Node{},
		howTos:       map[howToKey]publication.HowTo{},
		translations: newTranslations(),
		demands:      map[demand.ID]demand.Demand{},
		images:       map[userimage.ID]userimage.Image{},
		undeleted:    map[user.ID]map[userimage.ID]bool{},
		ledger:       newLedger(),
		requests:     newKeys(),
		imports:      newImportState(),
		deletions:    map[media.Key]time.Time{},
		pictures:     map[media.Key]countedPicture{},
		pictureBytes: map[user.ID]int64{},
	}
}

// number generates the ids of one kind. It never returns an id twice.
type number int64

func (n *number) next() int64 {
	*n++
	return int64(*n)
}

// sortFunc sorts as slices.SortFunc does, which is compiled anew for each type of element: half of
// the time that this package would take after each change of the domain.
func sortFunc[T any](elements []T, compare func(a, b T) int) {
	sort.Slice(elements, func(i, j int) bool { return compare(elements[i], elements[j]) < 0 })
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
	return fn()
}

// exec is write for calls without a result.
func exec(ctx context.Context, s *Store, fn func() error) error {
	_, err := write(ctx, s, func() (struct{}, error) { return struct{}{}, fn() })
	return err
}
