package bunstore

import (
	"context"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/payment"
	"plaza/domain/personaldata"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// personalKind is how the records of a kind are read, counted and erased. Each of its statements reads only entries of
// indexes that belong to the person, $1.
type personalKind struct {
	// keys order the records. A key that is not the end of an index on the user is written as an expression, like
	// id + 0: a database that could walk the primary key from there would read the records of everyone.
	keys    string
	begin   []any // less than every key
	columns string
	from    string // and the condition on the user
	read    recordReader

	// table has the rows that an erasure changes; empty: the kind is kept.
	table string
	key   string
	where string // the rows that remain to be erased
	set   string // what is blanked; empty: the row is deleted

	// erase erases the rows with the keys, where other rows derive from them. They are selected in this order.
	erase func(ctx context.Context, tx *listedTransaction, id user.ID, keys []int64) error
	order string
}

// records returns the query for at most $2 records after a key, $3 and so on.
func (k personalKind) records() string {
	after := "$3"
	if len(k.begin) == 2 {
		after = "$3, $4"
	}
	return "SELECT " + k.keys + ", " + k.columns + " FROM " + k.from + " AND (" + k.keys + ") > (" + after + ") ORDER BY " + k.keys +
		" LIMIT CAST($2 AS bigint)"
}

// remaining returns the query for the number of rows that remain to be erased.
func (k personalKind) remaining() string {
	return "SELECT COUNT(*) FROM " + k.table + " WHERE " + k.where
}

// some returns the statement that erases at most $2 rows, or that selects them for erase. It repeats the condition
// outside of the limit, so that no plan reads the rows of everyone.
func (k personalKind) some() string {
	selected := "SELECT " + k.key + " FROM " + k.table + " WHERE " + k.where + k.order + " LIMIT CAST($2 AS bigint)"
	if k.erase != nil {
		return selected
	}
	change := "DELETE FROM " + k.table
	if k.set != "" {
		change = "UPDATE " + k.table + " SET " + k.set
	}
	return change + " WHERE " + k.where + " AND (" + k.key + ") IN (" + selected + ") RETURNING 1"
}

// ofPhone is the condition on rows that belong to the phone number of the user, $1.
const ofPhone = "phone = (SELECT u.phone FROM users u WHERE u.id = $1)"

// imagesOfPerson returns the images i of the owner $1, deleted ones included, each from an index.
func imagesOfPerson(columns string) string {
	images := "SELECT " + columns + " FROM images WHERE owner_id = $1 AND deleted IS "
	return "(" + images + "NULL UNION ALL " + images + "NOT NULL) i"
}

// kinds returns how all kinds are stored. The wallet may still ask about an open order, and about a prepayment that is
// not final.
func (v PersonalData) kinds() map[personaldata.Kind]personalKind {
	number, text := []any{int64(0)}, []any{""}
	return map[personaldata.Kind]personalKind{
		personaldata.Account: {
			keys: "u.id", begin: number,
			columns: "u.id, u.phone, u.scopes, u.staff, u.disabled, u.source, u.avatar, p.seen, " + memberColumns.Of("u"),
			from:    "users u LEFT JOIN presence p ON p.user_id = u.id WHERE u.id = $1", read: readAccount,
			table: "users", key: "id", where: "id = $1 AND " + notErased, erase: v.eraseAccount,
		},
		personaldata.Sessions: {
			keys: "t.id + 0", begin: number, columns: "t.id, t.scopes, t.ttl, t.created, w.used",
			from: "tokens t JOIN token_uses w ON w.token_id = t.id WHERE t.user_id = $1", read: readSession,
			table: "tokens", key: "id", where: "user_id = $1",
		},
		personaldata.Events: {
			keys: "e.id + 0", begin: number, columns: storedColumns(v.s.Dialect, withoutCounts),
			from: "events e WHERE e.author_id = $1", read: readEvent,
			table: "events", key: "id", where: "author_id = $1", erase: v.eraseEvents,
		},
		personaldata.Comments: {
			keys: "c.event_id, c.id", begin: []any{int64(0), int64(0)}, columns: "c.id, c.event_id, c.content, c.created",
			from: "comments c WHERE c.author_id = $1",
			read: reading(func(c *event.Comment) []any {
				return []any{(*int64)(&c.ID), (*int64)(&c.Event), &c.Content, engine.IntoTime{Into: &c.Created}}
			}, personaldata.NewCommentRecord),
			table: "comments", key: "id", where: "author_id = $1", erase: v.eraseComments, order: " ORDER BY event_id, id",
		},
		personaldata.Likes: {
			keys: "l.event_id", begin: number, columns: "l.event_id", from: "likes l WHERE l.user_id = $1",
			read:  reading(func(on *event.ID) []any { return []any{(*int64)(on)} }, personaldata.NewLikeRecord),
			table: "likes", key: "event_id", where: "user_id = $1", erase: v.eraseLikes, order: " ORDER BY event_id",
		},
		personaldata.Follows: {
			keys: "s.id + 0", begin: number, columns: "s.id, s.followed_id, s.category_id, s.created", from: "subscriptions s WHERE s.user_id = $1",
			read: reading(func(s *subscription.Subscription) []any {
				return []any{(*int64)(&s.ID), optionalTarget(&s.Followed), optionalTarget(&s.Category), engine.IntoTime{Into: &s.Created}}
			}, personaldata.NewFollowRecord),
			table: "subscriptions", key: "id", where: "(user_id = $1 OR followed_id = $1)",
		},
		personaldata.Images: {
			keys: "i.id + 0", begin: number, columns: imageAll.Of("i"), from: imagesOfPerson(imageAll.List()) + " WHERE TRUE", read: readImage,
			table: imagesOfPerson("id"), key: "i.id", where: "TRUE", erase: v.eraseImages, order: " ORDER BY i.id + 0",
		},
		personaldata.Publications: {
			keys: "r.id", begin: number, columns: publicationTable.Of("r"), from: "publications r WHERE r.author_id = $1",
			read:  readingColumns(publicationTable.Columns, personaldata.NewPublicationRecord),
			table: "publications", key: "id", where: "author_id = $1", erase: v.eraseRecords(feed.Publication), order: " ORDER BY id",
		},
		personaldata.Nodes: {
			keys: "r.id", begin: number, columns: nodeTable.Of("r"), from: "nodes r WHERE r.author_id = $1",
			read:  readingColumns(nodeTable.Columns, personaldata.NewNodeRecord),
			table: "nodes", key: "id", where: "author_id = $1", erase: v.eraseRecords(feed.Node), order: " ORDER BY id",
		},
		personaldata.Demands: {
			keys: "r.id", begin: number, columns: demandTable.Of("r"), from: "demands r WHERE r.author_id = $1",
			read:  readingColumns(demandTable.Columns, personaldata.NewDemandRecord),
			table: "demands", key: "id", where: "author_id = $1", erase: v.eraseRecords(feed.Demand), order: " ORDER BY id",
		},
		personaldata.HowTos: {
			keys: "h.category", begin: text, columns: howToTable.Of("h"), from: "howtos h WHERE h.robot_id = $1",
			read:  readingColumns(howToTable.Columns, personaldata.NewHowToRecord),
			table: "howtos", key: "category, robot_id", where: "robot_id = $1",
		},
		personaldata.Orders: {
			keys: "o.id + 0", begin: number,
			columns: "o.id, o.subject, o.amount, o.currency, o.state, o.created, o.expires, o.paid, o.transaction_id",
			from:    "orders o WHERE o.user_id = $1",
			read: reading(func(o *payment.Order) []any {
				return []any{
					(*int64)(&o.ID), &o.Subject, &o.Amount, &o.Currency, (*string)(&o.State), engine.IntoTime{Into: &o.Created},
					engine.IntoTime{Into: &o.Expires}, engine.IntoTime{Into: &o.PaidAt}, engine.OrZeroText[string]{Into: &o.Transaction},
				}
			}, personaldata.NewOrderRecord),
			table: "orders", key: "id", where: "user_id = $1 AND state <> 'open' AND subject <> ''", set: "subject = ''",
		},
		personaldata.Prepayments: {
			keys: "p.id + 0", begin: number, columns: "p.order_id, p.out_trade_no, p.end_type, p.app, p.open_id, p.state, p.created",
			from: "orders o JOIN prepayments p ON p.order_id = o.id WHERE o.user_id = $1", read: readPrepayment,
			table: "prepayments", key: "id",
			where: "order_id IN (SELECT o.id FROM orders o WHERE o.user_id = $1) AND state IN ('closed', 'paid')" +
				" AND (open_id <> '' OR code_url <> '' OR mweb_url <> '' OR length(request) > 0)",
			set: "open_id = '', code_url = '', mweb_url = '', request = substr(request, 1, 0)",
		},
		personaldata.Payments: {
			keys: "p.id + 0", begin: number, columns: "p.id, p.order_id, p.transaction_id, p.state, p.amount, p.currency, p.received",
			from: "orders o JOIN payments p ON p.order_id = o.id WHERE o.user_id = $1",
			read: reading(func(p *payment.Payment) []any {
				return []any{
					(*int64)(&p.ID), (*int64)(&p.Order), &p.TransactionID, (*string)(&p.State), &p.Amount, &p.Currency, engine.IntoTime{Into: &p.Received},
				}
			}, personaldata.NewPaymentRecord),
		},
		personaldata.Refunds: {
			keys: "r.id + 0", begin: number,
			columns: "r.id, r.payment_id, r.amount, r.currency, r.reason, r.state, r.wallet_refund_id, r.created, r.updated",
			from:    "orders o JOIN payments p ON p.order_id = o.id JOIN refunds r ON r.payment_id = p.id WHERE o.user_id = $1",
			read: reading(func(r *payment.Refund) []any {
				return []any{
					(*int64)(&r.ID), (*int64)(&r.Payment), &r.Amount, &r.Currency, &r.Reason, (*string)(&r.State), &r.WalletID,
					engine.IntoTime{Into: &r.Created}, engine.IntoTime{Into: &r.Updated},
				}
			}, personaldata.NewRefundRecord),
			table: "refunds", key: "id",
			where: "payment_id IN (SELECT p.id FROM orders o JOIN payments p ON p.order_id = o.id WHERE o.user_id = $1)" +
				" AND state NOT IN ('processing', 'abnormal') AND reason <> ''", // with IN SQLite would read the refunds of everyone
			set: "reason = ''",
		},
		personaldata.IdempotencyKeys: {
			keys: "k.name", begin: text,
			columns: "k.name, k.since, CASE WHEN k.order_id IS NOT NULL THEN 'order' WHEN k.kind IS NULL AND k.refund_id IS NOT NULL " +
				"THEN 'refund' ELSE COALESCE(k.kind, '') END, COALESCE(k.order_id, k.made_id, k.refund_id)",
			from: "idempotency_keys k WHERE k.user_id = $1", read: readKey,
			table: "idempotency_keys", key: "user_id, name", where: "user_id = $1",
		},
		personaldata.RateLimits: {
			keys: "r.action", begin: text, columns: "r.action, r.until", from: "rate_limits r WHERE r.user_id = $1", read: readRateLimit,
			table: "rate_limits", key: "user_id, action", where: "user_id = $1",
		},
		personaldata.FailedLogins: {
			keys: "f.id + 0", begin: number, columns: "f.source, f.failed", from: "login_failures f WHERE f." + ofPhone,
			read:  readingLogins(personaldata.NewFailedLoginRecord),
			table: "login_failures", key: "id", where: ofPhone,
		},
		personaldata.LoginNetworks: {
			keys: "o.source", begin: text, columns: "o.source, o.last_login", from: "usual_sources o WHERE o." + ofPhone,
			read:  readingLogins(personaldata.NewLoginNetworkRecord),
			table: "usual_sources", key: "phone, source", where: ofPhone,
		},
	}
}
