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
	// checkEvery is how often it checks their keys, and renews their places.
	checkEvery = 5 * time.Second
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
	Sent     atomic.Int64 // notifications and orders
	Cut      atomic.Int64 // streams whose clients were too slow
	lag      atomic.Int64 // of the last notification that was delivered

	mu         sync.Mutex
	open       map[*Stream]struct{}
	isStopping bool
	checked    time.Time // only Deliver uses it
}

// NewStreams returns the use case over the stores.
func NewStreams(store notification.Store, tokens access.Tokens, accounts access.Accounts, now func() time.Time) *Streams {
	return &Streams{store: store, tokens: tokens, accounts: accounts, now: now, open: map[*Stream]struct{}{}}
}

// Stream is what comes for a person.
type Stream struct {
	News   chan Delivery // closed when the stream ends
	of     user.ID
	place  int64
	key    access.KeyHash
	at     notification.Position
	change int64 // of what was delivered
	unread int
}

// Delivery is what came since the last one, or since the stream broke.
type Delivery struct {
	Since notification.Position
	notification.News
	IsReset   bool // too much came: the client reads the lists anew
	HasUnread bool // the number of unread notifications has changed
	Next      notification.Position
}

// Open opens a stream of the actor, who has the key. It begins behind the position that the client kept, or with what comes from now on. A
// text that is no position is one that is too old.
func (s *Streams) Open(ctx context.Context, actor access.Actor, key secret.String, last string) (*Stream, error) {
	now := s.now()
	hash, _ := access.HashKey(key)
	place, newest, err := s.store.OpenStream(ctx, actor.ID, now, now.Add(notification.StreamLease))
	if err != nil {
		return nil, err
	}
	stream := &Stream{News: make(chan Delivery, 1), of: actor.ID, place: place, key: hash, at: newest, change: -1, unread: -1}
	kept, isPosition := notification.ParsePosition(last)
	switch {
	case isPosition && kept.Change <= newest.Change:
		stream.at = kept
	case last != "":
		stream.News <- Delivery{IsReset: true, Next: newest}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[stream] = struct{}{}
	if s.isStopping {
		s.end(stream)
	}
	return stream, nil
}

// Close frees the place of the stream.
func (s *Streams) Close(ctx context.Context, stream *Stream) error {
	s.mu.Lock()
	s.end(stream)
	s.mu.Unlock()
	return s.store.CloseStream(ctx, stream.place)
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
	s.isStopping = true
	for stream := range s.open {
		s.end(stream)
	}
}

// IsStopping reports whether the server is stopping, and clients are to come back elsewhere.
func (s *Streams) IsStopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isStopping
}

// all returns the open streams.
func (s *Streams) all() []*Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.open))
}

// Count returns how many streams are open.
func (s *Streams) Count() int { return len(s.all()) }

// Lag returns how long after it was made the last notification was delivered.
func (s *Streams) Lag() time.Duration { return time.Duration(s.lag.Load()) }

// Deliver delivers what came since the last call, and ends the streams whose keys have ended.
func (s *Streams) Deliver(ctx context.Context) error {
	streams := s.all()
	if len(streams) == 0 {
		return nil
	}
	var failed error
	if now := s.now(); now.Sub(s.checked) >= checkEvery {
		if failed = s.check(ctx, streams, now); failed == nil {
			s.checked = now
		}
	}
	changes, err := s.store.Changes(ctx, of(streams))
	if err != nil {
		return errors.Join(failed, err)
	}
	// A stream whose client has not taken the last delivery gets the next one later, with all that comes until then.
	due := slices.DeleteFunc(streams, func(t *Stream) bool { return len(t.News) > 0 || t.change == changes[t.of] })
	for batch := range slices.Chunk(due, deliverBatch) {
		failed = errors.Join(failed, s.deliver(ctx, batch, changes))
	}
	return failed
}

// of returns the people of the streams, each once.
func of(streams []*Stream) []user.ID {
	people := map[user.ID]bool{}
	for _, t := range streams {
		people[t.of] = true
	}
	return slices.Sorted(maps.Keys(people))
}

// check renews the places of the streams, and ends those without a valid key.
func (s *Streams) check(ctx context.Context, streams []*Stream, now time.Time) error {
	places := make([]int64, len(streams))
	for i, t := range streams {
		places[i] = t.place
	}
	failed := s.store.RenewStreams(ctx, places, now.Add(notification.StreamLease))
	tokens, err := s.tokens.OfUsers(ctx, of(streams)...)
	if err != nil {
		return errors.Join(failed, err)
	}
	accounts, err := s.accounts.AccountsOf(ctx, of(streams))
	if err != nil {
		return errors.Join(failed, err)
	}
	account, valid := map[user.ID]access.Account{}, map[access.KeyHash]bool{}
	for _, a := range accounts {
		account[a.User] = a
	}
	for _, t := range tokens {
		actor, err := access.Session{Token: t, Account: account[t.User]}.Actor(now, false)
		valid[t.Hash] = err == nil && actor.Has(access.XfileEvent)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range streams {
		if !valid[t.key] {
			s.end(t)
		}
	}
	return failed
}

// deliver reads the news of the streams, and gives them to those that are still open.
func (s *Streams) deliver(ctx context.Context, streams []*Stream, changes map[user.ID]int64) error {
	since := make([]notification.Since, len(streams))
	for i, t := range streams {
		since[i] = notification.Since{Of: t.of, At: t.at}
	}
	news, err := s.store.News(ctx, since)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, t := range streams {
		if _, isOpen := s.open[t]; isOpen {
			s.give(t, news[i])
			t.change = changes[t.of]
		}
	}
	return nil
}

// give delivers the news to the stream, if there is any.
func (s *Streams) give(t *Stream, news notification.News) {
	d := Delivery{Since: t.at, News: news, HasUnread: news.Unread != t.unread, Next: t.at}
	if len(news.Items) > 0 {
		d.Next.Notification = news.Items[0].ID
		s.lag.Store(int64(s.now().Sub(news.Items[0].Created)))
	}
	if n := len(news.Orders); n > 0 {
		d.Next.Change = news.Orders[n-1].Change
	}
	if d.IsReset = len(news.Items)+len(news.Orders) > notification.MaxNews; d.IsReset {
		d.Items, d.Orders = nil, nil
	}
	s.Sent.Add(int64(len(d.Items) + len(d.Orders)))
	if d.Next != t.at || d.HasUnread {
		t.at, t.unread = d.Next, news.Unread
		t.News <- d // it has room for one, and Deliver alone fills it
	}
}
