// Package memory implements the store ports in plain maps: for tests of use cases, and as a reference for other stores.
//
// Arguments and results are private copies. One lock guards all data, so data that must stay consistent (an event, its listing, its
// counts) changes in one step. A step that fails changes nothing.
package memory

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"net/netip"
	"sync"
	"time"

	"plaza/application/store"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/block"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/imported"
	"plaza/domain/instant"
	"plaza/domain/localisation"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/news"
	"plaza/domain/notification"
	"plaza/domain/payment"
	"plaza/domain/publication"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/search"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
	"plaza/domain/verification"
)

// Store holds the data of all store ports.
type Store struct {
	store.Ports // without quotas

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

type view struct {
	s      *Store
	limits quota.Limits
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

// snapshot yields the elements that fn returns. It calls fn first, so that the caller may use the store while iterating.
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

// write runs fn while no other call reads or writes. It returns an error if the context has ended.
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

// unasked is the result of a method that neither a suite nor a test of a use case asks: rows of the contract show it on the databases.
func unasked[T any](ctx context.Context) (T, error) {
	return *new(T), cmp.Or(ctx.Err(), errors.ErrUnsupported)
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

// key is a reserved or answered Idempotency-Key.
type key struct {
	fingerprint   [32]byte
	holder        [16]byte
	since         time.Time
	reservedUntil time.Time // end of the reservation; zero: answered
	kind          idempotency.Kind
	id            int64
	reply         []byte
}

// keys has the keys that are not forgotten.
type keys map[keyID]key

// codeUse is a request for a code, or a try of one.
type codeUse struct {
	kind   verification.Use
	number verification.Number
	from   netip.Addr
	at     time.Time
}

// codes has the codes, and the requests and tries of their limits.
type codes struct {
	all   table[verification.ID, verification.State]
	uses  []codeUse // oldest first
	spent table[codeDay, int64]
}

// codeDay is the day of a budget, of a dialling code or of all.
type codeDay struct {
	day  time.Time
	code string // empty: all
}

func itemOf[ID ~int64](kind feed.Kind, id ID) item { return item{kind, int64(id)} }

// importState is the state of finished and running imports.
type importState struct {
	users      table[string, user.ID] // by source id
	sources    table[user.ID, string]
	hadAccount table[user.ID, bool] // had an account before
	bundles    table[publication.BundleID, publication.Bundle]
	news       table[string, int] // indexes in the store's news
	progress   table[string, []byte]
	completion imported.Completion // the last one
	runs       []imported.Run      // the first is 1
	rejects    [][]imported.RejectedLine
	covers     table[imported.Digest, media.Picture]
}

type ledger struct {
	orders      table[payment.OrderID, payment.Order]
	changes     table[payment.OrderID, int64] // the writes of the store after which their states are new
	nextChecks  table[payment.OrderID, time.Time]
	prepayments table[payment.OrderID, []payment.Prepayment]
	tradeNos    table[payment.TradeNo, payment.OrderID]
	payments    table[string, payment.Payment] // by transaction id
	journal     table[payment.OrderID, []payment.Entry]
	refunds     table[payment.RefundID, payment.Refund]

	findings        table[findingKey, seenFinding]
	reconciliations table[payment.Day, reconciliation]
}

// findingKey names a finding: no two have the same one.
type findingKey struct {
	day         payment.Day
	kind        payment.FindingKind
	transaction string
	refund      payment.RefundNo
}

// seenFinding is a finding with the begin of the last comparison that has found it.
type seenFinding struct {
	payment.Finding
	seen time.Time
}

// reconciliation is the comparison of a day's bill.
type reconciliation struct{ leased, completed time.Time }

// stream is the place of a stream.
type stream struct {
	of    user.ID
	until time.Time
}

// failure is an attempt counted as failed: always for its source, and in the other groupings as it says.
type failure struct {
	access.Attempt
	at                time.Time
	inPair, inUnusual bool
}

// failures counts failed logins in sliding windows.
type failures struct {
	all   []failure
	usual table[access.Attempt, time.Time] // last login
}

type translations struct {
	kept   table[localisation.Key, translation]
	claims table[localisation.Key, claim] // only texts being translated
	spent  table[account, int64]
}

type translation struct {
	text    string
	expires time.Time
}

// claim is the holder of a claim on a text, with its expiry.
type claim struct {
	holder localisation.Holder
	until  time.Time
}

// account is the key under which spending is counted.
type account struct {
	translator string
	day        time.Time
}

type storedCase struct {
	moderation.Case
	copies moderation.Copies
}

// New returns an empty store.
func New() *Store {
	s := &Store{requests: keys{}}
	l, i, t := &s.ledger, &s.imports, &s.translations
	for _, one := range []interface{ make() }{
		&s.accounts, &s.telephones, &s.codes.all, &s.codes.spent, &s.members, &s.bios, &s.hiddenProfiles, &s.tokens, &s.spentUntil,
		&s.categories, &s.listings, &s.index,
		&s.subscriptions, &s.blocks, &s.events, &s.comments,
		&s.likes, &s.notifications, &s.streams, &s.readUpTo, &s.reports, &s.cases,
		&s.hidden, &s.publications, &s.nodes, &s.texts, &s.howTos, &s.demands, &s.images,
		&s.deletions, &s.pictures, &s.pictureBytes,
		&l.orders, &l.changes, &l.nextChecks, &l.prepayments, &l.tradeNos, &l.payments, &l.journal, &l.refunds, &l.findings, &l.reconciliations,
		&i.users, &i.sources, &i.hadAccount, &i.bundles, &i.news, &i.progress, &i.covers, &t.kept, &t.claims, &t.spent, &s.failures.usual,
	} {
		one.make()
	}
	s.Ports = s.WithQuotas(quota.Limits{})
	return s
}

// WithQuotas returns the ports of the store. They keep accounts within the quotas.
func (s *Store) WithQuotas(l quota.Limits) store.Ports {
	v := view{s, l}
	return store.Ports{
		Accounts: Accounts(v), Directory: Accounts(v), Tokens: Tokens(v), Throttle: Throttle(v), Codes: Codes(v),
		Categories: Categories(v), Subscriptions: Subscriptions(v), Blocks: Blocks(v),
		Events: Events(v), EventReader: Events(v), Discussion: Events(v), Related: Events(v), Notifications: Notifications(v),
		Moderation: Moderation(v), Feed: Feed(v), Publications: Publications(v), HowTos: HowTos(v), Translations: Translations(v),
		Images: Images(v), Ledger: Ledger{Keys(v)}, Keys: Keys(v), Deletions: DeletionQueue(v), Room: Room(v),
		Imports: ImportStore(v), Telemetry: Telemetry(v), PersonalData: PersonalData(v), Audit: Audit(v), Search: Search(v),
	}
}

// charged is write for a call that the charges pay for. If they are refused, or if fn fails, nothing is charged.
func charged[T any](ctx context.Context, s *Store, charges []ratelimit.Charge, fn func() (T, error)) (T, error) {
	return write(ctx, s, func() (T, error) {
		paid, err := s.pay(charges)
		if err != nil {
			return *new(T), err
		}
		result, err := fn()
		if err == nil {
			maps.Copy(s.spentUntil, paid)
		}
		return result, err
	})
}

// execCharged is charged for calls without a result.
func execCharged(ctx context.Context, s *Store, charges []ratelimit.Charge, fn func() error) error {
	_, err := charged(ctx, s, charges, func() (struct{}, error) { return struct{}{}, fn() })
	return err
}

// pay returns until when the accounts have paid after the charges, without storing it.
func (s *Store) pay(charges []ratelimit.Charge) (map[rateKey]time.Time, error) {
	paid := map[rateKey]time.Time{}
	for _, c := range charges {
		if c.IsFree() {
			continue
		}
		key := rateKey{c.Account, c.Action}
		until, err := c.Apply(s.spentUntil[key])
		if err != nil {
			return nil, err
		}
		paid[key] = until
	}
	return paid, nil
}

type Keys view

func keyIDOf(k idempotency.Key) keyID { return keyID{k.User, k.Name} }

func (v Keys) Reserve(ctx context.Context, k idempotency.Key, now, until time.Time) (*idempotency.Answer, error) {
	return write(ctx, v.s, func() (*idempotency.Answer, error) {
		if err := v.s.checkUser(k.User); err != nil {
			return nil, err
		}
		now, until = instant.Normalise(now), instant.Normalise(until)
		ks := v.s.requests
		maps.DeleteFunc(ks, func(_ keyID, k key) bool { return now.Sub(k.since) >= idempotency.KeyLife })
		kept, is := ks[keyIDOf(k)]
		switch {
		case !is:
		case kept.fingerprint != k.Fingerprint:
			return nil, idempotency.ErrKeyReused
		case kept.reservedUntil.IsZero():
			return &idempotency.Answer{Key: k, Kind: kept.kind, ID: kept.id, Reply: bytes.Clone(kept.reply), At: kept.since}, nil
		case now.Before(kept.reservedUntil):
			return nil, idempotency.ErrKeyInUse
		}
		ks[keyIDOf(k)] = key{fingerprint: k.Fingerprint, holder: k.Holder, since: now, reservedUntil: until}
		return nil, nil
	})
}

func (v Keys) Release(ctx context.Context, k idempotency.Key) error {
	return exec(ctx, v.s, func() error {
		if v.s.requests.checkHeld(&k) == nil {
			delete(v.s.requests, keyIDOf(k))
		}
		return nil
	})
}

// checkHeld returns ErrKeyInUse unless the holder of the key holds its reservation. The key may be nil.
func (ks keys) checkHeld(k *idempotency.Key) error {
	if k == nil {
		return nil
	}
	if kept := ks[keyIDOf(*k)]; kept.holder != k.Holder || kept.reservedUntil.IsZero() {
		return idempotency.ErrKeyInUse
	}
	return nil
}

// complete answers the key, which may be nil, with what was made.
func (ks keys) complete(k *idempotency.Key, kind idempotency.Kind, id int64) {
	if k == nil {
		return
	}
	kept := ks[keyIDOf(*k)]
	kept.reservedUntil, kept.kind, kept.id = time.Time{}, kind, id
	ks[keyIDOf(*k)] = kept
}

// checkUnanswered returns ErrKeyInUse if the key was answered meanwhile: its request has had its effect. The key may be nil.
func (ks keys) checkUnanswered(k *idempotency.Key) error {
	if k == nil {
		return nil
	}
	if kept, is := ks[keyIDOf(*k)]; is && (kept.reservedUntil.IsZero() || kept.fingerprint != k.Fingerprint) {
		return idempotency.ErrKeyInUse
	}
	return nil
}

func (ks keys) answer(a idempotency.Answer) {
	ks[keyIDOf(a.Key)] = key{
		fingerprint: a.Key.Fingerprint, since: instant.Normalise(a.At), kind: a.Kind, id: a.ID, reply: append([]byte(nil), a.Reply...),
	}
}
