package bunstore

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"plaza/domain/access"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/personaldata"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// personalRead reads the records of a kind in the order of their keys.
//
// A key that is not the end of an index on the user is written as an expression, like id + 0: a database that could walk
// the primary key from there would read the records of everyone.
type personalRead struct {
	keys    []string
	begin   []any // less than every key
	columns string
	from    string // and the condition on the user, $1
	read    func(d dialect, keys []any) func(scanner) (personaldata.Record, error)
}

// statement returns the query for the records after a key.
func (p personalRead) statement() string {
	parameters := make([]string, len(p.begin))
	for i := range p.begin {
		parameters[i] = "$" + strconv.Itoa(2+i)
	}
	keys, after := strings.Join(p.keys, ", "), strings.Join(parameters, ", ")
	if len(p.keys) > 1 {
		after = "(" + keys + ") > (" + after + ")"
	} else {
		after = keys + " > " + after
	}
	return "SELECT " + keys + ", " + p.columns + " FROM " + p.from + " AND " + after + " ORDER BY " + keys +
		" LIMIT CAST($" + strconv.Itoa(2+len(p.begin)) + " AS bigint)"
}

// keyTargets returns scan targets for the keys.
func (p personalRead) keyTargets() []any {
	targets := make([]any, len(p.begin))
	for i, key := range p.begin {
		if _, is := key.(string); is {
			targets[i] = new(string)
		} else {
			targets[i] = new(int64)
		}
	}
	return targets
}

// values returns what keyTargets have scanned.
func values(targets []any) []any {
	all := make([]any, len(targets))
	for i, target := range targets {
		switch target := target.(type) {
		case *string:
			all[i] = *target
		case *int64:
			all[i] = *target
		}
	}
	return all
}

// scanned returns a reader of rows into an R, which record turns into a personaldata.Record.
func scanned[R any](targets func(*R, dialect) []any, record func(R) (personaldata.Record, error)) func(dialect, []any) func(scanner) (personaldata.Record, error) {
	return func(d dialect, keys []any) func(scanner) (personaldata.Record, error) {
		return func(scan scanner) (personaldata.Record, error) {
			var row R
			if err := scan(append(slices.Clone(keys), targets(&row, d)...)...); err != nil {
				return nil, err
			}
			return record(row)
		}
	}
}

// recordOf returns convert as a function that cannot fail.
func recordOf[R, P any](convert func(R) P) func(R) (personaldata.Record, error) {
	return func(r R) (personaldata.Record, error) { return convert(r), nil }
}

// asIs reads into the record itself.
func asIs[R any](r R) (personaldata.Record, error) { return r, nil }

// ofPhone is the condition on rows that belong to the phone number of the user, $1.
const ofPhone = "phone = (SELECT u.phone FROM users u WHERE u.id = $1)"

// imagesOfPerson returns the images i of the owner $1, deleted ones included, each from an index.
func imagesOfPerson(columns string) string {
	images := "SELECT " + columns + " FROM images WHERE owner_id = $1 AND deleted IS "
	return "(" + images + "NULL UNION ALL " + images + "NOT NULL) i"
}

// personalReads returns how each kind is read.
func personalReads(d dialect) map[personaldata.Kind]personalRead {
	number, text := []any{int64(0)}, []any{""}
	return map[personaldata.Kind]personalRead{
		personaldata.Account: {
			[]string{"u.id"}, number, "u.id, u.phone, u.scopes, u.staff, u.disabled, u.source, u.avatar, p.seen, " + memberColumns.of("u"),
			"users u LEFT JOIN presence p ON p.user_id = u.id WHERE u.id = $1", readAccount,
		},
		personaldata.Sessions: {
			[]string{"t.id + 0"}, number, "t.id, t.scopes, t.ttl, t.created, w.used",
			"tokens t JOIN token_uses w ON w.token_id = t.id WHERE t.user_id = $1", readSession,
		},
		personaldata.Events: {
			[]string{"e.id + 0"}, number, storedColumns(d, withoutCounts), "events e WHERE e.author_id = $1",
			scanned(func(e *storedEvent, d dialect) []any { return e.targets(d) },
				func(e storedEvent) (personaldata.Record, error) { return personaldata.NewEventRecord(e.State), nil }),
		},
		personaldata.Comments: {
			[]string{"c.event_id", "c.id"}, []any{int64(0), int64(0)}, "c.id, c.event_id, c.content, c.created",
			"comments c WHERE c.author_id = $1",
			scanned(func(c *event.Comment, _ dialect) []any {
				return []any{(*int64)(&c.ID), (*int64)(&c.Event), &c.Content, intoTime{&c.Created}}
			}, recordOf(personaldata.NewCommentRecord)),
		},
		personaldata.Likes: {
			[]string{"l.event_id"}, number, "l.event_id", "likes l WHERE l.user_id = $1",
			scanned(func(l *personaldata.LikeRecord, _ dialect) []any { return []any{(*int64)(&l.Event)} }, asIs),
		},
		personaldata.Follows: {
			[]string{"s.id + 0"}, number, "s.id, s.followed_id, s.category_id, s.created", "subscriptions s WHERE s.user_id = $1",
			scanned(func(s *subscription.Subscription, _ dialect) []any {
				return []any{(*int64)(&s.ID), optionalTarget(&s.Followed), optionalTarget(&s.Category), intoTime{&s.Created}}
			}, recordOf(personaldata.NewFollowRecord)),
		},
		personaldata.Images: {
			[]string{"i.id + 0"}, number, imageAll.of("i"), imagesOfPerson(imageAll.list()) + " WHERE TRUE",
			scanned(func(i *imageRow, d dialect) []any { return imageAll.targets(i, d) }, func(r imageRow) (personaldata.Record, error) {
				i, err := r.image()
				return personaldata.NewImageRecord(i), err
			}),
		},
		personaldata.Publications: {
			[]string{"r.id"}, number, publicationTable.of("r"), "publications r WHERE r.author_id = $1",
			scanned(func(p *publication.Publication, d dialect) []any { return publicationTable.targets(p, d) }, recordOf(personaldata.NewPublicationRecord)),
		},
		personaldata.Nodes: {
			[]string{"r.id"}, number, nodeTable.of("r"), "nodes r WHERE r.author_id = $1",
			scanned(func(n *publication.Node, d dialect) []any { return nodeTable.targets(n, d) }, recordOf(personaldata.NewNodeRecord)),
		},
		personaldata.Demands: {
			[]string{"r.id"}, number, demandTable.of("r"), "demands r WHERE r.author_id = $1",
			scanned(func(r *demand.Demand, d dialect) []any { return demandTable.targets(r, d) }, recordOf(personaldata.NewDemandRecord)),
		},
		personaldata.HowTos: {
			[]string{"h.category"}, text, howToTable.of("h"), "howtos h WHERE h.robot_id = $1",
			scanned(func(h *publication.HowTo, d dialect) []any { return howToTable.targets(h, d) }, recordOf(personaldata.NewHowToRecord)),
		},
		personaldata.Orders: {
			[]string{"o.id + 0"}, number, "o.id, o.subject, o.amount, o.currency, o.state, o.created, o.expires, o.paid, o.transaction_id",
			"orders o WHERE o.user_id = $1",
			scanned(func(o *personaldata.OrderRecord, _ dialect) []any {
				return []any{
					(*int64)(&o.ID), &o.Subject, &o.Amount, &o.Currency, (*string)(&o.State), intoTime{&o.Created}, intoTime{&o.Expires},
					intoTime{&o.Paid}, orZeroText[string]{&o.Transaction},
				}
			}, asIs),
		},
		personaldata.Prepayments: {
			[]string{"p.id + 0"}, number, "p.order_id, p.out_trade_no, p.end_type, p.app, p.open_id, p.state, p.created",
			"orders o JOIN prepayments p ON p.order_id = o.id WHERE o.user_id = $1",
			scanned(func(p *personaldata.PrepaymentRecord, _ dialect) []any {
				return []any{
					(*int64)(&p.Order), (*string)(&p.TradeNo), (*int)(&p.EndType), (*string)(&p.App), &p.OpenID, (*string)(&p.State),
					intoTime{&p.Created},
				}
			}, asIs),
		},
		personaldata.Payments: {
			[]string{"p.id + 0"}, number, "p.id, p.order_id, p.transaction_id, p.state, p.amount, p.currency, p.received",
			"orders o JOIN payments p ON p.order_id = o.id WHERE o.user_id = $1",
			scanned(func(p *personaldata.PaymentRecord, _ dialect) []any {
				return []any{
					(*int64)(&p.ID), (*int64)(&p.Order), &p.Transaction, (*string)(&p.State), &p.Amount, &p.Currency, intoTime{&p.Received},
				}
			}, asIs),
		},
		personaldata.Refunds: {
			[]string{"r.id + 0"}, number,
			"r.id, r.payment_id, r.amount, r.currency, r.reason, r.state, r.wallet_refund_id, r.created, r.updated",
			"orders o JOIN payments p ON p.order_id = o.id JOIN refunds r ON r.payment_id = p.id WHERE o.user_id = $1",
			scanned(func(r *personaldata.RefundRecord, _ dialect) []any {
				return []any{
					(*int64)(&r.ID), (*int64)(&r.Payment), &r.Amount, &r.Currency, &r.Reason, (*string)(&r.State), &r.WalletID,
					intoTime{&r.Created}, intoTime{&r.Updated},
				}
			}, asIs),
		},
		personaldata.IdempotencyKeys: {
			[]string{"k.name"}, text, "k.name, k.since, CASE WHEN k.order_id IS NOT NULL THEN 'order' WHEN k.kind IS NULL AND k.refund_id IS NOT NULL " +
				"THEN 'refund' ELSE COALESCE(k.kind, '') END, COALESCE(k.order_id, k.made_id, k.refund_id)",
			"idempotency_keys k WHERE k.user_id = $1",
			scanned(func(k *personaldata.IdempotencyKeyRecord, _ dialect) []any {
				return []any{&k.Name, intoTime{&k.Since}, (*string)(&k.Made), optionalTarget(&k.ID)}
			}, asIs),
		},
		personaldata.RateLimits: {
			[]string{"r.action"}, text, "r.action, r.until", "rate_limits r WHERE r.user_id = $1", readRateLimit,
		},
		personaldata.FailedLogins: {
			[]string{"f.id + 0"}, number, "f.source, f.failed", "login_failures f WHERE f." + ofPhone,
			scanned(func(f *personaldata.FailedLoginRecord, _ dialect) []any { return []any{&f.Network, intoTime{&f.At}} }, asIs),
		},
		personaldata.LoginNetworks: {
			[]string{"o.source"}, text, "o.source, o.last_login", "usual_sources o WHERE o." + ofPhone,
			scanned(func(o *personaldata.LoginNetworkRecord, _ dialect) []any { return []any{&o.Network, intoTime{&o.Last}} }, asIs),
		},
	}
}

// optionalTarget scans an ID; NULL becomes zero.
func optionalTarget[N ~int64](id *N) any { return orZeroNumber[N]{id} }

// accountOfPerson is a row of the kind Account.
type accountOfPerson struct {
	access.Account
	user.Member
	phone, source string
	scopes        []string
}

var readAccount = scanned(func(a *accountOfPerson, d dialect) []any {
	targets := []any{
		(*int64)(&a.User), &a.phone, d.list(&a.scopes), &a.Staff, &a.Disabled, orZeroText[string]{&a.source}, (*cover)(&a.Avatar), intoTime{&a.Seen},
	}
	return memberColumns.targets(&a.Member, d, targets...)
}, func(a accountOfPerson) (personaldata.Record, error) {
	var err error
	a.Phone, err = phoneOf(a.phone)
	a.Scopes = scopesOf(a.scopes)
	return personaldata.NewAccountRecord(a.Account, a.Member, a.source), err
})

// sessionOfPerson is a row of the kind Sessions.
type sessionOfPerson struct {
	access.Token
	scopes []string
}

var readSession = scanned(func(t *sessionOfPerson, d dialect) []any {
	return []any{(*int64)(&t.ID), d.list(&t.scopes), (*int64)(&t.TTL), intoTime{&t.Created}, intoTime{&t.Used}}
}, func(t sessionOfPerson) (personaldata.Record, error) {
	t.Scopes = scopesOf(t.scopes)
	return personaldata.NewSessionRecord(t.Token), nil
})

// rateLimitOfPerson is a row of the kind RateLimits.
type rateLimitOfPerson struct {
	action string
	until  int64 // microseconds since 1970
}

var readRateLimit = scanned(func(r *rateLimitOfPerson, _ dialect) []any { return []any{&r.action, &r.until} },
	func(r rateLimitOfPerson) (personaldata.Record, error) {
		return personaldata.RateLimitRecord{Action: ratelimit.Action(r.action), Until: time.UnixMicro(r.until).UTC()}, nil
	})
