package notifications

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"plaza/domain/access"
	"plaza/domain/notification"
	"plaza/domain/secret"
	"plaza/domain/user"
)

const (
	// DeliverEvery is how often a server asks for what came for all of its streams.
	DeliverEvery = time.Second
	// checkTurns is in how many calls of Deliver it checks all keys, and renews all places: a part in each, so that none takes long.
	checkTurns = 5
	// deliverBatch is for how many streams it reads news at once.
	deliverBatch = 200
)

// Streams implements the use case of live notifications (NTF-04): it delivers to each open stream what came for its person. Deliver
// is called again and again. It asks for all streams together, and asks nothing without any.
type Streams struct {
	store    notification.Streams
	tokens   access.Tokens
	accounts access.Accounts
	now      func() time.Time
	Cut      atomic.Int64 // streams whose clients were too slow
	lag      atomic.Int64 // of the last notification that was delivered

	turn int64 // of checks; only Deliver uses it
	mu   sync.Mutex
	open map[*Stream]struct{} // nil: the server is stopping
}

// NewStreams returns the use case over the stores.
func NewStreams(store notification.Store, tokens access.Tokens, accounts access.Accounts, now func() time.Time) *Streams {
	return &Streams{store: store, tokens: tokens, accounts: accounts, now: now, open: map[*Stream]struct{}{}}
}

// Stream is what comes for a person.
type Stream struct {
	News   chan Delivery // closed when the stream ends
	since  notification.Since
	key    access.KeyHash
	change int64 // of what was delivered
	unread int
}

// Delivery is what came behind the position: since the last one, or since the stream broke.
type Delivery struct {
	At notification.Position
	notification.News
	IsReset   bool // too much came: the client reads the lists anew
	HasUnread bool // the number of unread notifications has changed
}

// Open opens a stream of the actor, who has the key. It follows the stream whose position the client kept, or begins with what comes
// from now on. A text that is no position is one that is too old.
func (s *Streams) Open(ctx context.Context, actor access.Actor, key secret.String, last string) (*Stream, error) {
	kept, isPosition := notification.ParsePosition(last)
	now := s.now()
	at, err := s.store.OpenStream(ctx, actor.ID, kept.Place, now, now.Add(notification.StreamLease))
	if err != nil {
		return nil, err
	}
	hash, _ := access.HashKey(key)
	stream := &Stream{News: make(chan Delivery, 1), since: notification.Since{Of: actor.ID, At: at}, key: hash, change: -1, unread: -1}
	switch {
	case isPosition && kept.Change <= at.Change:
		kept.Place = at.Place
		stream.since.At = kept
	case last != "":
		stream.News <- Delivery{IsReset: true, At: at}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		close(stream.News)
	} else {
		s.open[stream] = struct{}{}
	}
	return stream, nil
}

// Close frees the place of the stream.
func (s *Streams) Close(ctx context.Context, stream *Stream) error {
	s.mu.Lock()
	s.end(stream)
	s.mu.Unlock()
	return s.store.CloseStream(ctx, stream.since.At.Place)
}

// end ends the stream. The caller has locked mu.
func (s *Streams) end(stream *Stream) {
	if _, isOpen := s.open[stream]; isOpen {
		delete(s.open, stream)
		close(stream.News)
	}
}

// Stop ends all streams, and those that are opened later.
func (s *Streams) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for stream := range s.open {
		s.end(stream)
	}
	s.open = nil
}

// IsStopping reports whether the server is stopping, and clients are to come back elsewhere.
func (s *Streams) IsStopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open == nil
}

func (s *Streams) all() []*Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.open))
}

// Count returns how many streams are open.
func (s *Streams) Count() int { return len(s.all()) }

// Lag returns how long after it was made the last notification was delivered.
func (s *Streams) Lag() time.Duration { return time.Duration(s.lag.Load()) }

// Deliver delivers what came since the last call. It ends streams whose keys have ended, or which another one follows.
func (s *Streams) Deliver(ctx context.Context) error {
	streams := s.all()
	if len(streams) == 0 {
		return nil
	}
	s.turn++
	failed := s.check(ctx, slices.DeleteFunc(slices.Clone(streams), func(t *Stream) bool {
		return (t.since.At.Place+s.turn)%checkTurns != 0
	}))
	changes, err := s.store.Changes(ctx, of(streams))
	if err != nil {
		return errors.Join(failed, err)
	}
	// A stream whose client has not taken the last delivery gets the next one later, with all that comes until then.
	due := slices.DeleteFunc(streams, func(t *Stream) bool { return len(t.News) > 0 || t.change == changes[t.since.Of] })
	for batch := range slices.Chunk(due, deliverBatch) {
		failed = errors.Join(failed, s.deliver(ctx, batch, changes))
	}
	return failed
}

// of returns the people of the streams, each once.
func of(streams []*Stream) []user.ID {
	people := map[user.ID]bool{}
	for _, t := range streams {
		people[t.since.Of] = true
	}
	return slices.Sorted(maps.Keys(people))
}

// check renews the places of the streams, and ends those without a place or a valid key.
func (s *Streams) check(ctx context.Context, streams []*Stream) error {
	if len(streams) == 0 {
		return nil
	}
	now, people := s.now(), of(streams)
	places := make([]int64, len(streams))
	for i, t := range streams {
		places[i] = t.since.At.Place
	}
	held, noPlaces := s.store.RenewStreams(ctx, places, now.Add(notification.StreamLease))
	tokens, noTokens := s.tokens.OfUsers(ctx, people...)
	accounts, noAccounts := s.accounts.AccountsOf(ctx, people)
	if err := errors.Join(noPlaces, noTokens, noAccounts); err != nil {
		return err
	}
	account, valid := map[user.ID]access.Account{}, map[access.KeyHash]bool{}
	for _, a := range accounts {
		account[a.User] = a
	}
	for _, t := range tokens {
		actor, err := access.Session{Token: t, Account: account[t.User]}.Actor(now, false)
		valid[t.Hash] = err == nil && actor.Has(access.XfileEvent)
	}
	slices.Sort(held)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range streams {
		if _, isHeld := slices.BinarySearch(held, t.since.At.Place); !isHeld || !valid[t.key] {
			s.end(t)
		}
	}
	return nil
}

// deliver reads the news of the streams, and gives them to those that are still open.
func (s *Streams) deliver(ctx context.Context, streams []*Stream, changes map[user.ID]int64) error {
	since := make([]notification.Since, len(streams))
	for i, t := range streams {
		since[i] = t.since
	}
	news, err := s.store.News(ctx, since)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, t := range streams {
		if _, isOpen := s.open[t]; isOpen {
			t.change = changes[t.since.Of]
			s.give(t, news[i])
		}
	}
	return nil
}

// give delivers the news to the stream, if there is any.
func (s *Streams) give(t *Stream, news notification.News) {
	d := Delivery{At: t.since.At, News: news, HasUnread: news.Unread != t.unread}
	if len(news.Items) > 0 {
		t.since.At.Notification = news.Items[0].ID
		if t.unread >= 0 { // else they came while the client was away
			s.lag.Store(int64(s.now().Sub(news.Items[0].Created)))
		}
	}
	if n := len(news.Orders); n > 0 {
		t.since.At.Change = news.Orders[n-1].Change
	}
	if d.IsReset = len(news.Items)+len(news.Orders) > notification.MaxNews; d.IsReset {
		d.At, d.Items, d.Orders = t.since.At, nil, nil
	}
	if t.unread = news.Unread; d.HasUnread || d.IsReset || d.At != t.since.At {
		t.News <- d // it has room for one, and Deliver alone fills it
	}
}
