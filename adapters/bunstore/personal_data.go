package bunstore

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/personaldata"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// PersonalData implements personaldata.Store. Every writer that it shares rows with takes the same locks in the same
// order, as the comments of Events, Images and ImportStore say.
type PersonalData struct{ s *Store }

// PersonalData returns the store of all that belongs to a person.
func (s *Store) PersonalData() PersonalData { return PersonalData{s} }

var _ personaldata.Store = PersonalData{}

// notErased is the condition on users that excludes those whose data was erased.
const notErased = "phone NOT LIKE 'erased-%'"

// personalSteps are the statements for the data of one person. Each reads only entries of indexes that belong to the
// person.
type personalSteps struct {
	personRecords   map[personaldata.Kind]string // $1 user, then the key before the first record, then the limit
	personRemaining map[personaldata.Kind]string // $1 user
	personErase     map[personaldata.Kind]string // $1 user, $2 limit
	eraseSteps
}

func newPersonalSteps(d engine.Dialect) personalSteps {
	s := personalSteps{
		personRecords: map[personaldata.Kind]string{}, personRemaining: remainingStatements(), personErase: map[personaldata.Kind]string{},
		eraseSteps: newEraseSteps(d),
	}
	for kind, read := range personalReads(d) {
		s.personRecords[kind] = read.statement()
	}
	for kind, e := range erasable() {
		s.personErase[kind] = e.statement()
	}
	return s
}

// personalPage is how many records Records reads at once.
const personalPage = 200

// Records reads in pages: each is a short statement, and nothing is locked between them.
func (v PersonalData) Records(ctx context.Context, id user.ID, k personaldata.Kind) iter.Seq2[personaldata.Record, error] {
	return func(yield func(personaldata.Record, error) bool) {
		read, known := personalReads(v.s.Dialect)[k]
		if !known {
			yield(nil, fmt.Errorf("unknown kind of personal data %q", k))
			return
		}
		for after := read.begin; ; {
			last := read.keyTargets()
			args := append(append([]any{int64(id)}, after...), int64(personalPage))
			records, err := engine.ReadAll(ctx, v.s.DB, v.s.steps.personRecords[k], args, read.read(v.s.Dialect, last))
			if err != nil {
				yield(nil, err)
				return
			}
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
			}
			if len(records) < personalPage {
				return
			}
			after = values(last)
		}
	}
}

// Remaining counts in an index.
func (v PersonalData) Remaining(ctx context.Context, id user.ID, k personaldata.Kind) (n int, err error) {
	statement, is := v.s.steps.personRemaining[k]
	if !is {
		return 0, ctx.Err()
	}
	err = v.s.Read(ctx, func(ctx context.Context) error {
		return v.s.ScanRows(ctx, statement, []any{int64(id)}, func(scan func(...any) error) error { return scan(&n) })
	})
	return n, err
}

// Erase runs one transaction. When the account has been erased it also discards deleted rows from the
// files of the database.
func (v PersonalData) Erase(ctx context.Context, id user.ID, k personaldata.Kind, limit int) (n int, err error) {
	erase := map[personaldata.Kind]func(context.Context, *listedTransaction, user.ID, int) (int, error){
		personaldata.Events: v.eraseEvents, personaldata.Comments: v.eraseComments, personaldata.Likes: v.eraseLikes,
		personaldata.Images: v.eraseImages, personaldata.Account: v.eraseAccount,
		personaldata.Publications: v.eraseRecords(personaldata.Publications), personaldata.Nodes: v.eraseRecords(personaldata.Nodes),
		personaldata.Demands: v.eraseRecords(personaldata.Demands),
	}[k]
	if erase == nil {
		if v.s.steps.personErase[k] == "" { // a kind that is kept
			return 0, ctx.Err()
		}
		erase = func(ctx context.Context, tx *listedTransaction, id user.ID, limit int) (int, error) {
			return rowsOf(ctx, tx, v.s.steps.personErase[k], int64(id), int64(limit))
		}
	}
	err = v.s.write(ctx, func(ctx context.Context, tx *listedTransaction) (err error) {
		n, err = erase(ctx, tx, id, limit)
		return err
	})
	if err == nil && n == 0 && k == personaldata.Account {
		err = v.s.Call(ctx, func(ctx context.Context) error { return v.s.Dialect.DiscardDeleted(ctx, v.s.Writer) })
	}
	return n, err
}

// rowsOf runs a statement that returns a row for each row that it changes, and returns their number.
func rowsOf(ctx context.Context, tx *listedTransaction, statement string, args ...any) (n int, err error) {
	err = tx.Run(ctx, engine.Step{Statement: statement, Args: args, Row: func(scan func(...any) error) error {
		n++
		return scan(new(int64))
	}})
	return n, err
}

// personalRead reads the records of a kind in the order of their keys.
//
// A key that is not the end of an index on the user is written as an expression, like id + 0: a database that could walk
// the primary key from there would read the records of everyone.
type personalRead struct {
	keys    []string
	begin   []any // less than every key
	columns string
	from    string // and the condition on the user, $1
	read    func(d engine.Dialect, keys []any) func(engine.Scanner) (personaldata.Record, error)
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

// rowReader returns a reader of rows into an R, which record turns into a personaldata.Record.
func rowReader[R any](targets func(*R, engine.Dialect) []any, record func(R) (personaldata.Record, error)) func(engine.Dialect, []any) func(engine.Scanner) (personaldata.Record, error) {
	return func(d engine.Dialect, keys []any) func(engine.Scanner) (personaldata.Record, error) {
		return func(scan engine.Scanner) (personaldata.Record, error) {
			var row R
			if err := scan(append(slices.Clone(keys), targets(&row, d)...)...); err != nil {
				return nil, err
			}
			return record(row)
		}
	}
}

// converting returns convert as a function that cannot fail.
func converting[R, P any](convert func(R) P) func(R) (personaldata.Record, error) {
	return func(r R) (personaldata.Record, error) { return convert(r), nil }
}

// unchanged reads into the record itself.
func unchanged[R any](r R) (personaldata.Record, error) { return r, nil }

// ofPhone is the condition on rows that belong to the phone number of the user, $1.
const ofPhone = "phone = (SELECT u.phone FROM users u WHERE u.id = $1)"

// imagesOfPerson returns the images i of the owner $1, deleted ones included, each from an index.
func imagesOfPerson(columns string) string {
	images := "SELECT " + columns + " FROM images WHERE owner_id = $1 AND deleted IS "
	return "(" + images + "NULL UNION ALL " + images + "NOT NULL) i"
}

// personalReads returns how each kind is read.
func personalReads(d engine.Dialect) map[personaldata.Kind]personalRead {
	number, text := []any{int64(0)}, []any{""}
	return map[personaldata.Kind]personalRead{
		personaldata.Account: {
			[]string{"u.id"}, number, "u.id, u.phone, u.scopes, u.staff, u.disabled, u.source, u.avatar, p.seen, " + memberColumns.Of("u"),
			"users u LEFT JOIN presence p ON p.user_id = u.id WHERE u.id = $1", readAccount,
		},
		personaldata.Sessions: {
			[]string{"t.id + 0"}, number, "t.id, t.scopes, t.ttl, t.created, w.used",
			"tokens t JOIN token_uses w ON w.token_id = t.id WHERE t.user_id = $1", readSession,
		},
		personaldata.Events: {
			[]string{"e.id + 0"}, number, storedColumns(d, withoutCounts), "events e WHERE e.author_id = $1",
			rowReader(func(e *storedEvent, d engine.Dialect) []any { return e.targets(d) },
				func(e storedEvent) (personaldata.Record, error) { return personaldata.NewEventRecord(e.State), nil }),
		},
		personaldata.Comments: {
			[]string{"c.event_id", "c.id"}, []any{int64(0), int64(0)}, "c.id, c.event_id, c.content, c.created",
			"comments c WHERE c.author_id = $1",
			rowReader(func(c *event.Comment, _ engine.Dialect) []any {
				return []any{(*int64)(&c.ID), (*int64)(&c.Event), &c.Content, engine.IntoTime{Into: &c.Created}}
			}, converting(personaldata.NewCommentRecord)),
		},
		personaldata.Likes: {
			[]string{"l.event_id"}, number, "l.event_id", "likes l WHERE l.user_id = $1",
			rowReader(func(l *personaldata.LikeRecord, _ engine.Dialect) []any { return []any{(*int64)(&l.Event)} }, unchanged),
		},
		personaldata.Follows: {
			[]string{"s.id + 0"}, number, "s.id, s.followed_id, s.category_id, s.created", "subscriptions s WHERE s.user_id = $1",
			rowReader(func(s *subscription.Subscription, _ engine.Dialect) []any {
				return []any{(*int64)(&s.ID), optionalTarget(&s.Followed), optionalTarget(&s.Category), engine.IntoTime{Into: &s.Created}}
			}, converting(personaldata.NewFollowRecord)),
		},
		personaldata.Images: {
			[]string{"i.id + 0"}, number, imageAll.Of("i"), imagesOfPerson(imageAll.List()) + " WHERE TRUE",
			rowReader(func(i *imageRow, d engine.Dialect) []any { return imageAll.Targets(i, d) }, func(r imageRow) (personaldata.Record, error) {
				i, err := r.image()
				return personaldata.NewImageRecord(i), err
			}),
		},
		personaldata.Publications: {
			[]string{"r.id"}, number, publicationTable.Of("r"), "publications r WHERE r.author_id = $1",
			rowReader(func(p *publication.Publication, d engine.Dialect) []any { return publicationTable.Targets(p, d) }, converting(personaldata.NewPublicationRecord)),
		},
		personaldata.Nodes: {
			[]string{"r.id"}, number, nodeTable.Of("r"), "nodes r WHERE r.author_id = $1",
			rowReader(func(n *publication.Node, d engine.Dialect) []any { return nodeTable.Targets(n, d) }, converting(personaldata.NewNodeRecord)),
		},
		personaldata.Demands: {
			[]string{"r.id"}, number, demandTable.Of("r"), "demands r WHERE r.author_id = $1",
			rowReader(func(r *demand.Demand, d engine.Dialect) []any { return demandTable.Targets(r, d) }, converting(personaldata.NewDemandRecord)),
		},
		personaldata.HowTos: {
			[]string{"h.category"}, text, howToTable.Of("h"), "howtos h WHERE h.robot_id = $1",
			rowReader(func(h *publication.HowTo, d engine.Dialect) []any { return howToTable.Targets(h, d) }, converting(personaldata.NewHowToRecord)),
		},
		personaldata.Orders: {
			[]string{"o.id + 0"}, number, "o.id, o.subject, o.amount, o.currency, o.state, o.created, o.expires, o.paid, o.transaction_id",
			"orders o WHERE o.user_id = $1",
			rowReader(func(o *personaldata.OrderRecord, _ engine.Dialect) []any {
				return []any{
					(*int64)(&o.ID), &o.Subject, &o.Amount, &o.Currency, (*string)(&o.State), engine.IntoTime{Into: &o.Created}, engine.IntoTime{Into: &o.Expires},
					engine.IntoTime{Into: &o.Paid}, engine.OrZeroText[string]{Into: &o.Transaction},
				}
			}, unchanged),
		},
		personaldata.Prepayments: {
			[]string{"p.id + 0"}, number, "p.order_id, p.out_trade_no, p.end_type, p.app, p.open_id, p.state, p.created",
			"orders o JOIN prepayments p ON p.order_id = o.id WHERE o.user_id = $1",
			rowReader(func(p *personaldata.PrepaymentRecord, _ engine.Dialect) []any {
				return []any{
					(*int64)(&p.Order), (*string)(&p.TradeNo), (*int)(&p.EndType), (*string)(&p.App), &p.OpenID, (*string)(&p.State),
					engine.IntoTime{Into: &p.Created},
				}
			}, unchanged),
		},
		personaldata.Payments: {
			[]string{"p.id + 0"}, number, "p.id, p.order_id, p.transaction_id, p.state, p.amount, p.currency, p.received",
			"orders o JOIN payments p ON p.order_id = o.id WHERE o.user_id = $1",
			rowReader(func(p *personaldata.PaymentRecord, _ engine.Dialect) []any {
				return []any{
					(*int64)(&p.ID), (*int64)(&p.Order), &p.Transaction, (*string)(&p.State), &p.Amount, &p.Currency, engine.IntoTime{Into: &p.Received},
				}
			}, unchanged),
		},
		personaldata.Refunds: {
			[]string{"r.id + 0"}, number,
			"r.id, r.payment_id, r.amount, r.currency, r.reason, r.state, r.wallet_refund_id, r.created, r.updated",
			"orders o JOIN payments p ON p.order_id = o.id JOIN refunds r ON r.payment_id = p.id WHERE o.user_id = $1",
			rowReader(func(r *personaldata.RefundRecord, _ engine.Dialect) []any {
				return []any{
					(*int64)(&r.ID), (*int64)(&r.Payment), &r.Amount, &r.Currency, &r.Reason, (*string)(&r.State), &r.WalletID,
					engine.IntoTime{Into: &r.Created}, engine.IntoTime{Into: &r.Updated},
				}
			}, unchanged),
		},
		personaldata.IdempotencyKeys: {
			[]string{"k.name"}, text, "k.name, k.since, CASE WHEN k.order_id IS NOT NULL THEN 'order' WHEN k.kind IS NULL AND k.refund_id IS NOT NULL " +
				"THEN 'refund' ELSE COALESCE(k.kind, '') END, COALESCE(k.order_id, k.made_id, k.refund_id)",
			"idempotency_keys k WHERE k.user_id = $1",
			rowReader(func(k *personaldata.IdempotencyKeyRecord, _ engine.Dialect) []any {
				return []any{&k.Name, engine.IntoTime{Into: &k.Since}, (*string)(&k.Made), optionalTarget(&k.ID)}
			}, unchanged),
		},
		personaldata.RateLimits: {
			[]string{"r.action"}, text, "r.action, r.until", "rate_limits r WHERE r.user_id = $1", readRateLimit,
		},
		personaldata.FailedLogins: {
			[]string{"f.id + 0"}, number, "f.source, f.failed", "login_failures f WHERE f." + ofPhone,
			rowReader(func(f *personaldata.FailedLoginRecord, _ engine.Dialect) []any {
				return []any{&f.Network, engine.IntoTime{Into: &f.At}}
			}, unchanged),
		},
		personaldata.LoginNetworks: {
			[]string{"o.source"}, text, "o.source, o.last_login", "usual_sources o WHERE o." + ofPhone,
			rowReader(func(o *personaldata.LoginNetworkRecord, _ engine.Dialect) []any {
				return []any{&o.Network, engine.IntoTime{Into: &o.Last}}
			}, unchanged),
		},
	}
}

// optionalTarget scans an ID; NULL becomes zero.
func optionalTarget[N ~int64](id *N) any { return engine.OrZeroNumber[N]{Into: id} }

// accountOfPerson is a row of the kind Account.
type accountOfPerson struct {
	access.Account
	user.Member
	phone, source string
	scopes        []string
}

var readAccount = rowReader(func(a *accountOfPerson, d engine.Dialect) []any {
	targets := []any{
		(*int64)(&a.User), &a.phone, d.List(&a.scopes), &a.Staff, &a.Disabled, engine.OrZeroText[string]{Into: &a.source}, (*engine.Cover)(&a.Avatar), engine.IntoTime{Into: &a.Seen},
	}
	return memberColumns.Targets(&a.Member, d, targets...)
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

var readSession = rowReader(func(t *sessionOfPerson, d engine.Dialect) []any {
	return []any{(*int64)(&t.ID), d.List(&t.scopes), (*int64)(&t.TTL), engine.IntoTime{Into: &t.Created}, engine.IntoTime{Into: &t.Used}}
}, func(t sessionOfPerson) (personaldata.Record, error) {
	t.Scopes = scopesOf(t.scopes)
	return personaldata.NewSessionRecord(t.Token), nil
})

// rateLimitOfPerson is a row of the kind RateLimits.
type rateLimitOfPerson struct {
	action string
	until  int64 // microseconds since 1970
}

var readRateLimit = rowReader(func(r *rateLimitOfPerson, _ engine.Dialect) []any { return []any{&r.action, &r.until} },
	func(r rateLimitOfPerson) (personaldata.Record, error) {
		return personaldata.RateLimitRecord{Action: ratelimit.Action(r.action), Until: time.UnixMicro(r.until).UTC()}, nil
	})
