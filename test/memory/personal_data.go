package memory

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/block"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/payment"
	"plaza/domain/personaldata"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
	"plaza/domain/verification"
)

type PersonalData view

// owned is a record of a person, and how it is erased.
type owned struct {
	record personaldata.Record // nil: it is data of another person, and only erased
	order  int64               // by which the records of a kind are sorted
	then   int64               // and by which those of the same order are
	name   string              // or by this
	erase  func()              // nil: nothing is left to erase
}

func (v PersonalData) Records(ctx context.Context, id user.ID, k personaldata.Kind) iter.Seq2[personaldata.Record, error] {
	return func(yield func(personaldata.Record, error) bool) {
		if _, known := v.s.kinds(id)[k]; !known {
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

func (v PersonalData) Remaining(ctx context.Context, id user.ID, k personaldata.Kind) (int, error) {
	return read(ctx, v.s, func() (int, error) { return len(v.s.erasable(id, k)), nil })
}

func (v PersonalData) Erase(ctx context.Context, id user.ID, k personaldata.Kind, limit int) (int, error) {
	return write(ctx, v.s, func() (int, error) {
		some := first(v.s.erasable(id, k), max(limit, 0))
		for _, o := range some {
			o.erase()
		}
		return len(some), nil
	})
}

func (v PersonalData) Charge(ctx context.Context, charges ...ratelimit.Charge) error {
	return execCharged(ctx, v.s, charges, func() error { return nil })
}

func (s *Store) erasable(id user.ID, k personaldata.Kind) []owned {
	return slices.DeleteFunc(s.owned(id, k), func(o owned) bool { return o.erase == nil })
}

// owned returns the records of the kind, sorted.
func (s *Store) owned(id user.ID, k personaldata.Kind) []owned {
	return sorted(s.kinds(id)[k], func(a, b owned) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.then, b.then), cmp.Compare(a.name, b.name))
	})
}

// own yields what of returns for the admitted values.
func own[V any](values iter.Seq[V], admits func(V) bool, of func(V) owned) iter.Seq[owned] {
	return func(yield func(owned) bool) {
		for v := range filter(values, admits) {
			if !yield(of(v)) {
				return
			}
		}
	}
}

// only returns the record if it is the person's own.
func only(isOwn bool, r personaldata.Record) personaldata.Record {
	if isOwn {
		return r
	}
	return nil
}

// kinds returns the user's records of all kinds.
func (s *Store) kinds(id user.ID) map[personaldata.Kind]iter.Seq[owned] {
	isPhone := func(a access.Attempt) bool { return a.Phone == s.accounts[id].Phone }
	isNumber := func(n verification.Number) bool {
		return !n.IsZero() && n == verification.NumberOf(s.accounts[id].Phone)
	}
	isPaid := func(p payment.Payment) bool { return p.Order != 0 && s.ledger.orders[p.Order].User == id }
	return map[personaldata.Kind]iter.Seq[owned]{
		personaldata.Account: own(maps.Values(s.accounts), func(a access.Account) bool { return a.User == id }, s.ownAccount),
		personaldata.Sessions: own(maps.Values(s.tokens), func(t access.Token) bool { return t.User == id }, func(t access.Token) owned {
			t.Hash = access.KeyHash{}
			return owned{record: t, order: int64(t.ID), erase: func() { delete(s.tokens, t.ID) }}
		}),
		personaldata.Events: own(maps.Values(s.events), func(e event.State) bool { return e.Author == id }, func(e event.State) owned {
			return owned{record: e, order: int64(e.ID), erase: func() { s.removeEvent(e) }}
		}),
		personaldata.Comments: own(maps.Values(s.comments), func(c event.Comment) bool { return c.Author == id }, func(c event.Comment) owned {
			return owned{record: c, order: int64(c.Event), then: int64(c.ID), erase: func() { s.removeComment(c) }}
		}),
		personaldata.Likes: own(maps.Keys(s.likes), func(on event.ID) bool { return s.likes[on][id] }, func(on event.ID) owned {
			return owned{record: on, order: int64(on), erase: func() { s.removeLike(on, id) }}
		}),
		personaldata.Follows: own(maps.Values(s.subscriptions), func(sub subscription.Subscription) bool {
			return sub.User == id || sub.Followed == id
		}, func(sub subscription.Subscription) owned {
			return owned{record: only(sub.User == id, sub), order: int64(sub.ID), erase: func() { s.removeSubscription(sub) }}
		}),
		personaldata.Blocks: own(maps.Values(s.blocks), func(b block.Block) bool { return b.By == id || b.Whom == id },
			func(b block.Block) owned {
				return owned{record: only(b.By == id, b), order: int64(b.Whom), erase: func() { delete(s.blocks, blockKey{b.By, b.Whom}) }}
			}),
		personaldata.Notifications: own(maps.Values(s.notifications), func(n notified) bool { return n.To == id || n.By == id },
			func(n notified) owned {
				record := only(n.To == id && !n.isWithdrawn, personaldata.Notification{ID: n.id, Notice: n.Notice})
				return owned{record: record, order: int64(n.id), erase: func() { delete(s.notifications, n.id) }}
			}),
		personaldata.Reports: own(maps.Values(s.reports), func(r moderation.Report) bool { return r.By == id }, func(r moderation.Report) owned {
			return owned{record: s.reported(r), order: int64(r.ID), erase: func() { delete(s.reports, r.ID) }}
		}),
		personaldata.Cases: own(maps.Values(s.cases), func(c storedCase) bool { return c.Owner == id && c.IsDecided() },
			func(c storedCase) owned {
				return owned{record: withoutKept(c), order: int64(c.ID), erase: func() { s.removeCase(c) }}
			}),
		personaldata.Hidden: own(maps.Values(s.hidden), func(h moderation.Hiding) bool { return h.Owner == id }, func(h moderation.Hiding) owned {
			return owned{record: h, order: h.ID, erase: func() { delete(s.hidden, h.Thing) }}
		}),
		personaldata.Images: own(maps.Values(s.images), func(i userimage.Image) bool { return i.Owner == id }, func(i userimage.Image) owned {
			return owned{record: i, order: int64(i.ID), erase: func() { s.eraseImage(i) }}
		}),
		personaldata.Publications: own(maps.Values(s.publications), func(p publication.Publication) bool {
			return p.Author == id
		}, func(p publication.Publication) owned {
			return owned{record: personaldata.Publication{Publication: p, HTML: s.texts[itemOf(feed.Publication, p.ID)]}, order: int64(p.ID),
				erase: func() {
					delete(s.publications, p.ID)
					s.delist(itemOf(feed.Publication, p.ID), p.Cover.Key)
				}}
		}),
		personaldata.Nodes: own(maps.Values(s.nodes), func(n publication.Node) bool { return n.Author == id }, func(n publication.Node) owned {
			return owned{record: personaldata.Node{Node: n, HTML: s.texts[itemOf(feed.Node, n.ID)]}, order: int64(n.ID), erase: func() {
				delete(s.nodes, n.ID)
				s.delist(itemOf(feed.Node, n.ID), n.Cover.Key)
			}}
		}),
		personaldata.Demands: own(maps.Values(s.demands), func(d demand.Demand) bool { return d.Author == id }, func(d demand.Demand) owned {
			return owned{record: d, order: int64(d.ID), erase: func() {
				delete(s.demands, d.ID)
				s.delist(itemOf(feed.Demand, d.ID), d.Cover.Key)
			}}
		}),
		personaldata.HowTos: own(maps.Keys(s.howTos), func(at howToKey) bool { return at.robot == id }, func(at howToKey) owned {
			return owned{record: s.howTos[at], name: at.category, erase: func() { delete(s.howTos, at) }}
		}),
		personaldata.Orders:      own(maps.Values(s.ledger.orders), func(o payment.Order) bool { return o.User == id }, s.ownOrder),
		personaldata.Prepayments: s.ownPrepayments(id),
		personaldata.Payments: own(maps.Values(s.ledger.payments), isPaid, func(p payment.Payment) owned {
			return owned{record: p, order: int64(p.ID)}
		}),
		personaldata.Refunds: own(maps.Values(s.ledger.refunds), func(r payment.Refund) bool {
			paid, _ := s.ledger.paymentByID(r.Payment)
			return isPaid(paid)
		}, s.ownRefund),
		personaldata.IdempotencyKeys: own(maps.Keys(s.requests), func(at keyID) bool { return at.user == id }, func(at keyID) owned {
			k := s.requests[at]
			record := personaldata.IdempotencyKey{Name: at.name, Since: k.since, Made: k.kind, ID: k.id}
			return owned{record: record, name: at.name, erase: func() { delete(s.requests, at) }}
		}),
		personaldata.RateLimits: own(maps.Keys(s.spentUntil), func(at rateKey) bool { return at.account == int64(id) }, func(at rateKey) owned {
			record := personaldata.RateLimit{Action: at.action, Until: s.spentUntil[at].UTC()}
			return owned{record: record, name: string(at.action), erase: func() { delete(s.spentUntil, at) }}
		}),
		personaldata.FailedLogins: own(slices.Values(s.failures.all), func(f failure) bool { return isPhone(f.Attempt) }, func(f failure) owned {
			record := personaldata.FailedLogin{Network: f.Source.String(), At: f.at.UTC()}
			return owned{record: record, order: f.at.UnixMicro(), name: f.Source.String(), erase: func() { s.failures.uncount(f.Attempt) }}
		}),
		personaldata.Codes: own(maps.Values(s.codes.all), func(c verification.State) bool { return isNumber(c.Number) },
			func(c verification.State) owned {
				return owned{record: c, order: c.Made.UnixMicro(), name: string(c.ID), erase: func() { delete(s.codes.all, c.ID) }}
			}),
		personaldata.CodeUses: own(slices.Values(s.codes.uses), func(u codeUse) bool { return isNumber(u.number) }, func(u codeUse) owned {
			record := personaldata.CodeUse{Use: u.kind, Network: access.SourceOf(u.from).String(), At: u.at.UTC()}
			return owned{record: record, order: u.at.UnixMicro(), erase: func() {
				s.codes.uses = slices.DeleteFunc(s.codes.uses, func(other codeUse) bool { return other == u })
			}}
		}),
		personaldata.StaffActs: own(slices.Values(s.audit), func(r audit.Record) bool { return r.About == id || r.By.Staff == id },
			func(r audit.Record) owned {
				o := owned{record: only(r.About == id, r), order: int64(r.ID)}
				if r.Reason+r.ByName+r.AboutName != "" {
					o.erase = func() {
						r.Reason, r.ByName, r.AboutName = "", "", ""
						s.audit[r.ID-1] = r
					}
				}
				return o
			}),
		personaldata.LoginNetworks: own(maps.Keys(s.failures.usual), isPhone, func(a access.Attempt) owned {
			record := personaldata.LoginNetwork{Network: a.Source.String(), LastLogin: s.failures.usual[a].UTC()}
			return owned{record: record, name: a.Source.String(), erase: func() { delete(s.failures.usual, a) }}
		}),
	}
}

func (s *Store) ownAccount(a access.Account) owned {
	shown := a
	shown.Hash = ""
	member, bio := s.members[a.User], s.bios[a.User]
	if own, isHidden := s.hiddenProfiles[a.User]; isHidden {
		bio = own.Bio
		own.Timezone, own.Seen = member.Timezone, member.Seen
		member = own.Member
	}
	o := owned{record: personaldata.Person{Account: shown, Member: member, Bio: bio, Source: s.imports.sources[a.User]}}
	if !a.IsErased() {
		o.erase = func() { s.eraseAccount(a) }
	}
	return o
}

func (s *Store) eraseAccount(a access.Account) {
	delete(s.telephones, a.Phone.E164())
	s.failures.forget(a.Phone) // nothing leads from the account to its phone afterwards
	s.codes.forget(verification.NumberOf(a.Phone))
	isErasing := a.Erasing
	a.Close()
	a.Erasing = isErasing
	a.Phone = user.ErasedPhone(a.User)
	s.putAccount(a)
	delete(s.readUpTo, a.User)
	delete(s.bios, a.User)
	m := s.members[a.User]
	s.queueDeletion(append(m.Avatar.Keys(), s.hiddenProfiles[a.User].Avatar.Keys()...)...)
	s.unhide(moderation.Profile, int64(a.User))
	delete(s.hiddenProfiles, a.User)
	s.members[a.User] = user.Member{ID: a.User, Timezone: "UTC", Joined: m.Joined}
}

func (s *Store) eraseImage(i userimage.Image) {
	if i.Deleted.IsZero() {
		s.queueDeletion(i.Key)
	}
	delete(s.images, i.ID)
}

// delist removes the listing and the text of a removed record, that it is hidden, and its cover unless another record has it.
func (s *Store) delist(at item, cover media.Key) {
	delete(s.listings, at)
	delete(s.index, at)
	delete(s.hidden, moderation.Thing{Kind: moderation.Kind(at.kind), ID: at.id})
	delete(s.texts, at)
	s.discardCover(cover)
}

func (s *Store) ownOrder(order payment.Order) owned {
	o := owned{record: order, order: int64(order.ID)}
	if order.State != payment.Open && order.Subject != "" {
		order.Subject = ""
		o.erase = func() { s.ledger.orders[order.ID] = order }
	}
	return o
}

func (s *Store) ownPrepayments(id user.ID) iter.Seq[owned] {
	return func(yield func(owned) bool) {
		for order := range s.ledger.orders.where(func(o payment.Order) bool { return o.User == id }) {
			theirs := s.ledger.prepayments[order.ID]
			for i, p := range theirs {
				o := owned{record: personaldata.Prepayment{Order: order.ID, Prepayment: p}, order: int64(order.ID), then: int64(i)}
				if !p.IsAlive() && (p.Intent.OpenID != "" || p.Ticket.CodeURL != "" || p.Ticket.MWebURL != "" || len(p.Request) > 0) {
					p.Intent.OpenID, p.Ticket.CodeURL, p.Ticket.MWebURL, p.Request = "", "", "", nil
					o.erase = func() { theirs[i] = p }
				}
				if !yield(o) {
					return
				}
			}
		}
	}
}

func (s *Store) ownRefund(r payment.Refund) owned {
	o := owned{record: r, order: int64(r.ID)}
	if r.IsFinal() && r.Reason != "" {
		r.Reason = ""
		o.erase = func() { s.ledger.refunds[r.ID] = r }
	}
	return o
}
