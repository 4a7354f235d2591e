package staff

import (
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/diary"
	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/money"
	"plaza/adapters/bunstore/people"
	"plaza/domain/access"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/idempotency"
	"plaza/domain/markup"
	"plaza/domain/moderation"
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
	// records reads the records. A key that is not the end of an index on the user is written as an expression, like id + 0: a
	// database that could walk the primary key from there would read the records of everyone.
	records personalRecords

	// table has the rows that an erasure treats, and left is the condition on those of the user ?0 that it still has to. A kind
	// without a table is kept.
	table, left string
	key         string // identifies a row
	set         string // what an erasure blanks; empty: it deletes the row
	// erase erases rows from which others derive, by the keys, and returns how many.
	erase func(v PersonalData, tx *engine.Tx, id user.ID, keys []int64) (int, error)
}

// Rows of an export that are no row of another file.
type (
	personalAccount struct {
		people.AccountRow
		people.MemberRow
		Bio    string
		Source string `bun:",nullzero"`
	}
	personalLike struct {
		bun.BaseModel `bun:"table:likes"`
		EventID       event.ID
	}
	personalPublication struct {
		feedstore.PublicationRow `bun:",extend"`
		HTML                     markup.HTML `bun:"html,scanonly,nullzero"`
	}
	personalNode struct {
		feedstore.NodeRow `bun:",extend"`
		HTML              markup.HTML `bun:"html,scanonly,nullzero"`
	}
	personalNotice struct {
		bun.BaseModel `bun:"table:notifications"`
		ID            notification.ID
		Kind          notification.Kind
		ActorID       user.ID `bun:",nullzero"`
		ObjectID      int64
		About         moderation.Kind `bun:",nullzero"`
		Note          string          `bun:",nullzero"`
		Created       engine.Time
	}
	personalLimit struct {
		bun.BaseModel `bun:"table:rate_limits"`
		Action        ratelimit.Action
		Until         int64 // microseconds since 1970
	}
	personalTry struct { // of a login, or of a code
		ID     int64
		Use    verification.Use
		Source string
		At     engine.Time
	}
)

// Conditions on the rows of the user ?0.
const (
	ofPhone    = "phone = (SELECT u.phone FROM users u WHERE u.id = ?0)"
	ofNumber   = "number = (SELECT substr(replace(u.phone, '-', ''), 2) FROM users u WHERE u.id = ?0)"
	ofOrders   = "order_id IN (SELECT o.id FROM orders o WHERE o.user_id = ?0)"
	ofPayments = "payment_id IN (SELECT p.id FROM orders o JOIN payments p ON p.order_id = o.id WHERE o.user_id = ?0)"
	imagesOf   = `id IN (
		SELECT id FROM images WHERE owner_id = ?0 AND deleted IS NULL AND NOT hidden
		UNION ALL SELECT id FROM images WHERE owner_id = ?0 AND (deleted IS NOT NULL OR hidden))` // each part has an index
)

// personalKinds has all kinds. The wallet may still ask about an open order, and about a prepayment that is not final.
var personalKinds = map[personaldata.Kind]personalKind{
	personaldata.Account: {
		table: "users", left: "id = ?0 AND phone NOT LIKE 'erased-%'", key: "id", erase: PersonalData.eraseAccount,
		records: exporting(`
			SELECT u.id, u.phone, u.scopes, u.roles, u.disabled, u.source, COALESCE(h.bio, u.bio) AS bio, u.id AS member_id,
				COALESCE(h.firstname, u.firstname) AS firstname, COALESCE(h.lastname, u.lastname) AS lastname,
				COALESCE(h.expertise, u.expertise) AS expertise, COALESCE(h.location, u.location) AS location,
				u.timezone, u.joined, COALESCE(h.avatar, u.avatar) AS avatar, p.seen
			FROM users u LEFT JOIN presence p ON p.user_id = u.id LEFT JOIN hidden_profiles h ON h.user_id = u.id
			WHERE u.id = $1 AND u.id > $3 ORDER BY u.id LIMIT CAST($2 AS bigint)`,
			func(r *personalAccount) exported {
				a, err := r.Account()
				return exported{personaldata.Person{Account: a, Member: r.Member(), Bio: r.Bio, Source: r.Source}, []any{r.ID}, err}
			}),
	},
	personaldata.Sessions: {
		table: "tokens", left: "user_id = ?0", key: "id",
		records: exportingRows("user_id = ?0", "id + 0", func(r *people.TokenRow) exported {
			t := access.Token{ID: r.ID, Scopes: people.ScopesOf(r.Scopes), TTL: r.TTL, Created: r.Created.Time, Used: r.Used.Time}
			return keyed(t, r.ID)
		}, "(SELECT w.used FROM token_uses w WHERE w.token_id = t.id) AS used"),
	},
	personaldata.Events: {
		table: "events", left: "author_id = ?0", key: "id", erase: PersonalData.eraseEvents,
		records: exporting(diary.EventsAfter,
			func(r *diary.EventRow) exported { return keyed(r.State(), r.ID) }),
	},
	personaldata.Comments: {
		table: "comments", left: "author_id = ?0", key: "id", erase: PersonalData.eraseComments,
		records: exportingRows("author_id = ?0", "event_id, id", func(r *diary.CommentRow) exported {
			return keyed(r.Comment(), r.EventID, r.ID)
		}),
	},
	personaldata.Likes: {
		table: "likes", left: "user_id = ?0", key: "event_id", erase: PersonalData.eraseLikes,
		records: exportingRows("user_id = ?0", "event_id", func(r *personalLike) exported {
			return keyed(r.EventID, r.EventID)
		}),
	},
	personaldata.Follows: {
		table: "subscriptions", left: "(user_id = ?0 OR followed_id = ?0)", key: "id",
		records: exportingRows("user_id = ?0", "id + 0", func(r *people.SubscriptionRow) exported {
			return keyed(r.Subscription(), r.ID)
		}),
	},
	personaldata.Blocks: { // what refers to the rows goes with them
		table: "blocks", left: "user_id = ?0", key: "other_id",
		records: exportingRows("user_id = ?0 AND is_by_user", "other_id", func(r *people.BlockRow) exported {
			return keyed(r.Block(), r.OtherID)
		}),
	},
	personaldata.Notifications: {
		table: "notifications", left: "(owner_id = ?0 OR actor_id = ?0)", key: "id",
		records: exportingRows("owner_id = ?0 AND NOT withdrawn", "id + 0", func(r *personalNotice) exported {
			var n notification.Notice
			n.Kind, n.By, n.Object, n.Created, n.About, n.Note = r.Kind, r.ActorID, r.ObjectID, r.Created.Time, r.About, r.Note
			return keyed(personaldata.Notification{ID: r.ID, Notice: n}, r.ID)
		}),
	},
	personaldata.Reports: {
		table: "reports", left: "author_id = ?0", key: "id",
		records: exportingRows("author_id = ?0", "id + 0", func(r *reportRow) exported {
			return keyed(r.report(), r.ID)
		}),
	},
	personaldata.Cases: { // what an open one keeps is evidence; its reports go with the rows
		table: "report_cases", left: "owner_id = ?0 AND decided IS NOT NULL", key: "id",
		records: exportingRows("owner_id = ?0 AND decided IS NOT NULL", "id + 0", func(r *caseRow) exported {
			return keyed(r.aCase(), r.ID)
		}),
	},
	personaldata.Hidden: {
		table: "hidden_things", left: "owner_id = ?0", key: "kind, object_id",
		records: exportingRows("owner_id = ?0", "kind, object_id + 0", func(r *hiddenRow) exported {
			return keyed(r.hiding(), r.Kind, r.ObjectID)
		}),
	},
	personaldata.Images: {
		table: "images", left: imagesOf, key: "id", erase: PersonalData.eraseImages,
		records: exportingRows(imagesOf, "id + 0", func(r *diary.ImageRow) exported {
			i, err := r.Image()
			return exported{i, []any{r.ID}, err}
		}),
	},
	personaldata.Publications: {
		table: "publications", left: "author_id = ?0", key: "id", erase: eraseRecords[feedstore.PublicationRow],
		records: exportingRows("author_id = ?0", "id", func(r *personalPublication) exported {
			return keyed(personaldata.Publication{Publication: r.Publication(), HTML: r.HTML}, r.ID)
		}, "(SELECT t.html FROM publication_texts t WHERE t.id = p.id) AS html"),
	},
	personaldata.Nodes: {
		table: "nodes", left: "author_id = ?0", key: "id", erase: eraseRecords[feedstore.NodeRow],
		records: exportingRows("author_id = ?0", "id", func(r *personalNode) exported {
			return keyed(personaldata.Node{Node: r.Record().(publication.Node), HTML: r.HTML}, r.ID)
		}, "(SELECT t.html FROM node_texts t WHERE t.id = n.id) AS html"),
	},
	personaldata.Demands: {
		table: "demands", left: "author_id = ?0", key: "id", erase: eraseRecords[feedstore.DemandRow],
		records: exportingRows("author_id = ?0", "id", func(r *feedstore.DemandRow) exported {
			return keyed(r.Record().(demand.Demand), r.ID)
		}),
	},
	personaldata.HowTos: {
		table: "howtos", left: "robot_id = ?0", key: "category",
		records: exportingRows("robot_id = ?0", "category", func(r *feedstore.HowToRow) exported {
			return keyed(r.HowTo(), r.Category)
		}),
	},
	personaldata.Orders: {
		table: "orders", left: "user_id = ?0 AND state <> 'open' AND subject <> ''", key: "id", set: "subject = ''",
		records: exportingRows("user_id = ?0", "id + 0", func(r *money.OrderRow) exported {
			return keyed(r.Order(), r.ID)
		}),
	},
	personaldata.Prepayments: {
		table: "prepayments", key: "id", set: "open_id = '', code_url = '', mweb_url = '', request = substr(request, 1, 0)",
		left: `order_id IN (SELECT o.id FROM orders o WHERE o.user_id = ?0) AND state IN ('closed', 'paid')
			AND (open_id <> '' OR code_url <> '' OR mweb_url <> '' OR length(request) > 0)`,
		records: exportingRows(ofOrders, "id + 0", func(r *money.PrepaymentRow) exported {
			return keyed(personaldata.Prepayment{Order: r.OrderID, Prepayment: r.Prepayment()}, r.ID)
		}, "id"),
	},
	personaldata.Payments: {
		records: exportingRows(ofOrders, "id + 0", func(r *money.PaymentRow) exported {
			return keyed(r.Payment(), r.ID)
		}),
	},
	personaldata.Refunds: { // with state IN SQLite would read the refunds of everyone
		table: "refunds", key: "id", set: "reason = ''",
		left: `payment_id IN (SELECT p.id FROM orders o JOIN payments p ON p.order_id = o.id WHERE o.user_id = ?0)
			AND state NOT IN ('processing', 'abnormal') AND reason <> ''`,
		records: exportingRows(ofPayments, "id + 0", func(r *money.RefundRow) exported {
			return keyed(r.Refund(), r.ID)
		}),
	},
	personaldata.IdempotencyKeys: {
		table: "idempotency_keys", left: "user_id = ?0", key: "name",
		records: exportingRows("user_id = ?0", "name", func(r *people.KeyRow) exported {
			a := r.Answer(idempotency.Key{})
			return keyed(personaldata.IdempotencyKey{Name: r.Name, Since: a.At, Made: a.Kind, ID: a.ID}, r.Name)
		}),
	},
	personaldata.RateLimits: {
		table: "rate_limits", left: "user_id = ?0", key: "action",
		records: exportingRows("user_id = ?0", "action", func(r *personalLimit) exported {
			return keyed(personaldata.RateLimit{Action: r.Action, Until: time.UnixMicro(r.Until).UTC()}, r.Action)
		}),
	},
	personaldata.FailedLogins: {
		table: "login_failures", left: ofPhone, key: "id",
		records: exporting(`
			SELECT id, source, failed AS at FROM login_failures
			WHERE phone = (SELECT u.phone FROM users u WHERE u.id = $1) AND id + 0 > $3 ORDER BY id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *personalTry) exported {
				return keyed(personaldata.FailedLogin{Network: r.Source, At: r.At.Time}, r.ID)
			}),
	},
	personaldata.LoginNetworks: {
		table: "usual_sources", left: ofPhone, key: "source",
		records: exporting(`
			SELECT source, last_login AS at FROM usual_sources
			WHERE phone = (SELECT u.phone FROM users u WHERE u.id = $1) AND source > $3 ORDER BY source LIMIT CAST($2 AS bigint)`,
			func(r *personalTry) exported {
				return keyed(personaldata.LoginNetwork{Network: r.Source, LastLogin: r.At.Time}, r.Source)
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
				return keyed(c, r.ID)
			}),
	},
	personaldata.CodeUses: {
		table: "code_uses", left: ofNumber, key: "id",
		records: exporting(`
			SELECT id, use, source, at FROM code_uses
			WHERE number = (SELECT substr(replace(u.phone, '-', ''), 2) FROM users u WHERE u.id = $1) AND id + 0 > $3
			ORDER BY id + 0 LIMIT CAST($2 AS bigint)`,
			func(r *personalTry) exported {
				return keyed(personaldata.CodeUse{Use: r.Use, Network: r.Source, At: r.At.Time}, r.ID)
			}),
	},
	personaldata.StaffActs: {
		table: "audit_records", key: "id", erase: PersonalData.eraseReasons,
		left: `(about = ?0 OR by_user = ?0)
			AND EXISTS (SELECT 1 FROM audit_reasons q WHERE q.record_id = audit_records.id AND q.reason || q.by_name || q.about_name <> '')`,
		records: exportingRows("about = ?0", "id + 0", func(r *auditRow) exported {
			return keyed(r.record(), r.ID)
		}),
	},
}
