package memory

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"plaza/domain/access"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/personaldata"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// PersonalData is the store as personaldata.Store.
type PersonalData struct{ s *Store }

// PersonalData returns the store's data of single persons.
func (s *Store) PersonalData() PersonalData { return PersonalData{s} }

var _ personaldata.Store = PersonalData{}

// owned is a record of a person, and how it is erased.
type owned struct {
	record personaldata.Record // nil: it is data of another person, and only erased
	order  [2]int64            // by which the records of a kind are sorted
	name   string              // or by this
	erase  func()              // nil: nothing is left to erase
}

// Records implements personaldata.Store.
func (v PersonalData) Records(ctx context.Context, id user.ID, k personaldata.Kind) iter.Seq2[personaldata.Record, error] {
	return func(yield func(personaldata.Record, error) bool) {
		if _, known := kinds[k]; !known {
			yield(nil, fmt.Errorf("unknown kind of personal data %q", k))
			return
		}
		for o, err := range snapshot(ctx, v.s, func() []owned { return v.s.owned(id, k) }) {
			if err == nil && o.record == nil {
				continue
			}
			if !yield(o.record, err) {
				return
			}
		}
	}
}

// Remaining implements personaldata.Store.
func (v PersonalData) Remaining(ctx context.Context, id user.ID, k personaldata.Kind) (int, error) {
	return read(ctx, v.s, func() (int, error) { return len(v.s.erasable(id, k)), nil })
}

// Erase implements personaldata.Store.
func (v PersonalData) Erase(ctx context.Context, id user.ID, k personaldata.Kind, limit int) (int, error) {
	return write(ctx, v.s, func() (int, error) {
		some := first(v.s.erasable(id, k), max(limit, 0))
		for _, o := range some {
			o.erase()
		}
		return len(some), nil
	})
}

func (s *Store) erasable(id user.ID, k personaldata.Kind) []owned {
	return slices.DeleteFunc(s.owned(id, k), func(o owned) bool { return o.erase == nil })
}

// owned returns the records of the kind, sorted.
func (s *Store) owned(id user.ID, k personaldata.Kind) []owned {
	all := kinds[k](s, id)
	sortFunc(all, func(a, b owned) int {
		return cmp.Or(cmp.Compare(a.order[0], b.order[0]), cmp.Compare(a.order[1], b.order[1]), cmp.Compare(a.name, b.name))
	})
	return all
}

// kinds find the records of each kind.
var kinds = map[personaldata.Kind]func(*Store, user.ID) []owned{
	personaldata.Account: (*Store).ownAccount, personaldata.Sessions: (*Store).ownSessions, personaldata.Events: (*Store).ownEvents,
	personaldata.Comments: (*Store).ownComments, personaldata.Likes: (*Store).ownLikes, personaldata.Follows: (*Store).ownFollows,
	personaldata.Images: (*Store).ownImages, personaldata.Publications: (*Store).ownPublications, personaldata.Nodes: (*Store).ownNodes,
	personaldata.Demands: (*Store).ownDemands, personaldata.HowTos: (*Store).ownHowTos, personaldata.Orders: (*Store).ownOrders,
	personaldata.Prepayments: (*Store).ownPrepayments, personaldata.Payments: (*Store).ownPayments, personaldata.Refunds: (*Store).ownRefunds,
	personaldata.IdempotencyKeys: (*Store).ownKeys, personaldata.RateLimits: (*Store).ownRateLimits,
	personaldata.FailedLogins: (*Store).ownFailedLogins, personaldata.LoginNetworks: (*Store).ownLoginNetworks,
}

func (s *Store) ownAccount(id user.ID) []owned {
	a, exists := s.accounts[id]
	if !exists {
		return nil
	}
	m := s.members[id]
	m.Seen = s.seen[id]
	o := owned{record: personaldata.NewAccountRecord(a, m, s.imports.sources[id])}
	if !a.IsErased() {
		o.erase = func() { s.eraseAccount(a, m) }
	}
	return []owned{o}
}

func (s *Store) eraseAccount(a access.Account, m user.Member) {
	delete(s.phones, a.Phone)
	s.failures.forget(a.Phone) // nothing leads from the account to its phone afterwards
	a.Close()
	a.Phone = user.ErasedPhone(a.User)
	s.putAccount(a)
	s.queueDeletion(m.Avatar.Keys()...)
	s.members[a.User] = user.Member{ID: a.User, Timezone: "UTC", Joined: m.Joined}
	delete(s.seen, a.User)
}

func (s *Store) ownSessions(id user.ID) (all []owned) {
	for _, t := range s.tokens {
		if t.User == id {
			all = append(all, owned{
				record: personaldata.NewSessionRecord(s.token(t.ID)), order: [2]int64{int64(t.ID)}, erase: func() { s.removeToken(t) },
			})
		}
	}
	return all
}

func (s *Store) ownEvents(id user.ID) (all []owned) {
	for _, e := range s.events {
		if e.Author == id {
			all = append(all, owned{record: personaldata.NewEventRecord(e), order: [2]int64{int64(e.ID)}, erase: func() { s.removeEvent(e) }})
		}
	}
	return all
}

func (s *Store) ownComments(id user.ID) (all []owned) {
	for _, said := range s.comments {
		for _, c := range said {
			if c.Author == id {
				all = append(all, owned{
					record: personaldata.NewCommentRecord(c), order: [2]int64{int64(c.Event), int64(c.ID)}, erase: func() { s.removeComment(c.ID) },
				})
			}
		}
	}
	return all
}

func (s *Store) ownLikes(id user.ID) (all []owned) {
	for on, by := range s.likes {
		if by[id] {
			all = append(all, owned{record: personaldata.LikeRecord{Event: on}, order: [2]int64{int64(on)}, erase: func() { delete(by, id) }})
		}
	}
	return all
}

func (s *Store) ownFollows(id user.ID) (all []owned) {
	for _, sub := range s.subscriptions {
		if sub.User != id && sub.Followed != id {
			continue
		}
		o := owned{order: [2]int64{int64(sub.ID)}, erase: func() {
			delete(s.subscriptions, sub.ID)
			delete(s.follows, followOf(sub))
		}}
		if sub.User == id {
			o.record = personaldata.NewFollowRecord(sub)
		}
		all = append(all, o)
	}
	return all
}

func (s *Store) ownImages(id user.ID) (all []owned) {
	for _, i := range s.images {
		if i.Owner == id {
			all = append(all, owned{record: personaldata.NewImageRecord(i), order: [2]int64{int64(i.ID)}, erase: func() { s.eraseImage(i) }})
		}
	}
	return all
}

func (s *Store) eraseImage(i userimage.Image) {
	if i.Deleted.IsZero() {
		s.queueDeletion(i.Key)
	}
	delete(s.undeleted[i.Owner], i.ID)
	delete(s.images, i.ID)
}

func (s *Store) ownPublications(id user.ID) (all []owned) {
	for _, p := range s.publications {
		if p.Author == id {
			all = append(all, owned{record: personaldata.NewPublicationRecord(p), order: [2]int64{int64(p.ID)}, erase: func() {
				delete(s.publications, p.ID)
				s.delist(itemOfPublication(p.ID), p.Cover.Key)
			}})
		}
	}
	return all
}

func (s *Store) ownNodes(id user.ID) (all []owned) {
	for _, n := range s.nodes {
		if n.Author == id {
			all = append(all, owned{record: personaldata.NewNodeRecord(n), order: [2]int64{int64(n.ID)}, erase: func() {
				delete(s.nodes, n.ID)
				s.delist(itemOfNode(n.ID), n.Cover.Key)
			}})
		}
	}
	return all
}

func (s *Store) ownDemands(id user.ID) (all []owned) {
	for _, d := range s.demands {
		if d.Author == id {
			all = append(all, owned{record: personaldata.NewDemandRecord(d), order: [2]int64{int64(d.ID)}, erase: func() {
				delete(s.demands, d.ID)
				s.delist(itemOfDemand(d.ID), d.Cover.Key)
			}})
		}
	}
	return all
}

// delist removes the listing of a removed record, and its cover unless another record has it.
func (s *Store) delist(at item, cover media.Key) {
	delete(s.listings, at)
	if cover == "" {
		return
	}
	for _, p := range s.publications {
		if p.Cover.Key == cover {
			return
		}
	}
	for _, n := range s.nodes {
		if n.Cover.Key == cover {
			return
		}
	}
	for _, d := range s.demands {
		if d.Cover.Key == cover {
			return
		}
	}
	for digest, p := range s.imports.covers {
		if p.Key == cover {
			delete(s.imports.covers, digest)
		}
	}
	s.queueDeletion(cover)
}

func (s *Store) ownHowTos(id user.ID) (all []owned) {
	for at, h := range s.howTos {
		if h.Robot == id {
			all = append(all, owned{record: personaldata.NewHowToRecord(h), name: h.Category, erase: func() { delete(s.howTos, at) }})
		}
	}
	return all
}

func (s *Store) ownOrders(id user.ID) (all []owned) {
	for _, order := range s.ledger.ordersOf(payment.OrderFilter{User: id}) {
		o := owned{record: personaldata.NewOrderRecord(order), order: [2]int64{int64(order.ID)}}
		if order.State != payment.Open && order.Subject != "" {
			o.erase = func() {
				order.Subject = ""
				s.ledger.orders[order.ID] = order
			}
		}
		all = append(all, o)
	}
	return all
}

func (s *Store) ownPrepayments(id user.ID) (all []owned) {
	for _, order := range s.ledger.ordersOf(payment.OrderFilter{User: id}) {
		theirs := s.ledger.prepayments[order.ID]
		for i, p := range theirs {
			o := owned{record: personaldata.NewPrepaymentRecord(order.ID, p), order: [2]int64{int64(order.ID), int64(i)}}
			if !p.IsAlive() && (p.Intent.OpenID != "" || p.Ticket.CodeURL != "" || p.Ticket.MWebURL != "" || len(p.Request) > 0) {
				o.erase = func() {
					p.Intent.OpenID, p.Ticket.CodeURL, p.Ticket.MWebURL, p.Request = "", "", "", nil
					theirs[i] = p
				}
			}
			all = append(all, o)
		}
	}
	return all
}

func (s *Store) ownPayments(id user.ID) (all []owned) {
	for _, p := range s.ledger.payments {
		if p.Order != 0 && s.ledger.orders[p.Order].User == id {
			all = append(all, owned{record: personaldata.NewPaymentRecord(p), order: [2]int64{int64(p.ID)}})
		}
	}
	return all
}

func (s *Store) ownRefunds(id user.ID) (all []owned) {
	for _, p := range s.ledger.payments {
		if p.Order == 0 || s.ledger.orders[p.Order].User != id {
			continue
		}
		for _, r := range s.ledger.refundsOf(p.ID) {
			o := owned{record: personaldata.NewRefundRecord(r), order: [2]int64{int64(r.ID)}}
			if r.IsFinal() && r.Reason != "" {
				o.erase = func() {
					r.Reason = ""
					s.ledger.refunds[r.ID] = r
				}
			}
			all = append(all, o)
		}
	}
	return all
}

func (s *Store) ownKeys(id user.ID) (all []owned) {
	for at, k := range s.requests.entries {
		if at.user == id {
			record := personaldata.IdempotencyKeyRecord{Name: at.name, Since: k.since, Made: k.kind, ID: k.id}
			all = append(all, owned{record: record, name: at.name, erase: func() { delete(s.requests.entries, at) }})
		}
	}
	return all
}

func (s *Store) ownRateLimits(id user.ID) (all []owned) {
	for at, until := range s.spentUntil {
		if at.account == int64(id) {
			record := personaldata.RateLimitRecord{Action: at.action, Until: until.UTC()}
			all = append(all, owned{record: record, name: string(at.action), erase: func() { delete(s.spentUntil, at) }})
		}
	}
	return all
}

// ownFailedLogins takes the failures from the groups of the sources, which have each of them once.
func (s *Store) ownFailedLogins(id user.ID) (all []owned) {
	phone := s.accounts[id].Phone
	for g, counted := range s.failures.counts {
		for i, f := range counted {
			if g.grouping == access.BySourceAny && f.Phone == phone {
				all = append(all, owned{
					record: personaldata.FailedLoginRecord{Network: f.Source.String(), At: f.at.UTC()},
					order:  [2]int64{f.at.UnixMicro(), int64(i)}, name: f.Source.String(), erase: func() { s.failures.uncount(f.Attempt) },
				})
			}
		}
	}
	return all
}

func (s *Store) ownLoginNetworks(id user.ID) (all []owned) {
	phone := s.accounts[id].Phone
	for a, last := range s.failures.usual {
		if a.Phone == phone {
			record := personaldata.LoginNetworkRecord{Network: a.Source.String(), Last: last.UTC()}
			all = append(all, owned{record: record, name: a.Source.String(), erase: func() { delete(s.failures.usual, a) }})
		}
	}
	return all
}
