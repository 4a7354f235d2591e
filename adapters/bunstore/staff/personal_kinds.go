package staff

import (
	"context"
	"plaza/adapters/bunstore/diary"
	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/money"
	"plaza/adapters/bunstore/people"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/idempotency"
	"plaza/domain/markup"
	"plaza/domain/notification"
	"plaza/domain/personaldata"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// personalKind is how the records of a kind are read and erased. Each statement reads only entries of indexes that belong
// to the person.
type personalKind struct {
	// records reads the records by a statement that finds those of the user $1 behind a key $3, and $4, at most $2 in the order of
	// the keys. A key that is not the end of an index on the user is written as an expression, like id + 0: a database that
	// could walk the primary key from there would read the records of everyone.
	records personalRecords

	// table has the rows that an erasure treats, and left is the condition on those of the user ?0 that it still has to. A kind
	// without a table is kept.
	table, left string
	key         string // identifies a row
	set         string // what an erasure blanks; empty: it deletes the row
	// erase erases rows from which others derive, by the keys, and returns how many.
	erase func(v PersonalData, ctx context.Context, tx *engine.Tx, id user.ID, keys []int64) (int, error)
}

// Rows of an export that are no row of another file.
type (
	personalAccount struct {
		people.AccountRow
		people.MemberRow
		Source string `bun:",nullzero"`
	}
	personalLike        struct{ EventID event.ID }
	personalPublication struct {
		feedstore.PublicationRow
		HTML markup.HTML `bun:"html,nullzero"`
	}
	personalNode struct {
		feedstore.NodeRow
		HTML markup.HTML `bun:"html,nullzero"`
	}
	personalNotice struct {
		ID       notification.ID
		Kind     notification.Kind
		ActorID  user.ID
		ObjectID int64
		Created  engine.Time
	}
	personalLimit struct {
		Action ratelimit.Action
		Until  int64 // microseconds since 1970
	}
	personalTry struct { // of a login, or of a code
		ID     int64
		Use    verification.Use
		Source string
		At     engine.Time
	}
)

const (
	ofPhone  = "phone = (SELECT u.phone FROM users u WHERE u.id = ?0)"
	ofNumber = "number = (SELECT substr(replace(u.phone, '-', ''), 2) FROM users u WHERE u.id = ?0)"
)

// personalKinds has all kinds. The wallet may still ask about an open order, and about a prepayment that is not final.
var personalKinds = map[personaldata.Kind]personalKind{
	personaldata.Account: {
		table: "users", left: "id = ?0 AND phone NOT LIKE 'erased-%'", key: "id", erase: PersonalData.eraseAccount,
		records: exporting(`
			SELECT u.id, u.phone, u.scopes, u.staff, u.disabled, u.source,
				u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, p.seen
			FROM users u LEFT JOIN presence p ON p.user_id = u.id
			WHERE u.id = $1 AND u.id > $3 ORDER BY u.id LIMIT CAST($2 AS bigint)`,
			func(r *personalAccount) exported {
				a, err := r.Account()
				return exported{personaldata.NewAccountRecord(a, r.Member(), r.Source), []any{r.ID}, err}
			}),
	},
	personaldata.Sessions: {
		table: "tokens", left: "user_id = ?0", key: "id",
		records: exporting(`
			SELECT t.id, t.scopes, t.ttl, t.created, w.used FROM tokens t LEFT JOIN token_uses w ON w.token_id = t.id
			WHERE t.user_id = $1 AND t.id + 0 > $3 ORDER BY t.id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *people.TokenRow) exported {
				t := access.Token{ID: r.ID, Scopes: people.ScopesOf(r.Scopes), TTL: r.TTL, Created: r.Created.Time, Used: r.Used.Time}
				return keyed(personaldata.NewSessionRecord(t), r.ID)
			}),
	},
	personaldata.Events: {
		table: "events", left: "author_id = ?0", key: "id", erase: PersonalData.eraseEvents,
		records: exporting(`
			SELECT id, author_id, created, day, category_id, permission, status, published_at, title, content, html,
				province, city, district, modified, plates
			FROM event_entries
			WHERE author_id = $1 AND id + 0 > $3 ORDER BY id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *diary.EventRow) exported { return keyed(personaldata.NewEventRecord(r.State()), r.ID) }),
	},
	personaldata.Comments: {
		table: "comments", left: "author_id = ?0", key: "id", erase: PersonalData.eraseComments,
		records: exporting(`
			SELECT id, event_id, content, created FROM comments
			WHERE author_id = $1 AND (event_id, id) > ($3, $4) ORDER BY event_id, id LIMIT CAST($2 AS bigint)`,
			func(r *diary.CommentRow) exported {
				return keyed(personaldata.NewCommentRecord(r.Comment()), r.EventID, r.ID)
			}),
	},
	personaldata.Likes: {
		table: "likes", left: "user_id = ?0", key: "event_id", erase: PersonalData.eraseLikes,
		records: exporting(`
			SELECT event_id FROM likes
			WHERE user_id = $1 AND event_id > $3 ORDER BY event_id LIMIT CAST($2 AS bigint)`,
			func(r *personalLike) exported { return keyed(personaldata.NewLikeRecord(r.EventID), r.EventID) }),
	},
	personaldata.Follows: {
		table: "subscriptions", left: "(user_id = ?0 OR followed_id = ?0)", key: "id",
		records: exporting(`
			SELECT id, followed_id, category_id, created FROM subscriptions
			WHERE user_id = $1 AND id + 0 > $3 ORDER BY id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *people.SubscriptionRow) exported {
				return keyed(personaldata.NewFollowRecord(r.Subscription()), r.ID)
			}),
	},
	personaldata.Blocks: { // what refers to the rows goes with them
		table: "blocks", left: "user_id = ?0", key: "other_id",
		records: exporting(`
			SELECT other_id, created FROM blocks
			WHERE user_id = $1 AND is_by_user AND other_id > $3 ORDER BY other_id LIMIT CAST($2 AS bigint)`,
			func(r *people.BlockRow) exported { return keyed(personaldata.NewBlockRecord(r.Block()), r.OtherID) }),
	},
	personaldata.Notifications: {
		table: "notifications", left: "(owner_id = ?0 OR actor_id = ?0)", key: "id",
		records: exporting(`
			SELECT id, kind, actor_id, object_id, created FROM notifications
			WHERE owner_id = $1 AND NOT withdrawn AND id + 0 > $3 ORDER BY id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *personalNotice) exported {
				var n notification.Notice
				n.Kind, n.By, n.Object, n.Created = r.Kind, r.ActorID, r.ObjectID, r.Created.Time
				return keyed(personaldata.NewNotificationRecord(r.ID, n), r.ID)
			}),
	},
	personaldata.Reports: {
		table: "reports", left: "(author_id = ?0 OR owner_id = ?0)", key: "id",
		records: exporting(`
			SELECT id, kind, object_id, reason, content, created, decided FROM reports
			WHERE author_id = $1 AND id + 0 > $3 ORDER BY id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *reportRow) exported { return keyed(personaldata.NewReportRecord(r.report()), r.ID) }),
	},
	personaldata.Hidden: {
		table: "hidden_things", left: "owner_id = ?0", key: "kind, object_id",
		records: exporting(`
			SELECT kind, object_id, reason, hidden_at FROM hidden_things
			WHERE owner_id = $1 AND (kind, object_id + 0) > ($3, $4) ORDER BY kind, object_id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *hiddenRow) exported {
				return keyed(personaldata.NewHiddenRecord(r.hiding()), r.Kind, r.ObjectID)
			}),
	},
	personaldata.Images: { // each part has an index
		table: "images", key: "id", erase: PersonalData.eraseImages,
		left: `id IN (
			SELECT id FROM images WHERE owner_id = ?0 AND deleted IS NULL AND NOT hidden
			UNION ALL SELECT id FROM images WHERE owner_id = ?0 AND (deleted IS NOT NULL OR hidden))`,
		records: exporting(`
			SELECT id, owner_id, key, width, height, tags, created, deleted FROM (
				SELECT id, owner_id, key, width, height, tags, created, deleted FROM images
				WHERE owner_id = $1 AND deleted IS NULL AND NOT hidden
				UNION ALL
				SELECT id, owner_id, key, width, height, tags, created, deleted FROM images
				WHERE owner_id = $1 AND (deleted IS NOT NULL OR hidden)) i
			WHERE id + 0 > $3 ORDER BY id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *diary.ImageRow) exported {
				i, err := r.Image()
				return exported{personaldata.NewImageRecord(i), []any{r.ID}, err}
			}),
	},
	personaldata.Publications: {
		table: "publications", left: "author_id = ?0", key: "id", erase: eraseRecords[feedstore.PublicationRow],
		records: exporting(`
			SELECT p.id, p.bundle_id, p.node_id, p.type, p.title, p.summary, p.cover, p.language, p.category_id, p.published, p.deleted,
				p.created, p.updated, t.html
			FROM publications p LEFT JOIN publication_texts t ON t.id = p.id
			WHERE p.author_id = $1 AND p.id > $3 ORDER BY p.id LIMIT CAST($2 AS bigint)`,
			func(r *personalPublication) exported {
				return keyed(personaldata.NewPublicationRecord(r.Publication(), r.HTML), r.ID)
			}),
	},
	personaldata.Nodes: {
		table: "nodes", left: "author_id = ?0", key: "id", erase: eraseRecords[feedstore.NodeRow],
		records: exporting(`
			SELECT n.id, n.bundle_id, n.title, n.summary, n.cover, n.language, n.category_id, n.published, n.deleted,
				n.created, n.updated, t.html
			FROM nodes n LEFT JOIN node_texts t ON t.id = n.id
			WHERE n.author_id = $1 AND n.id > $3 ORDER BY n.id LIMIT CAST($2 AS bigint)`,
			func(r *personalNode) exported {
				return keyed(personaldata.NewNodeRecord(r.Record().(publication.Node), r.HTML), r.ID)
			}),
	},
	personaldata.Demands: {
		table: "demands", left: "author_id = ?0", key: "id", erase: eraseRecords[feedstore.DemandRow],
		records: exporting(`
			SELECT id, title, description, tags, cover, images, address, category_id, lat, lng, closed, starts, ends, published, deleted,
				created, updated
			FROM demands
			WHERE author_id = $1 AND id > $3 ORDER BY id LIMIT CAST($2 AS bigint)`,
			func(r *feedstore.DemandRow) exported {
				return keyed(personaldata.NewDemandRecord(r.Record().(demand.Demand)), r.ID)
			}),
	},
	personaldata.HowTos: {
		table: "howtos", left: "robot_id = ?0", key: "category",
		records: exporting(`
			SELECT category, bundles, created, updated FROM howtos
			WHERE robot_id = $1 AND category > $3 ORDER BY category LIMIT CAST($2 AS bigint)`,
			func(r *feedstore.HowToRow) exported { return keyed(personaldata.NewHowToRecord(r.HowTo()), r.Category) }),
	},
	personaldata.Orders: {
		table: "orders", left: "user_id = ?0 AND state <> 'open' AND subject <> ''", key: "id", set: "subject = ''",
		records: exporting(`
			SELECT id, subject, amount, currency, state, created, expires, paid, transaction_id FROM orders
			WHERE user_id = $1 AND id + 0 > $3 ORDER BY id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *money.OrderRow) exported { return keyed(personaldata.NewOrderRecord(r.Order()), r.ID) }),
	},
	personaldata.Prepayments: {
		table: "prepayments", key: "id", set: "open_id = '', code_url = '', mweb_url = '', request = substr(request, 1, 0)",
		left: `order_id IN (SELECT o.id FROM orders o WHERE o.user_id = ?0) AND state IN ('closed', 'paid')
			AND (open_id <> '' OR code_url <> '' OR mweb_url <> '' OR length(request) > 0)`,
		records: exporting(`
			SELECT id, order_id, out_trade_no, end_type, app, open_id, state, created FROM prepayments
			WHERE order_id IN (SELECT o.id FROM orders o WHERE o.user_id = $1) AND id + 0 > $3
			ORDER BY id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *money.PrepaymentRow) exported {
				return keyed(personaldata.NewPrepaymentRecord(r.OrderID, r.Prepayment()), r.ID)
			}),
	},
	personaldata.Payments: {
		records: exporting(`
			SELECT id, order_id, transaction_id, state, amount, currency, received FROM payments
			WHERE order_id IN (SELECT o.id FROM orders o WHERE o.user_id = $1) AND id + 0 > $3
			ORDER BY id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *money.PaymentRow) exported { return keyed(personaldata.NewPaymentRecord(r.Payment()), r.ID) }),
	},
	personaldata.Refunds: {
		table: "refunds", key: "id", set: "reason = ''", // with state IN SQLite would read the refunds of everyone
		left: `payment_id IN (SELECT p.id FROM orders o JOIN payments p ON p.order_id = o.id WHERE o.user_id = ?0)
			AND state NOT IN ('processing', 'abnormal') AND reason <> ''`,
		records: exporting(`
			SELECT id, payment_id, amount, currency, reason, state, wallet_refund_id, created, updated FROM refunds
			WHERE payment_id IN (SELECT p.id FROM orders o JOIN payments p ON p.order_id = o.id WHERE o.user_id = $1) AND id + 0 > $3
			ORDER BY id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *money.RefundRow) exported { return keyed(personaldata.NewRefundRecord(r.Refund()), r.ID) }),
	},
	personaldata.IdempotencyKeys: {
		table: "idempotency_keys", left: "user_id = ?0", key: "name",
		records: exporting(`
			SELECT name, since, order_id, kind, made_id, refund_id FROM idempotency_keys
			WHERE user_id = $1 AND name > $3 ORDER BY name LIMIT CAST($2 AS bigint)`,
			func(r *people.KeyRow) exported {
				a := r.Answer(idempotency.Key{})
				return keyed(personaldata.NewIdempotencyKeyRecord(r.Name, a.At, a.Kind, a.ID), r.Name)
			}),
	},
	personaldata.RateLimits: {
		table: "rate_limits", left: "user_id = ?0", key: "action",
		records: exporting(`
			SELECT action, until FROM rate_limits
			WHERE user_id = $1 AND action > $3 ORDER BY action LIMIT CAST($2 AS bigint)`,
			func(r *personalLimit) exported {
				return keyed(personaldata.NewRateLimitRecord(r.Action, time.UnixMicro(r.Until).UTC()), r.Action)
			}),
	},
	personaldata.FailedLogins: {
		table: "login_failures", left: ofPhone, key: "id",
		records: exporting(`
			SELECT id, source, failed AS at FROM login_failures
			WHERE phone = (SELECT u.phone FROM users u WHERE u.id = $1) AND id + 0 > $3 ORDER BY id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *personalTry) exported {
				return keyed(personaldata.NewFailedLoginRecord(r.Source, r.At.Time), r.ID)
			}),
	},
	personaldata.LoginNetworks: {
		table: "usual_sources", left: ofPhone, key: "source",
		records: exporting(`
			SELECT source, last_login AS at FROM usual_sources
			WHERE phone = (SELECT u.phone FROM users u WHERE u.id = $1) AND source > $3 ORDER BY source LIMIT CAST($2 AS bigint)`,
			func(r *personalTry) exported {
				return keyed(personaldata.NewLoginNetworkRecord(r.Source, r.At.Time), r.Source)
			}),
	},
	personaldata.Codes: {
		table: "codes", left: ofNumber, key: "id",
		records: exporting(`
			SELECT id, purpose, made, expires, tries, status FROM codes
			WHERE number = (SELECT substr(replace(u.phone, '-', ''), 2) FROM users u WHERE u.id = $1) AND id || '' > $3
			ORDER BY id || '' LIMIT CAST($2 AS bigint)`,
			func(r *people.CodeRow) exported {
				c := verification.State{Purpose: r.Purpose, Made: r.Made.Time, Expires: r.Expires.Time, Tries: r.Tries, Status: r.Status}
				return keyed(personaldata.NewCodeRecord(c), r.ID)
			}),
	},
	personaldata.CodeUses: {
		table: "code_uses", left: ofNumber, key: "id",
		records: exporting(`
			SELECT id, use, source, at FROM code_uses
			WHERE number = (SELECT substr(replace(u.phone, '-', ''), 2) FROM users u WHERE u.id = $1) AND id + 0 > $3
			ORDER BY id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *personalTry) exported {
				return keyed(personaldata.NewCodeUseRecord(r.Use, r.Source, r.At.Time), r.ID)
			}),
	},
	personaldata.StaffActs: {
		table: "audit_records", key: "id", erase: PersonalData.eraseReasons,
		left: `(about = ?0 OR by_user = ?0)
			AND EXISTS (SELECT 1 FROM audit_reasons q WHERE q.record_id = audit_records.id AND q.reason <> '')`,
		records: exporting(`
			SELECT id, at, act, object_kind, object_id FROM audit_records
			WHERE about = $1 AND id + 0 > $3 ORDER BY id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *auditRow) exported { return keyed(personaldata.NewStaffActRecord(r.record()), r.ID) }),
	},
}
