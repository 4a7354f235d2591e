package bunstore

import (
	"context"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/audit"
	"plaza/domain/block"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/markup"
	"plaza/domain/moderation"
	"plaza/domain/payment"
	"plaza/domain/personaldata"
	"plaza/domain/publication"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// personalKind is how the records of a kind are stored, for all that reads, counts and erases them. Each statement
// reads only entries of indexes that belong to the person, $1.
type personalKind struct {
	table string
	whose string // the condition on the rows of the user
	// keys order the records. A key that is not the end of an index on the user is written as an expression, like
	// id + 0: a database that could walk the primary key from there would read the records of everyone.
	keys    string
	begin   []any // less than every key
	columns string
	own     string // a condition on those of the rows that are records; the others are data of another person
	read    recordReader

	kept  bool   // an erasure leaves the rows as they are
	still string // a condition on those of the rows that an erasure still has to treat
	set   string // what an erasure blanks; empty: it deletes the row
	// erase erases rows from which others derive, by the last of their keys, and returns how many.
	erase func(ctx context.Context, tx *listedTransaction, id user.ID, keys []int64) (int, error)
}

// records returns the query for at most $2 records after a key, $3 and so on.
func (k personalKind) records() string {
	after := "$3"
	if len(k.begin) == 2 {
		after = "$3, $4"
	}
	return "SELECT " + k.keys + ", " + k.columns + " FROM " + k.table + " WHERE " + k.whose + k.own +
		" AND (" + k.keys + ") > (" + after + ") ORDER BY " + k.keys + " LIMIT CAST($2 AS bigint)"
}

// remaining returns the query for the number of rows that remain to be erased.
func (k personalKind) remaining() string {
	return "SELECT COUNT(*) FROM " + k.table + " WHERE " + k.whose + k.still
}

// some returns the statement that erases at most $2 rows, or that selects them for erase. It repeats the condition
// outside of the limit, so that no plan reads the rows of everyone.
func (k personalKind) some() string {
	selected := "SELECT " + k.keys + " FROM " + k.table + " WHERE " + k.whose + k.still + " LIMIT CAST($2 AS bigint)"
	if k.erase != nil {
		return selected
	}
	change := "DELETE FROM " + k.table
	if k.set != "" {
		change = "UPDATE " + k.table + " SET " + k.set
	}
	return change + " WHERE " + k.whose + k.still + " AND (" + k.keys + ") IN (" + selected + ") RETURNING " + k.keys
}

// ofPhone is the condition on rows that belong to the phone number of the user, $1.
const ofPhone = "phone = (SELECT u.phone FROM users u WHERE u.id = $1)"

// ofNumber is the condition on rows that belong to the telephone of the user, $1.
const ofNumber = "number = (SELECT substr(replace(u.phone, '-', ''), 2) FROM users u WHERE u.id = $1)"

// imagesOfPerson returns the images i of the owner $1, deleted ones included, each from an index.
func imagesOfPerson() string {
	images := "SELECT id, owner_id, key, width, height, tags, created, deleted, hidden FROM images WHERE owner_id = $1 AND "
	return "(" + images + "deleted IS NULL AND NOT hidden UNION ALL " + images + "(deleted IS NOT NULL OR hidden)) i"
}

// kinds returns how all kinds are stored. The wallet may still ask about an open order, and about a prepayment that is
// not final.
func (v PersonalData) kinds() map[personaldata.Kind]personalKind {
	number, text := []any{int64(0)}, []any{""}
	return map[personaldata.Kind]personalKind{
		personaldata.Account: {
			table: "users", whose: "id = $1", keys: "id", begin: number,
			columns: "id, phone, scopes, staff, disabled, source, avatar, (SELECT p.seen FROM presence p WHERE p.user_id = users.id), " +
				"firstname, lastname, expertise, location, timezone, joined",
			read: readAccount, still: " AND " + notErased, erase: v.eraseAccount,
		},
		personaldata.Sessions: {
			table: "tokens", whose: "user_id = $1", keys: "id + 0", begin: number,
			columns: "id, scopes, ttl, created, (SELECT w.used FROM token_uses w WHERE w.token_id = tokens.id)", read: readSession,
		},
		personaldata.Events: {
			table: "event_entries e", whose: "e.author_id = $1", keys: "e.id + 0", begin: number,
			columns: eventColumns, read: readEvent, erase: v.eraseEvents,
		},
		personaldata.Comments: {
			table: "comments", whose: "author_id = $1", keys: "event_id, id", begin: []any{int64(0), int64(0)},
			columns: "id, event_id, content, created", erase: v.eraseComments,
			read: reading(func(c *event.Comment) []any {
				return []any{(*int64)(&c.ID), (*int64)(&c.Event), &c.Content, engine.IntoTime{Into: &c.Created}}
			}, personaldata.NewCommentRecord),
		},
		personaldata.Likes: {
			table: "likes", whose: "user_id = $1", keys: "event_id", begin: number, columns: "event_id", erase: v.eraseLikes,
			read: reading(func(on *event.ID) []any { return []any{(*int64)(on)} }, personaldata.NewLikeRecord),
		},
		personaldata.Follows: {
			table: "subscriptions", whose: "(user_id = $1 OR followed_id = $1)", keys: "id + 0", begin: number,
			columns: "id, followed_id, category_id, created", own: " AND user_id = $1",
			read: reading(func(s *subscription.Subscription) []any {
				return []any{(*int64)(&s.ID), optionalTarget(&s.Followed), optionalTarget(&s.Category), engine.IntoTime{Into: &s.Created}}
			}, personaldata.NewFollowRecord),
		},
		personaldata.Blocks: { // what refers to the rows goes with them
			table: "blocks", whose: "user_id = $1", keys: "other_id", begin: number, columns: "other_id, created", own: " AND is_by_user",
			read: reading(func(b *block.Block) []any {
				return []any{(*int64)(&b.Whom), engine.IntoTime{Into: &b.Created}}
			}, personaldata.NewBlockRecord),
		},
		personaldata.Notifications: {
			table: "notifications", whose: "(owner_id = $1 OR actor_id = $1)", keys: "id + 0", begin: number,
			columns: "id, kind, actor_id, object_id, created", own: " AND owner_id = $1 AND NOT withdrawn", read: readNotification,
		},
		personaldata.Reports: {
			table: "reports", whose: "(author_id = $1 OR owner_id = $1)", keys: "id + 0", begin: number,
			columns: "id, kind, object_id, reason, content, created, decided", own: " AND author_id = $1",
			read: reading(func(r *moderation.Report) []any {
				return []any{
					(*int64)(&r.ID), (*string)(&r.Kind), &r.Thing.ID, (*string)(&r.Reason), &r.Text,
					engine.IntoTime{Into: &r.Created}, engine.IntoTime{Into: &r.Decided},
				}
			}, personaldata.NewReportRecord),
		},
		personaldata.Hidden: {
			table: "hidden_things", whose: "owner_id = $1", keys: "kind || object_id", begin: text, columns: "kind, object_id, reason, hidden_at",
			read: reading(func(h *moderation.Hiding) []any {
				return []any{(*string)(&h.Kind), &h.Thing.ID, &h.Reason, engine.IntoTime{Into: &h.At}}
			}, personaldata.NewHiddenRecord),
		},
		personaldata.Images: {
			table: imagesOfPerson(), whose: "TRUE", keys: "i.id + 0", begin: number,
			columns: imageColumns, read: readImage, erase: v.eraseImages,
		},
		personaldata.Publications: {
			table: "publications", whose: "author_id = $1", keys: "id", begin: number,
			columns: engine.ColumnsOf[publicationRow](v.s.DB) + ", COALESCE((SELECT t.html FROM publication_texts t WHERE t.id = publications.id), '')",
			read: readingText(v.s, func(r publicationRow, html markup.HTML) personaldata.Record {
				return personaldata.NewPublicationRecord(r.publication(), html)
			}), erase: eraseRecords[publicationRow](v, feed.Publication),
		},
		personaldata.Nodes: {
			table: "nodes", whose: "author_id = $1", keys: "id", begin: number,
			columns: engine.ColumnsOf[nodeRow](v.s.DB) + ", COALESCE((SELECT t.html FROM node_texts t WHERE t.id = nodes.id), '')",
			read: readingText(v.s, func(r nodeRow, html markup.HTML) personaldata.Record {
				return personaldata.NewNodeRecord(r.record().(publication.Node), html)
			}), erase: eraseRecords[nodeRow](v, feed.Node),
		},
		personaldata.Demands: {
			table: "demands", whose: "author_id = $1", keys: "id", begin: number, columns: engine.ColumnsOf[demandRow](v.s.DB),
			read: readingModel(v.s, func(r demandRow) personaldata.Record {
				return personaldata.NewDemandRecord(r.record().(demand.Demand))
			}), erase: eraseRecords[demandRow](v, feed.Demand),
		},
		personaldata.HowTos: {
			table: "howtos", whose: "robot_id = $1", keys: "category", begin: text, columns: engine.ColumnsOf[howToRow](v.s.DB),
			read: readingModel(v.s, func(r howToRow) personaldata.Record { return personaldata.NewHowToRecord(r.howTo()) }),
		},
		personaldata.Orders: {
			table: "orders", whose: "user_id = $1", keys: "id + 0", begin: number,
			columns: "id, subject, amount, currency, state, created, expires, paid, transaction_id",
			read: reading(func(o *payment.Order) []any {
				return []any{
					(*int64)(&o.ID), &o.Subject, &o.Amount, &o.Currency, (*string)(&o.State), engine.IntoTime{Into: &o.Created},
					engine.IntoTime{Into: &o.Expires}, engine.IntoTime{Into: &o.PaidAt}, engine.OrZeroText[string]{Into: &o.Transaction},
				}
			}, personaldata.NewOrderRecord),
			still: " AND state <> 'open' AND subject <> ''", set: "subject = ''",
		},
		personaldata.Prepayments: {
			table: "prepayments", whose: "order_id IN (SELECT o.id FROM orders o WHERE o.user_id = $1)", keys: "id + 0", begin: number,
			columns: "order_id, out_trade_no, end_type, app, open_id, state, created", read: readPrepayment,
			still: " AND state IN ('closed', 'paid') AND (open_id <> '' OR code_url <> '' OR mweb_url <> '' OR length(request) > 0)",
			set:   "open_id = '', code_url = '', mweb_url = '', request = substr(request, 1, 0)",
		},
		personaldata.Payments: {
			table: "payments", whose: "order_id IN (SELECT o.id FROM orders o WHERE o.user_id = $1)", keys: "id + 0", begin: number,
			columns: "id, order_id, transaction_id, state, amount, currency, received", kept: true,
			read: reading(func(p *payment.Payment) []any {
				return []any{
					(*int64)(&p.ID), (*int64)(&p.Order), &p.TransactionID, (*string)(&p.State), &p.Amount, &p.Currency, engine.IntoTime{Into: &p.Received},
				}
			}, personaldata.NewPaymentRecord),
		},
		personaldata.Refunds: {
			table: "refunds", whose: "payment_id IN (SELECT p.id FROM orders o JOIN payments p ON p.order_id = o.id WHERE o.user_id = $1)",
			keys: "id + 0", begin: number, columns: "id, payment_id, amount, currency, reason, state, wallet_refund_id, created, updated",
			read: reading(func(r *payment.Refund) []any {
				return []any{
					(*int64)(&r.ID), (*int64)(&r.Payment), &r.Amount, &r.Currency, &r.Reason, (*string)(&r.State), &r.WalletID,
					engine.IntoTime{Into: &r.Created}, engine.IntoTime{Into: &r.Updated},
				}
			}, personaldata.NewRefundRecord),
			still: " AND state NOT IN ('processing', 'abnormal') AND reason <> ''", // with IN SQLite would read the refunds of everyone
			set:   "reason = ''",
		},
		personaldata.IdempotencyKeys: {
			table: "idempotency_keys", whose: "user_id = $1", keys: "name", begin: text, read: readKey,
			columns: "name, since, CASE WHEN order_id IS NOT NULL THEN 'order' WHEN kind IS NULL AND refund_id IS NOT NULL " +
				"THEN 'refund' ELSE COALESCE(kind, '') END, COALESCE(order_id, made_id, refund_id)",
		},
		personaldata.RateLimits: {
			table: "rate_limits", whose: "user_id = $1", keys: "action", begin: text, columns: "action, until", read: readRateLimit,
		},
		personaldata.FailedLogins: {
			table: "login_failures", whose: ofPhone, keys: "id + 0", begin: number, columns: "source, failed",
			read: readingLogins(personaldata.NewFailedLoginRecord),
		},
		personaldata.LoginNetworks: {
			table: "usual_sources", whose: ofPhone, keys: "source", begin: text, columns: "source, last_login",
			read: readingLogins(personaldata.NewLoginNetworkRecord),
		},
		personaldata.Codes: {
			table: "codes", whose: ofNumber, keys: "id || ''", begin: text, columns: "purpose, made, expires, tries, status",
			read: reading(func(c *verification.State) []any {
				return []any{
					(*string)(&c.Purpose), engine.IntoTime{Into: &c.Made}, engine.IntoTime{Into: &c.Expires}, &c.Tries, (*string)(&c.Status),
				}
			}, personaldata.NewCodeRecord),
		},
		personaldata.StaffActs: {
			table: "audit_records", whose: "(about = $1 OR by_user = $1)", keys: "id + 0", begin: number,
			columns: "id, at, act, object_kind, object_id", own: " AND about = $1",
			read: reading(func(r *audit.Record) []any {
				return []any{(*int64)(&r.ID), engine.IntoTime{Into: &r.At}, (*string)(&r.Act), (*string)(&r.Object.Kind), &r.Object.ID}
			}, personaldata.NewStaffActRecord),
			still: " AND EXISTS (SELECT 1 FROM audit_reasons q WHERE q.record_id = audit_records.id AND q.reason <> '')", erase: v.eraseReasons,
		},
		personaldata.CodeUses: {
			table: "code_uses", whose: ofNumber, keys: "id + 0", begin: number, columns: "use, source, at",
			read: func(scan engine.Scanner, _ engine.Dialect) (personaldata.Record, error) {
				var use, network string
				var at time.Time
				err := scan(&use, &network, engine.IntoTime{Into: &at})
				return personaldata.NewCodeUseRecord(verification.Use(use), network, at), err
			},
		},
	}
}
